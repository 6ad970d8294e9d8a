// Defines the warnings, which are reasons why a result or bars may mislead. docs/warnings.md lists their codes.

/** Every code with the condition of its warning. A code begins with its class. The table of docs/warnings.md is the same. */
export const WARNINGS = {
  RESULT_WINNERS: 'at least 97.5 % of at least 20 trades won',
  RESULT_SHARPE: 'the Sharpe ratio is above 5',
  RESULT_VOLUME: 'fills took more than 10 % of the volume of a bar',
  DATA_JUMP: 'a price jumps by a factor and returns: a bar, a high or a low that no market made',
  DATA_LEVEL: 'the price level changes between two bars and stays, as by a split',
  DATA_DEAD: 'at least 24 bars in a row repeat one price',
  DATA_STARTS_LATE: 'the bars that orders fill in begin after the start of the run',
  DATA_ENDS_EARLY: 'the bars that orders fill in end before the end of the run',
  DATA_PARTIAL: 'a feed covers only a part of the run, or the run is only a part of the feeds',
  DATA_DELISTED: 'a symbol left the run by its `listed` time; what was held was closed in its last bar',
  DATA_SYNTHETIC: 'the bars are generated',
  DATA_GAPS: 'bars are missing between the first and the last bar',
  DATA_THIN: 'bars are made of fewer finer bars than their interval holds',
  DATA_ROUNDED: 'prices were rounded to the tick when they were imported',
  DATA_OPEN_BAR: 'the last bar had not closed when it was imported',
  ORDER_DENIED: 'risk or the order manager denied orders; nothing was sent',
  ORDER_REJECTED: 'the venue rejected orders',
  ORDER_CAPPED_BUY: 'market buys by quantity rested as limit orders, because the open was above their price cap',
  ORDER_NEVER_WORKED: 'most limit orders were cancelled before the first bar in which they could fill',
  ORDER_UNKNOWN: 'the outcome of orders was unknown for a time',
  ORDER_NOT_SENT: 'orders were never sent',
  RESULT_NO_TRADE: 'the run placed no order, or closed no trade',
  RESULT_FEW_TRADES: 'the run closed fewer than 30 trades',
  RESULT_OPEN_POSITION: 'positions are open at the end; their result is not in the trade figures',
  RESULT_HELD: 'coins that the account held at the start changed in value; this is in no trade',
  RESULT_EXTRAPOLATED: 'CAGR is computed from fewer than 90 days',
  RUN_WARMUP: 'bars inside the range were used to warm up indicators',
  RUN_NO_RULES: 'no risk rule was on',
  RUN_TRADE_FILLS: 'orders filled against trades, which do not show everything that decides a fill',
  DATA_TRADE_GAPS: 'trades are missing between the first and the last that orders fill against',
  LOOKAHEAD_CUSTOM: 'a custom indicator writes or reads outside its function, which would read the future where blocks have several rows',
  LOOKAHEAD_FILE: 'the strategy imports a file of data, or can read files, which may hold data from after a bar',
  PROOF_REFUTED: 'a proof of isobar prove, or its sample, found that decisions depend on more than bars, parameters and seed',
  LOOKAHEAD_ROWS: 'a proof found decisions that depend on rows after their time, or on how rows are cut into blocks',
  LOOKAHEAD_TABLE:
    'a proof found prices, moves, or times of lows and highs of these bars in the files of the strategy, or orders whose times follow no bar and match the moves of these bars',
  LOOKAHEAD_SERIES:
    'a proof found that a series or another feed has prices of bars that close later, that a series agrees with their moves, or that a series was scaled by all of its values',
  STATE_KEPT: 'a proof found decisions that depend on what a module variable, a static field or another shared object keeps',
  IMPURE_EXTERNAL: 'a proof found decisions that depend on something outside the run',
  STATE_GLOBAL:
    "the strategy writes the global object or an object of Node's modules, or replaces a built-in, which everything in its process shares; `for a time`: it may have put it back",
  IMPURE_RANDOM: 'strategy code asked for chance that the seed of the run does not decide',
  IMPURE_CLOCK: 'strategy code asked for the time of the machine',
  IMPURE_LOCAL_TIME: 'strategy code used the time zone or the language of the machine',
  IMPURE_TIMER: 'strategy code started a timer of Node, which fires after the last bar',
  IMPURE_PROMISE: 'a callback made a promise, or work that calls back later; nothing in a strategy may wait',
  IMPURE_PROCESS: 'strategy code read the process, such as its environment',
  IMPURE_NETWORK: 'strategy code used the network or a channel to other threads',
  IMPURE_MODULE: 'the strategy imports a module of Node that reaches outside the run, or loads code while it runs',
  RUN_NOT_COUNTED: 'the trial ledger could not be written, so the run is not counted as a trial',
  SWEEP_NO_RESULT: 'no set has the figure that ranks the sets',
  SWEEP_FAILED: 'sets did not run to their end',
  SWEEP_NO_GAIN: 'no set has a positive net return',
  SWEEP_CHANCE: 'the best Sharpe ratio is within reach of chance, given the number of trials',
  SWEEP_EDGE: 'the best set lies at the edge of the grid',
  SWEEP_PEAK: 'the sets around the best one are much worse than it',
  SWEEP_FEW_TRADES: 'the best set closed fewer than 30 trades',
  SWEEP_FEW_DAYS: 'the figures of the best set rest on fewer than 90 days',
} as const satisfies Readonly<Record<string, string>>;

/** A code of the list. Its first word is the class of the warning. */
export type WarningCode = keyof typeof WARNINGS;

/** One warning. */
export interface Warning {
  readonly code: WarningCode;
  /** The finding, with its figures, in one sentence without a final period. */
  readonly text: string;
  /** File to check, relative to the working directory. Null for a warning that is not about a file. */
  readonly file: string | null;
  /** Line of the file, from 1. Null if the warning is not about a line. */
  readonly line: number | null;
}

/** Returns a warning that is not about a file. */
export function warning(code: WarningCode, text: string): Warning {
  return { code, text, file: null, line: null };
}

/** Returns the class of a warning in lower case: `data` for DATA_GAPS. */
export function warningClass({ code }: Pick<Warning, 'code'>): string {
  return code.slice(0, code.indexOf('_')).toLowerCase();
}

/** How the warning about a read of the machine continues after the name of the function, where a package makes it and not the code of the author. */
export const BY_PACKAGE = ' by a package';

/** True for the warning about a read of the clock or of the local time by a package. The result may not depend on it: `isobar prove` and samples find out. */
export function isPackageRead({ code, text }: Warning): boolean {
  return (code === 'IMPURE_CLOCK' || code === 'IMPURE_LOCAL_TIME') && text.includes(`${BY_PACKAGE} in strategy code: `);
}

/** How the warning continues about members of built-ins that code may have replaced for a part of a run. */
const FOR_A_TIME = ' for a time';

/** Returns the warning that code may have replaced `members` in a part of a run. It may also have written such a member of an object of its own. */
export function briefReplacement(members: string): Warning {
  return warning('STATE_GLOBAL', `the strategy replaces ${members}${FOR_A_TIME}, which everything in its process shares and isobar calls`);
}
/** True for the warning of `briefReplacement`. The sample of a backtest finds out whether it is right. */
export function isBriefReplacement({ code, text }: Warning): boolean {
  return code === 'STATE_GLOBAL' && text.includes(`${FOR_A_TIME}, which everything`);
}

/** Returns the text with its place, such as `Math.random was called (strategies/mine.ts:12)`. */
export function warningText({ text, file, line }: Warning): string {
  if (file === null) return text;
  return `${text} (${file}${line === null ? '' : `:${line}`})`;
}

/** Maximum number of different warnings. A reader would not read more. */
const MAX_WARNINGS = 100;

/** Collects the warnings of one run, each once, oldest first. */
export class WarningList {
  readonly #byKey = new Map<string, Warning>();

  /** Adds a warning, unless one with the same code, text and place exists. */
  readonly add = (added: Warning): void => {
    if (this.#byKey.size >= MAX_WARNINGS) return;
    const { code, text, file, line } = added;
    this.#byKey.set(JSON.stringify([code, text, file, line]), { code, text, file, line });
  };

  /** Returns all warnings, the oldest first. */
  all(): readonly Warning[] {
    return [...this.#byKey.values()];
  }

  /** Returns all warnings and clears the list. */
  drain(): readonly Warning[] {
    const drainedWarnings = this.all();
    this.#byKey.clear();
    return drainedWarnings;
  }
}
