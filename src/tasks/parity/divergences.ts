// The result of `isobar parity`: the first event that differs between backtest and bot, and the bridge of money between them.

/** The classes of causes, in the order in which they are switched on. */
export const DIVERGENCES = [
  'data revision',
  'late bar',
  'latency',
  'fill model',
  'rounding',
  'fee',
  'funding',
  'clock',
  'restart',
  'operator',
  'strategy not deterministic',
] as const;
/** One of the classes of causes. */
export type Divergence = (typeof DIVERGENCES)[number];

/** The kind of an event that differs. */
export type DivergentWhat = 'bar' | 'decision' | 'order' | 'fill' | 'fee' | 'end' | 'funding';

/** One event that differs. */
export interface DivergentEvent {
  /** Number of the journal's record, or of the next one if the journal has no such event. */
  readonly seq: number;
  /** ms UTC. */
  readonly time: number;
  readonly what: DivergentWhat;
  /** The event as text. Null when it did not happen. */
  readonly backtest: string | null;
  readonly live: string | null;
}

/** The money that one cause explains. */
export interface BridgeStep {
  readonly cause: Divergence;
  /** Change of the net profit by the step, in money, a decimal. */
  readonly amount: string;
}

/** Money of the backtest and of the bot, and live minus backtest, as decimals. */
export interface BridgedSum {
  readonly backtest: string;
  readonly live: string;
  readonly amount: string;
}

/**
 * The money that an order moved: the money that it received, minus the money that it paid and its fees in money. With several quote assets,
 * each fill counts in the reporting asset at the newest close of its time.
 */
export interface BridgedOrder extends BridgedSum {
  /** The order's number in the journal; null: the bot did not send the order. */
  readonly order: number | null;
  /** Time of the decision, ms UTC. */
  readonly time: number;
  readonly symbol: string;
}

/** The latency of the backtest, and the latency of the bot. */
export interface ComparedLatency {
  /** From a decision to the arrival of its order, and of a cancel, ms. */
  readonly backtestMs: number;
  /** Source of `backtestMs`: `fills.latencyMs` of the config (0 by default), or the option `--latency`. */
  readonly from: 'config' | 'option' | 'measured';
  /**
   * Median latency of the bot in ms: for each order, the lowest latency that misses as many whole bars. Null when no fills show a latency.
   */
  readonly measuredMs: number | null;
  /** Number of orders with a measured latency. */
  readonly orders: number;
}

/** The result of the comparison. */
export interface DivergenceReport {
  readonly latency: ComparedLatency;
  readonly equal: boolean;
  readonly first: DivergentEvent | null;
  readonly cause: Divergence | null;
  /** Changes of code, parameters and version since the newest start of the bot, as sentences: decisions may differ because of them. */
  readonly changes: readonly string[];
  /** The steps that change the net profit. */
  readonly bridge: readonly BridgeStep[];
  /** The net profit of the bot, minus that of the backtest, minus all steps of the bridge. */
  readonly residual: string;
  /**
   * The orders that moved different amounts of money, in order of time. The sum of their amounts, of `funding` and of `held` is the
   * difference of the net profits.
   */
  readonly trades: readonly BridgedOrder[];
  readonly funding: BridgedSum;
  /** The value of holdings at the last close, including fees in coins and what cash of other quote assets gained or lost. */
  readonly held: BridgedSum;
  /** The net profit over the run, in the reporting asset. */
  readonly net: { readonly asset: string; readonly backtest: string; readonly live: string };
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly bars: number;
  /** Number of orders and of fills of the bot. */
  readonly orders: number;
  readonly fills: number;
}
