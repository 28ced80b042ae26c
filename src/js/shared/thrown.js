// What a host's model threw, by the result that says so: a session's own `compact` rejects with it.

/** @type {WeakMap<object, { error: unknown }>} */
const byResult = new WeakMap();

/** @param {object} result @param {unknown} error */
export const keepThrown = (result, error) => void byResult.set(result, { error });

/** @param {object} result @returns {{ error: unknown } | undefined} */
export const thrownOf = (result) => byResult.get(result);
