// The whole history as one strip, oldest at the left, each run in the colour of its fate. A click goes to the place.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {HTMLElement} place
 * @param {readonly import("context-projector").LedgerRun[]} ledger
 * @param {(source: number) => void} onPick
 */
export function showStrip(place, ledger, onPick) {
  const total = ledger.at(-1)?.to ?? 1;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${total} 1`);
  svg.setAttribute("preserveAspectRatio", "none");
  for (const { from, to, fate } of ledger) {
    const rect = document.createElementNS(SVG, "rect");
    rect.setAttribute("x", String(from));
    rect.setAttribute("width", String(to - from));
    rect.setAttribute("height", "1");
    rect.dataset.fate = fate;
    svg.append(rect);
  }
  place.replaceChildren(svg);
  place.onclick = (event) => {
    const { left, width } = place.getBoundingClientRect();
    onPick(Math.floor(((event.clientX - left) / width) * total));
  };
}
