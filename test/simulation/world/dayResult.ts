// The options and the result of a simulated day.

/** Counts of one simulated day, its violations, and a hash of everything that happened. */
export interface DayResult {
  readonly seed: number;
  readonly orders: number;
  /** Number of create requests of the first bot, with those whose connection was refused. */
  readonly creates: number;
  readonly fills: number;
  /** Number of bars at which the strategy of the last process decided. */
  readonly bars: number;
  /** Number of orders whose outcome was unknown at some time. */
  readonly unknown: number;
  readonly restarts: number;
  /** Number of kills by the operator. */
  readonly kills: number;
  /** Number of orders that the bot placed twice. */
  readonly duplicates: number;
  /** Number of open orders and fills that the bot does not know at the end. */
  readonly forgotten: number;
  /** Number of crashes of the exchange. */
  readonly exchangeCrashes: number;
  /** Number of orders that these crashes lost before a reply had shown them. */
  readonly lostOrders: number;
  /** Number of orders of the second bot, which `orders` includes; 0 on days with one bot. */
  readonly ordersOfSecondBot: number;
  readonly violations: readonly string[];
  readonly hash: string;
}

/** How a day is run. */
export interface DayOptions {
  /** Length of the day, ms; by default 24 hours. */
  readonly lengthMs?: number;
  /** True to end the day at the first violation. */
  readonly untilViolation?: boolean;
  /** True for a bot that trades contracts in place of coins. */
  readonly futures?: boolean;
  /** Called with each event as one line of text. */
  readonly print?: (line: string) => void;
}
