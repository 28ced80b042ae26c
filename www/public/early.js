// Runs before the first paint, so that nothing jumps or flashes: the chosen theme, and the panels that are open on wide screens.

(() => {
  try {
    const theme = localStorage.getItem("context-projector:theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden: the system's theme will do.
  }
  if (matchMedia("(min-width: 1000px)").matches) {
    for (const panel of document.querySelectorAll("details[data-open-when-wide]")) panel.setAttribute("open", "");
  }
})();
