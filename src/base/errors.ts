// The kinds of errors that isobar throws, and the exit codes they lead to.

/** Exit codes of every `isobar` command. */
export const EXIT = { ok: 0, failed: 1, badInput: 2, differs: 3, unknown: 4 } as const;

/** A bug of isobar's own. The process stops; nothing that was computed is to be trusted. Exit code 1. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Input of the user that cannot be used: a file, a key, an option, a value. Exit code 2.
 * `message` is one line: what is wrong and where (`file:line key: expected ..., got ...`); `remedy` one line: what to do.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly remedy: string;
  constructor(message: string, remedy = '') {
    super(message);
    this.remedy = remedy;
  }
}

/**
 * A strategy that misbehaved: it threw, returned a promise, hung. Exit code 1.
 * `message` names the strategy and the bar; the original error is the `cause`.
 */
export class StrategyError extends Error {
  override readonly name = 'StrategyError';
  readonly remedy: string;
  constructor(message: string, remedy = '', cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.remedy = remedy;
  }
}

/**
 * A strategy that does not do the same again: what it does depends on the size of a block, or on what runs beside it. Exit code 3.
 * `message` names the strategy and the first difference.
 */
export class DiffersError extends StrategyError {}
