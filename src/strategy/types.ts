// Types of the strategy API: feeds, sizes with their unit, order options, and read-only views of orders, fills and positions.

import type { Decimal } from '../base/number/decimal.ts';
import type { TimeMs } from '../base/brand.ts';
import type { FeedSeries, Series } from '../indicators/graph/series.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Interval } from '../model/interval.ts';
import type { Lifecycle, OrderId, Side, TimeInForce } from '../model/order.ts';

export type { Decimal };

/** What happens to timer calls that a live bot missed while it was down: none is made up for, one is, or each is, in order. */
export type Missed = 'skip' | 'once' | 'all';
export interface TimerOptions {
  /** `skip` by default. Backtests miss nothing. */
  readonly missed?: Missed;
}
export interface CronOptions extends TimerOptions {
  /** UTC by default. */
  readonly timeZone?: string;
}

/** The newest closed bar of a feed: a cursor whose numbers change with each bar. Copy what you want to keep. */
export interface Bar {
  readonly openMs: TimeMs;
  readonly closeMs: TimeMs;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** In the base asset. */
  readonly volume: number;
}

export interface Feed extends FeedSeries {
  readonly instrument: Instrument;
  readonly interval: Interval;
  /** True at the instants at which a bar of this feed closed. */
  readonly fresh: boolean;
  readonly bar: Bar;
}

export type Amount = number | string | Decimal;

/** A size with its unit: base quantity, quote amount, or a fraction of the strategy's equity (0.2 is a fifth). */
export type Size =
  | { readonly base: Amount; readonly quote?: never; readonly equity?: never }
  | { readonly quote: Amount; readonly base?: never; readonly equity?: never }
  | { readonly equity: Amount; readonly base?: never; readonly quote?: never };

/** Fractions of the strategy's equity by symbol, such as `{ BTCUSDT: '0.4' }`; negative for short, on futures only. */
export type Weights = Readonly<Record<string, Amount>>;

export interface RebalanceOptions {
  /** A position that is held and wanted stays as it is while its weight is at most this far from the wanted one. */
  readonly band?: Amount;
  /** Smaller trades are left out, in the quote asset. */
  readonly minTrade?: Amount;
}

export interface OrderOptions {
  /** The feed whose instrument is traded; the default feed if absent. */
  readonly feed?: Feed;
  /** Limit price; a market order without it. */
  readonly limit?: Amount;
  /** Price at which the position that this order opens is closed with a gain: a limit order that rests at the venue. */
  readonly takeProfit?: Amount;
  /** Several targets instead of `takeProfit`, each with its share of the position: a resting limit order each. */
  readonly targets?: readonly TargetShare[];
  /** Price at which it is closed with a loss, by a market order. */
  readonly stopLoss?: Amount;
  /** A stop that follows the best price of closed bars: its distance in price, or how it trails. */
  readonly trailing?: Amount | Trail;
  /**
   * Trigger price: the order waits at the exchange until the price reaches it, and is then a market order. Futures only. On the opposite
   * side of a position it only closes, by default all of it.
   */
  readonly trigger?: Amount;
  /**
   * A stop entry: the order is sent once the price has reached this one, above the market for a buy, below it for a sell. It is then a
   * market order, or with `limit` a limit order (stop-limit). On futures it waits at the exchange; on spot the bot watches it.
   */
  readonly stopEntry?: Amount;
  readonly reduceOnly?: boolean;
  readonly timeInForce?: TimeInForce;
  /** Names the decision slot: at most one unfinished order a slot; the default slot is the action. */
  readonly tag?: string;
}

/** One of several targets. */
export interface TargetShare {
  /** Its price. */
  readonly at: Amount;
  /**
   * The share of the entry that it closes: 0.5 is half. Rounded down to lots; if the shares sum to 1, the last target gets what rounding
   * leaves. Only the last target may leave it out: it closes the remainder.
   */
  readonly share?: Amount;
}

/** How a stop trails: one of `distance`, `percent` and `atr`, and from which price on. */
export interface Trail {
  /** Distance in price. */
  readonly distance?: Amount;
  /** Distance in percent of the best price, above 0 and below 100, to four decimals. */
  readonly percent?: Amount;
  /** Distance in multiples of a series, such as an ATR: its value when the order is placed. */
  readonly atr?: Series;
  /** How many times `atr`; 1 by default. */
  readonly times?: Amount;
  /** The stop trails once the best price of closed bars has reached this price; without it, from the entry on. */
  readonly from?: Amount;
}

/** What `amend` changes. What is absent stays as it is. */
export interface Amendment {
  /** Limit price of a limit order that works. */
  readonly limit?: Amount;
  /** What the order has still to fill, in base. */
  readonly size?: Amount;
  /**
   * Price of the stop of what the order has bought, or will buy; it keeps its trailing distance. Of a trigger order that stops a loss: its
   * trigger price.
   */
  readonly stop?: Amount;
  /**
   * Price of the take-profit of what the order has still to fill. It replaces several targets by one. Of a trigger order that takes the
   * profit: its trigger price.
   */
  readonly target?: Amount;
  /** Several targets instead, for what the order has still to fill. */
  readonly targets?: readonly TargetShare[];
}

export interface Position {
  /** Base quantity held by this strategy, negative when short. */
  readonly qty: Decimal;
  /** Average entry price; NaN while flat. */
  readonly entryPrice: number;
  /** Also true when only dust below the smallest order quantity is held. */
  readonly isFlat: boolean;
  readonly isLong: boolean;
  readonly isShort: boolean;
  /** Quantities held long and short, both at least 0. With `positions: twoWay` both may be above 0. */
  readonly long: Decimal;
  readonly short: Decimal;
  /** When it was opened, ms UTC: its first fill since it was flat. NaN while flat, and for coins that were deposited. */
  readonly openedMs: number;
  /** The time since then, ms. NaN where `openedMs` is. */
  readonly ageMs: number;
  /**
   * The profit, without fees, that closing it at the newest price (the mark price of a contract) would make: exact, in the asset in which
   * the account counts money. Zero while flat.
   */
  readonly unrealisedProfit: Decimal;
}

/**
 * An external series, such as open interest, as known by now: of the values known, that of the latest time, in its newest revision. A value
 * that becomes known at this very instant counts. As a source of indicators it is, at each bar of its feed, what was known when the bar
 * closed; `prev` and `ago` read it at earlier bars.
 */
export interface KnownSeries extends Series {
  /** The time that the value is of, ms UTC; NaN while none is known. */
  readonly timeMs: number;
  /** Since when it is known, ms UTC; NaN while none is. */
  readonly knownMs: number;
  /** Now less `timeMs`, ms; NaN while none is known. */
  readonly ageMs: number;
}

/** Funding of a contract, as known by now. */
export interface Funding {
  /**
   * The newest rate charged, a fraction of a position's value: longs pay a positive one. NaN before the first, and if a live bot did not
   * see it.
   */
  readonly rate: number;
  /** When that was, ms UTC; NaN before the first. */
  readonly atMs: number;
  /** The rate `times` funding times earlier; NaN if unknown. */
  ago(times: number): number;
  /** When the next one is due, by the interval of the last two, ms UTC; the current instant if it is due now. NaN before the second. */
  readonly nextMs: number;
}

export interface OrderInfo {
  readonly id: OrderId;
  readonly side: Side;
  readonly qty: Decimal;
  readonly filled: Decimal;
  readonly lifecycle: Lifecycle;
  /** The given tag, or the name of its action; for a bracket leg its role: takeProfit, stopLoss or trailing. */
  readonly tag: string;
  /** Limit price; NaN for a market order. */
  readonly limit: number;
  /** The trigger price; NaN for an order without one. */
  readonly trigger: number;
  /** The entry that this order closes if it is a leg of its bracket; null for the strategy's own order. */
  readonly entry: OrderId | null;
  /**
   * The stable code of a denial by risk or a refusal by the venue; `CAPPED` for a market buy that rested as a limit order; null otherwise.
   */
  readonly code: string | null;
  /** The same as `this.amend(order.id, change)`. */
  amend(change: Amendment): OrderId | null;
}

export interface FillInfo {
  readonly orderId: OrderId;
  readonly side: Side;
  readonly price: number;
  readonly qty: Decimal;
  /** In `feeAsset`. */
  readonly fee: Decimal;
  readonly feeAsset: string;
  readonly timeMs: TimeMs;
}
