// Attributes orders of the exchange to lost orders when no id identifies them, and computes the bounds of a position meanwhile. Pure functions.

import { mayBeRowOf, EARLY_MS, type UnidentifiedOrder } from '../../../adapters/exchange/order/matchRow.ts';
import type { OrderRow } from '../../../adapters/exchange/calls/venueRows.ts';
import { Decimal, fromScaled } from '../../../base/number/decimal.ts';
import { sizeText } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';

/** An own order that was sent or may have been sent, and whose venue order id is unknown. */
export interface LostOrder extends UnidentifiedOrder {
  readonly cid: string;
  readonly strategy: number;
  /** The quote amount of a market buy without a quantity; null for all others. */
  readonly amount: string | null;
  /** The latest time at which the exchange can have admitted the order, venue ms. */
  readonly latestMs: number;
  /** True when the order was refused or proven absent, or waits for its trigger. It is uncertain only if a listed order fits it. */
  readonly hasNoEffect: boolean;
  /** Trigger price, ticks; 0 or absent: not a trigger order. */
  readonly triggerTicks?: number;
}

/** An order of the account that no id identifies, with the change by its trades. */
export interface UnnamedOrder {
  readonly venueId: string;
  /** Null: the exchange reports nothing about the order itself. */
  readonly row: OrderRow | null;
  readonly side: Side;
  /** Executed quantity according to its trades. */
  readonly qty: Decimal;
  /** Lowest and highest price of its trades; null: no trades. */
  readonly prices: readonly [low: Decimal, high: Decimal] | null;
  /** Time of its first trade or of the order itself, venue ms; NaN: unknown. */
  readonly timeMs: number;
  /** Change of the position by its trades that are not booked. */
  readonly effect: Decimal;
}

/** How complete the lists are, and so what a missing row proves. */
export interface ListCoverage {
  /** True when no row of any list can be missing. */
  readonly isComplete: boolean;
  /** True when an order that the lists do not have can no longer appear. */
  readonly isBeyondHorizon: (order: LostOrder) => boolean;
}

/** A lost order whose outcome remains uncertain. */
export interface UncertainOrder {
  readonly order: LostOrder;
  /** Orders of the exchange that may be this one. */
  readonly fits: readonly UnnamedOrder[];
  /** True when the order may have an effect that no list shows. */
  readonly isUnseen: boolean;
}

/** The result of an attribution. */
export interface Attribution {
  /** The certain attributions: venue order ids by client order id. */
  readonly found: ReadonlyMap<string, string>;
  readonly uncertain: readonly UncertainOrder[];
}

/**
 * Attributes lost orders to orders of the exchange. Side, type, original quantity and time must agree, and exactly one of each must fit the
 * other, in complete lists in which no order can still appear. A lost order without a fitting one then had no effect. All other lost orders
 * remain uncertain.
 */
export function attribute(
  lost: readonly LostOrder[],
  unnamed: readonly UnnamedOrder[],
  { isComplete, isBeyondHorizon }: ListCoverage,
): Attribution {
  const fitsByOrder = new Map(lost.map((order) => [order, unnamed.filter((candidate) => mayBeLostOrder(candidate, order))]));
  const found = new Map<string, string>();
  const uncertain: UncertainOrder[] = [];
  for (const [order, fits] of fitsByOrder) {
    const [firstFit] = fits;
    const areListsConclusive = isComplete && isBeyondHorizon(order);
    const isOnlyFit = firstFit !== undefined && fits.length === 1 && isCertainlyLostOrder(firstFit, order);
    const fitsOnlyThis = firstFit !== undefined && lost.filter((other) => fitsByOrder.get(other)!.includes(firstFit)).length === 1;
    if (areListsConclusive && isOnlyFit && fitsOnlyThis) {
      found.set(order.cid, firstFit.venueId);
      continue;
    }
    const isUnseen = !areListsConclusive && !order.hasNoEffect;
    if (fits.length > 0 || isUnseen) uncertain.push({ order, fits, isUnseen });
  }
  return { found, uncertain };
}

/** True when no known term of an order contradicts that it is the lost one. */
function mayBeLostOrder({ row, side, qty, prices, timeMs }: UnnamedOrder, order: LostOrder): boolean {
  const { request, signMs } = order;
  const isBeyondLimit = (): boolean => {
    if (request.limit === 0 || prices === null) return false;
    const limit = fromScaled(request.limit, request.instrument.priceDigits);
    return side === 'buy' ? prices[1].greaterThan(limit) : prices[0].lessThan(limit);
  };
  if (row !== null) return mayBeRowOf(row, order) && !isBeyondLimit();
  if (side !== request.side || timeMs < signMs - EARLY_MS || isBeyondLimit()) return false;
  return request.lots === 0 || qty.lessThanOrEqualTo(originalQty(order));
}

/** True when every identifying term of both orders is known and equal. */
function isCertainlyLostOrder({ row }: UnnamedOrder, { request, amount, latestMs }: LostOrder): boolean {
  if (row === null || row.timeMs === null || row.timeMs > latestMs || row.isMarket === null) return false;
  if (amount !== null) return new Decimal(row.qty).equals(amount);
  return request.lots > 0 && (row.price !== null || row.isMarket);
}

/** Returns the original quantity of an order as decimal text. The order must have a quantity. */
export const originalQty = ({ request: { lots, instrument } }: Pick<LostOrder, 'request'>): string =>
  fromScaled(lots, instrument.quantityDigits);

/** Bounds of a quantity. */
export interface Range {
  readonly low: Decimal;
  readonly high: Decimal;
}

/** Maximum number of combinations that are tried. Beyond it, the bounds are wider than necessary. */
const MAX_COMBINATIONS = 10_000;

/**
 * Returns the smallest and the largest change of a position by the uncertain orders, over every assignment of exchange orders to lost orders.
 * Each exchange order is assigned at most once.
 */
export function boundsOf(uncertain: readonly UncertainOrder[]): Range {
  const combinations = uncertain.reduce((product, { fits }) => product * (fits.length + 2), 1);
  if (combinations > MAX_COMBINATIONS) return { low: wideSum(uncertain, 'low'), high: wideSum(uncertain, 'high') };
  return { low: extremeOf(uncertain, 'low'), high: extremeOf(uncertain, 'high') };
}

const ZERO = new Decimal(0);

/** Returns the value that makes a bound wider. */
const widerBound = (bound: 'low' | 'high', a: Decimal, b: Decimal): Decimal => (bound === 'low' ? Decimal.min(a, b) : Decimal.max(a, b));

/** Returns the bound over all assignments of the uncertain orders from `index` on. `usedIds`: exchange orders that are already assigned. */
function extremeOf(
  uncertain: readonly UncertainOrder[],
  bound: 'low' | 'high',
  index = 0,
  usedIds: ReadonlySet<string> = new Set(),
): Decimal {
  const uncertainOrder = uncertain[index];
  if (uncertainOrder === undefined) return ZERO;
  // Either the order had no effect or one that no list shows, or it is one of the exchange's orders.
  const withoutFit = widerBound(bound, ZERO, unseenEffect(uncertainOrder));
  let extreme = withoutFit.plus(extremeOf(uncertain, bound, index + 1, usedIds));
  for (const { venueId, effect } of uncertainOrder.fits) {
    if (usedIds.has(venueId)) continue;
    const withFit = effect.plus(extremeOf(uncertain, bound, index + 1, new Set([...usedIds, venueId])));
    extreme = widerBound(bound, extreme, withFit);
  }
  return extreme;
}

/** Returns a bound that counts every possible order of the bot if it makes the bound wider. */
function wideSum(uncertain: readonly UncertainOrder[], bound: 'low' | 'high'): Decimal {
  const effects = new Map(uncertain.flatMap(({ fits }) => fits.map(({ venueId, effect }) => [venueId, effect] as const)));
  const unseen = uncertain.map((uncertainOrder) => unseenEffect(uncertainOrder));
  return [...effects.values(), ...unseen].reduce((sum, effect) => sum.plus(widerBound(bound, ZERO, effect)), ZERO);
}

/** Returns the largest possible effect of an order that no list shows. */
function unseenEffect({ order, isUnseen }: UncertainOrder): Decimal {
  if (!isUnseen) return ZERO;
  const qty = new Decimal(originalQty(order));
  return order.request.side === 'buy' ? qty : qty.negated();
}

/** Returns a sentence about an uncertain order. */
export function uncertainOrderText({ order, fits, isUnseen }: UncertainOrder): string {
  const { instrument, side } = order.request;
  const size = order.amount === null ? sizeText(originalQty(order), instrument) : `${order.amount} ${instrument.quote} worth`;
  const ids = fits.map(({ venueId }) => venueId).join(', ');
  const reasons: string[] = [];
  if (fits.length === 1) reasons.push(`the exchange has order ${ids}, which may be it`);
  if (fits.length > 1) reasons.push(`the exchange has orders ${ids}; one of them may be it`);
  if (isUnseen) reasons.push('the lists of the exchange prove nothing yet');
  return `${instrument.id}: the outcome of order ${order.cid} (${side} ${size}) is unknown: ${reasons.join('; ')}`;
}
