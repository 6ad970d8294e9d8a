// The pure decisions of a kill: attributes orders, forms batches of cancels, proves a list empty, and computes the size of a slice.

import { mayBeRowOf } from '../../../adapters/exchange/order/matchRow.ts';
import type { OrderRow } from '../../../adapters/exchange/calls/venueRows.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument, InstrumentId } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import type { LostOrder } from './attribution.ts';

/** Maximum number of orders in one call, as in the endpoint table. */
const MAX_BATCH_SIZE = 10;

/** An open order in a list. */
export type SeenOrder = OrderRow;

/** The bot's own orders, as far as they are known. */
export interface OwnOrders {
  isOwnId(venueId: string): boolean;
  isOwnCid(cid: string): boolean;
  /** Own orders without a known venue order id. */
  lostOf(instrumentId: InstrumentId): readonly LostOrder[];
  readonly withoutVenueId: readonly LostOrder[];
}

/** The form of client order ids that bots generate. */
const BOT_ID_FORM = /^[0-9A-HJKMNP-TV-Z]{26}$/i;

/**
 * Returns whose an order is. `ownOrders`: its id or client order id is known, or it is the only one of `listedOrders` that fits exactly one
 * lost order. Without a journal (`ownOrders` null), the form of the client order id decides. `unsure`: it may be the bot's.
 */
export function attributeOrder(
  instrumentId: InstrumentId,
  order: SeenOrder,
  ownOrders: OwnOrders | null,
  listedOrders: readonly SeenOrder[] = [order],
): 'own' | 'alien' | 'unsure' {
  const { venueId, cid } = order;
  if (ownOrders === null) {
    if (cid === null) return 'unsure';
    return BOT_ID_FORM.test(cid) ? 'own' : 'alien';
  }
  if (ownOrders.isOwnId(venueId)) return 'own';
  if (cid !== null) return ownOrders.isOwnCid(cid) ? 'own' : 'alien';
  const matchingLost = ownOrders.lostOf(instrumentId).filter((candidate) => mayBeRowOf(order, candidate));
  const [firstLost] = matchingLost;
  if (firstLost === undefined) return 'alien';
  const isNameless = (other: SeenOrder): boolean => other.cid === null && !ownOrders.isOwnId(other.venueId);
  const matchingListed = listedOrders.filter((other) => isNameless(other) && mayBeRowOf(other, firstLost));
  // The exchange admits no request after its window, so a later order only looks similar.
  const isInTime = order.timeMs !== null && order.timeMs <= firstLost.latestMs;
  return matchingLost.length === 1 && matchingListed.length === 1 && isInTime ? 'own' : 'unsure';
}

/** Splits ids into batches of one call. */
export function batches(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / MAX_BATCH_SIZE) }, (_, batch) =>
    ids.slice(batch * MAX_BATCH_SIZE, (batch + 1) * MAX_BATCH_SIZE),
  );
}

/**
 * Decides when a list is proved empty: complete and empty twice, and the second read starts at least the read lag after the first. One
 * empty read of a lagging list proves nothing.
 */
export class EmptyListProof {
  readonly #readLagMs: number;
  #emptySinceMs: number | null = null;

  constructor(readLagMs: number) {
    this.#readLagMs = readLagMs;
  }

  /** Adds one read that started at `askedMs`. Returns true when the list is proved empty. */
  observe(askedMs: number, isEmpty: boolean): boolean {
    if (!isEmpty) {
      this.#emptySinceMs = null;
      return false;
    }
    if (this.#emptySinceMs !== null && askedMs - this.#emptySinceMs >= this.#readLagMs) return true;
    this.#emptySinceMs ??= askedMs;
    return false;
  }

  /** Returns the earliest start of the next read that can prove the list empty, ms. */
  nextMs(nowMs: number, pauseMs: number): number {
    return this.#emptySinceMs === null ? nowMs + pauseMs : Math.max(nowMs, this.#emptySinceMs + this.#readLagMs);
  }
}

/** One level of the order book, as the service writes it. */
export interface BookLevel {
  readonly price: string;
  readonly quantity: string;
}

/** Limits of the size and price of slices. */
export interface SliceTerms {
  /** Fraction of the visible quantity inside the collar that one slice may take. */
  readonly visibleFraction: string;
  /** Largest distance of a slice from the best price, by step, as fractions. The last one is repeated. */
  readonly collars: readonly string[];
}

/** The terms of a kill that does not set its own. */
export const SLICE_TERMS: SliceTerms = { visibleFraction: '0.25', collars: ['0.002', '0.005', '0.01', '0.02', '0.03'] };

/** Size and price of a slice. */
export interface FlattenSlice {
  readonly qty: string;
  /** Limit price. */
  readonly price: string;
}

/** What the next slice depends on. */
export interface SliceRequest {
  readonly side: Side;
  /** What is left to close. */
  readonly max: Decimal;
  /** The levels to sell into or buy from, best first. */
  readonly levels: readonly BookLevel[];
  /** Number of times that the collar was widened. */
  readonly collarStep: number;
}

/**
 * Returns the next slice: at most `max`, and at most a part of the visible quantity inside the collar of this step. The quantity is rounded down to
 * whole lots, the price to whole ticks toward the better price. Null: nothing can be sent, because the book is empty or the remainder is smaller
 * than the smallest order (`isDust`).
 */
export function nextSlice(
  instrument: Instrument,
  { side, max, levels, collarStep }: SliceRequest,
  terms: SliceTerms = SLICE_TERMS,
): FlattenSlice | null {
  const best = levels[0];
  if (!best || isDust(instrument, max)) return null;
  const collar = new Decimal(terms.collars[Math.min(collarStep, terms.collars.length - 1)] ?? '0');
  const limit = new Decimal(best.price).times(side === 'sell' ? new Decimal(1).minus(collar) : new Decimal(1).plus(collar));
  const price = limit.toDecimalPlaces(instrument.priceDigits, side === 'sell' ? Decimal.ROUND_UP : Decimal.ROUND_DOWN);
  const visible = levels
    .filter((level) => (side === 'sell' ? price.lessThanOrEqualTo(level.price) : price.greaterThanOrEqualTo(level.price)))
    .reduce((sum, { quantity }) => sum.plus(quantity), new Decimal(0));
  const visiblePart = wholeLots(instrument, visible.times(terms.visibleFraction));
  const minQty = minOrder(instrument);
  const size = Decimal.min(max, Decimal.max(visiblePart, minQty));
  const remainder = max.minus(size);
  // A remainder below the smallest order joins the last slice. No slice is larger than the position.
  const closesAll = remainder.greaterThan(0) && remainder.lessThan(minQty);
  const qty = wholeLots(instrument, closesAll ? max : size);
  return { qty: qty.toFixed(), price: price.toFixed() };
}

/** True for a quantity below the smallest order. It cannot be closed and is reported. */
export function isDust(instrument: Instrument, qty: Decimal): boolean {
  return wholeLots(instrument, qty).lessThan(minOrder(instrument));
}

/** Returns the quantity of the smallest order. */
function minOrder({ minLots, quantityDigits }: Instrument): Decimal {
  return new Decimal(Math.max(1, minLots)).times(Decimal.pow(10, -quantityDigits));
}

/** Rounds a quantity down to whole lots. */
function wholeLots({ quantityDigits }: Instrument, qty: Decimal): Decimal {
  return qty.toDecimalPlaces(quantityDigits, Decimal.ROUND_DOWN);
}
