// What a tool throws that needs a person.

export class PauseRun extends Error {
  /** @param {string} [reason] */
  constructor(reason = "a person is needed") {
    super(reason);
    this.name = "PauseRun";
  }
}

/** By its name: the package may be there twice. @param {any} thrown @returns {thrown is PauseRun} */
export function isPause(thrown) {
  return thrown instanceof Error && thrown.name === "PauseRun";
}
