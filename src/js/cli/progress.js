// Progress of a long file on standard error, where somebody is there to see it.

/** Shorter texts are read before anybody would look, in UTF-16 units. */
const LONG = 2_000_000;

/** @param {string} file */
export function startProgress(file) {
  const { stderr } = process;
  let isShown = false;
  return {
    /** @param {{ done: number, total: number }} at */
    show({ done, total }) {
      if (!stderr.isTTY || total < LONG) return;
      isShown = true;
      stderr.write(`\r${file}: ${Math.floor((100 * done) / total)} % read`);
    },
    end() {
      if (isShown) stderr.write("\r\u001b[K");
    },
  };
}
