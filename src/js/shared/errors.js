// Errors of the public contract, for what stands in JavaScript. The core's own come from src/js/boundary.js, the same.

/**
 * An error with the public contract's fields.
 * @param {string} code
 * @param {string} path
 * @param {string} message
 */
export function failure(code, path, message) {
  const error = new Error(`${path}: ${message}`);
  Object.defineProperty(error, "name", { value: "ContextProjectorError", configurable: true, writable: true });
  return Object.assign(error, { code, path });
}

/** What anything thrown says of itself. @param {unknown} thrown */
export function messageOf(thrown) {
  try {
    const message = /** @type {{ message?: unknown }} */ (thrown)?.message;
    return String(typeof message === "string" && message !== "" ? message : thrown);
  } catch {
    return "an error without a message";
  }
}
