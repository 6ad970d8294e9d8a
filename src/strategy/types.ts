// Types of the strategy API: feeds, sizes, order options, and read-only views of orders, fills and positions.

import type { Decimal } from '../base/number/decimal.ts';
import type { TimeMs } from '../base/brand.ts';
import type { FeedSeries, Series } from '../indicators/graph/series.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Interval } from '../model/interval.ts';
import type { Lifecycle, OrderId, Side, TimeInForce } from '../model/order.ts';

export type { Decimal };

/** What a live bot does about timer calls that it missed while it was down: it makes none of them, one of them, or all of them in order. */
export type Missed = 'skip' | 'once' | 'all';

/** Options of `every` and `at`. */
export interface TimerOptions {
  /** Default: `skip`. A backtest misses no call. */
  readonly missed?: Missed;
}

/** Options of `cron`. */
export interface CronOptions extends TimerOptions {
  /** Time zone of the pattern. Default: UTC. */
  readonly timeZone?: string;
}

/** The newest closed bar of a feed. The object is a cursor: its numbers change with each bar, so copy those that you keep. */
export interface Bar {
  readonly openMs: TimeMs;
  readonly closeMs: TimeMs;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Volume in the base asset. */
  readonly volume: number;
}

/** A feed, with the columns of its bars as series. */
export interface Feed extends FeedSeries {
  readonly instrument: Instrument;
  readonly interval: Interval;
  /** True at an instant at which a bar of this feed closes. */
  readonly fresh: boolean;
  readonly bar: Bar;
}

/** A number, a decimal as text, or a `Decimal`. */
export type Amount = number | string | Decimal;

/** A size with its unit: base quantity, quote amount, or a fraction of the strategy's equity (0.2 is a fifth). */
export type Size =
  | { readonly base: Amount; readonly quote?: never; readonly equity?: never }
  | { readonly quote: Amount; readonly base?: never; readonly equity?: never }
  | { readonly equity: Amount; readonly base?: never; readonly quote?: never };

/** Fractions of the strategy's equity by symbol, such as `{ BTCUSDT: '0.4' }`. A negative one is a short position, on futures only. */
export type Weights = Readonly<Record<string, Amount>>;

/** Options of `rebalance`. */
export interface RebalanceOptions {
  /** A position with a weight is not traded while its current weight differs from it by at most this fraction. */
  readonly band?: Amount;
  /** Smallest trade, in the quote asset. Smaller trades are left out. */
  readonly minTrade?: Amount;
}

/** Options of `buy` and `sell`. */
export interface OrderOptions {
  /** Feed whose instrument the order trades. Default: the default feed. */
  readonly feed?: Feed;
  /** Limit price. Without it the order is a market order. */
  readonly limit?: Amount;
  /** Price of a limit order that closes the position with a gain. The order rests at the venue. */
  readonly takeProfit?: Amount;
  /** Several targets in place of `takeProfit`. Each is a resting limit order for its share of the position. */
  readonly targets?: readonly TargetShare[];
  /** Price at which a market order closes the position with a loss. */
  readonly stopLoss?: Amount;
  /** A stop that follows the best price of closed bars: its distance in price, or a `Trail`. */
  readonly trailing?: Amount | Trail;
  /**
   * Trigger price. The order waits at the exchange until the price reaches the trigger, and then is a market order. Futures only. If it is
   * opposite to a position, it can only close the position, by default all of it.
   */
  readonly trigger?: Amount;
  /**
   * Price of a stop entry: above the market for a buy, below it for a sell. Once the price reaches it, a market order is sent, or with `limit`
   * a limit order (stop-limit). On futures the exchange watches the price, on spot the bot does.
   */
  readonly stopEntry?: Amount;
  /** True if the order may only reduce the position. */
  readonly reduceOnly?: boolean;
  readonly timeInForce?: TimeInForce;
  /** Name of the decision slot, which holds at most one unfinished order. Default: the name of the action. */
  readonly tag?: string;
}

/** One of several targets. */
export interface TargetShare {
  /** Price of the target. */
  readonly at: Amount;
  /**
   * Share of the entry that the target closes: 0.5 is half. It is rounded down to lots. If the shares sum to 1, the last target also closes the
   * lots that rounding leaves. Only the last target may have no share. It then closes the remainder.
   */
  readonly share?: Amount;
}

/** How a stop trails. It has exactly one of `distance`, `percent` and `atr`. */
export interface Trail {
  /** Distance in price. */
  readonly distance?: Amount;
  /** Distance in percent of the best price, above 0 and below 100, to four decimals. */
  readonly percent?: Amount;
  /** Series whose value gives the distance, such as an ATR. Its value when the order is placed counts. */
  readonly atr?: Series;
  /** Factor of `atr`. Default: 1. */
  readonly times?: Amount;
  /** Price from which on the stop trails, once the best price of closed bars has reached it. By default it trails from the entry on. */
  readonly from?: Amount;
}

/** The changes that `amend` makes. An absent member changes nothing. */
export interface Amendment {
  /** Limit price of a working limit order. */
  readonly limit?: Amount;
  /** Quantity that the order has still to fill, in the base asset. */
  readonly size?: Amount;
  /**
   * Price of the stop for the position that the order has opened or will open. The stop keeps its trailing distance. For a trigger order that
   * stops a loss, it is the trigger price.
   */
  readonly stop?: Amount;
  /**
   * Price of the take-profit for the quantity that the order has still to fill. It replaces several targets by one. For a trigger order that
   * takes a profit, it is the trigger price.
   */
  readonly target?: Amount;
  /** Several targets for the quantity that the order has still to fill. */
  readonly targets?: readonly TargetShare[];
}

/** The position of a strategy in one instrument. */
export interface Position {
  /** Base quantity that this strategy holds, negative when short. */
  readonly qty: Decimal;
  /** Average entry price. NaN while flat. */
  readonly entryPrice: number;
  /** True without a position. Dust below the smallest order quantity does not count as a position. */
  readonly isFlat: boolean;
  readonly isLong: boolean;
  readonly isShort: boolean;
  /** Long quantity, at least 0. With `positions: twoWay`, `long` and `short` can both be above 0. */
  readonly long: Decimal;
  /** Short quantity, at least 0. */
  readonly short: Decimal;
  /** Time of the first fill since the strategy was flat, ms UTC. NaN while flat, and for deposited coins. */
  readonly openedMs: number;
  /** Time since `openedMs`, ms. NaN if `openedMs` is NaN. */
  readonly ageMs: number;
  /**
   * Exact profit without fees of closing the position at the newest price (the mark price of a contract), in the asset in which the account
   * counts money. Zero while flat.
   */
  readonly unrealisedProfit: Decimal;
}

/**
 * An external series, such as open interest. Its value is the known value of the latest time, in its newest revision. A value that becomes
 * known at the current instant counts as known. As a source of indicators, the series has at each bar of its feed the value that was known when
 * the bar closed. `prev` and `ago` return its values at earlier bars.
 */
export interface KnownSeries extends Series {
  /** Time to which the value belongs, ms UTC. NaN while no value is known. */
  readonly timeMs: number;
  /** Time at which the value became known, ms UTC. NaN while no value is known. */
  readonly knownMs: number;
  /** Time since `timeMs`, ms. NaN while no value is known. */
  readonly ageMs: number;
}

/** The funding of a contract that is known now. */
export interface Funding {
  /**
   * Rate of the last funding, as a fraction of the value of a position. Longs pay a positive rate. NaN before the first funding, and if a live
   * bot did not receive the rate.
   */
  readonly rate: number;
  /** Time of the last funding, ms UTC. NaN before the first. */
  readonly atMs: number;
  /** Returns the rate `times` fundings earlier. NaN if it is unknown. */
  ago(times: number): number;
  /** Time of the next funding, by the interval of the last two, ms UTC. It is the current instant if it is due now. NaN before the second. */
  readonly nextMs: number;
}

/** A read-only view of an order. */
export interface OrderInfo {
  readonly id: OrderId;
  readonly side: Side;
  readonly qty: Decimal;
  readonly filled: Decimal;
  readonly lifecycle: Lifecycle;
  /** The tag of the order options, or the name of the action. For a bracket leg, its role: takeProfit, stopLoss or trailing. */
  readonly tag: string;
  /** Limit price. NaN for a market order. */
  readonly limit: number;
  /** Trigger price. NaN for an order without a trigger. */
  readonly trigger: number;
  /** For a leg of a bracket, the entry that it closes. Null for an order that the strategy placed itself. */
  readonly entry: OrderId | null;
  /**
   * Code of a denial by risk or a refusal by the venue. `CAPPED` for a market buy that rested as a limit order. Null for other orders.
   */
  readonly code: string | null;
  /** Changes the order, like `this.amend(order.id, change)`. */
  amend(change: Amendment): OrderId | null;
}

/** One fill of an order. */
export interface FillInfo {
  readonly orderId: OrderId;
  readonly side: Side;
  readonly price: number;
  readonly qty: Decimal;
  /** Fee in units of `feeAsset`. */
  readonly fee: Decimal;
  readonly feeAsset: string;
  readonly timeMs: TimeMs;
}
