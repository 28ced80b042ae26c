// Light or dark: the system's choice until one is made here. early.js applies it before the first paint.

const KEY = "context-projector:theme";
const THEMES = /** @type {const} */ (["system", "light", "dark"]);

/** @param {HTMLButtonElement} button */
export function watchTheme(button) {
  const current = () => THEMES.find((theme) => theme === document.documentElement.dataset.theme) ?? "system";
  const show = () => {
    button.textContent = `Theme: ${current()}`;
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length] ?? "system";
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      if (next === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, next);
    } catch {
      // Then it holds until the page is left.
    }
    show();
  });
  show();
}
