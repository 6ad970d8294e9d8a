// Defines the errors that isobar throws, and the exit codes of its commands.

/** Exit codes of every `isobar` command. */
export const EXIT = { ok: 0, failed: 1, badInput: 2, differs: 3, unknown: 4 } as const;

/** A bug of isobar. The process stops, and its results must not be used. Exit code 1. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Invalid input of the user: a file, a key, an option, a value. Exit code 2. `message` is one line: what is wrong and where (`file:line
 * key: expected ..., got ...`); `remedy` one line: what to do.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** What the user can do, as an instruction; empty if the message says it all. */
  readonly remedy: string;
  constructor(message: string, remedy = '') {
    super(message);
    this.remedy = remedy;
  }
}

/**
 * A fault of a strategy: it threw an error, returned a promise, or did not return. Exit code 1. `message` names the strategy and the bar;
 * the original error is the `cause`.
 */
export class StrategyError extends Error {
  override readonly name = 'StrategyError';
  /** What the author can do, as an instruction; empty if the message says it all. */
  readonly remedy: string;
  constructor(message: string, remedy = '', cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.remedy = remedy;
  }
}

/**
 * A strategy that is not deterministic: its actions depend on the size of a block, or on other runs in its process. Exit code 3. `message`
 * names the strategy and the first difference.
 */
export class DiffersError extends StrategyError {}
