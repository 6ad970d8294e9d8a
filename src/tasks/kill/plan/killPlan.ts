// What a kill decides, without any waiting or asking: which orders are ours, in what portions they are cancelled, when a list has been empty for long enough, and how large a slice of a position may be.

import { couldBe } from '../../../adapters/exchange/order/match.ts';
import type { OrderRow } from '../../../adapters/exchange/calls/rows.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument, InstrumentId } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import type { LostOrder } from './attribution.ts';

/** Of one call, as the endpoint table has it. */
const MAX_IN_A_BATCH = 10;

/** An open order as a list shows it. */
export type SeenOrder = OrderRow;

/** What is known of the bot's own orders. */
export interface OwnOrders {
  isOwnId(venueId: string): boolean;
  isOwnCid(cid: string): boolean;
  /** Those whose id at the exchange is not known. */
  lostOf(instrument: InstrumentId): readonly LostOrder[];
  readonly withoutVenueId: readonly LostOrder[];
}

const OUR_FORM = /^[0-9A-HJKMNP-TV-Z]{26}$/i;

/**
 * `own`: its id or client id is known, or it is the one order in the list `among` that can be a certain lost order. Where no journal tells
 * (`own` null), the form of the client id alone does. `unsure`: it may be ours.
 */
export function attributeOrder(
  instrument: InstrumentId,
  order: SeenOrder,
  own: OwnOrders | null,
  among: readonly SeenOrder[] = [order],
): 'own' | 'alien' | 'unsure' {
  const { venueId, cid } = order;
  if (own === null) return cid === null ? 'unsure' : OUR_FORM.test(cid) ? 'own' : 'alien';
  if (own.isOwnId(venueId)) return 'own';
  if (cid !== null) return own.isOwnCid(cid) ? 'own' : 'alien';
  const lost = own.lostOf(instrument).filter((each) => couldBe(order, each));
  const [only] = lost;
  if (only === undefined) return 'alien';
  const rivals = among.filter((each) => each.cid === null && !own.isOwnId(each.venueId) && couldBe(each, only));
  // The exchange admits no request after its window: what is later only looks like it.
  const isInTime = order.timeMs !== null && order.timeMs <= only.latestMs;
  return lost.length === 1 && rivals.length === 1 && isInTime ? 'own' : 'unsure';
}

/** Ids in the portions of a batch call. */
export function batches(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / MAX_IN_A_BATCH) }, (_, at) =>
    ids.slice(at * MAX_IN_A_BATCH, (at + 1) * MAX_IN_A_BATCH),
  );
}

/**
 * Says when a list is empty for good: complete and empty twice, the second time asked for at least the read lag after the first was. Of a
 * list that may lag behind, one empty reading proves nothing.
 */
export class EmptyListProof {
  readonly #readLagMs: number;
  #emptySinceMs: number | null = null;

  constructor(readLagMs: number) {
    this.#readLagMs = readLagMs;
  }

  /** One reading, asked for at `askedMs`. True: it is proved. */
  observe(askedMs: number, isEmpty: boolean): boolean {
    if (!isEmpty) {
      this.#emptySinceMs = null;
      return false;
    }
    if (this.#emptySinceMs !== null && askedMs - this.#emptySinceMs >= this.#readLagMs) return true;
    this.#emptySinceMs ??= askedMs;
    return false;
  }

  /** When the reading that could prove it may be asked for. */
  nextMs(nowMs: number, pauseMs: number): number {
    return this.#emptySinceMs === null ? nowMs + pauseMs : Math.max(nowMs, this.#emptySinceMs + this.#readLagMs);
  }
}

/** One level of a book: price and quantity as the service writes them. */
export interface BookLevel {
  readonly price: string;
  readonly quantity: string;
}

export interface SliceTerms {
  /** Fraction of the visible quantity inside the collar that one slice may take. */
  readonly part: string;
  /** How far beyond the best price a slice may reach, step by step: fractions. The last one stays. */
  readonly collars: readonly string[];
}

export const SLICE_TERMS: SliceTerms = { part: '0.25', collars: ['0.002', '0.005', '0.01', '0.02', '0.03'] };

export interface FlattenSlice {
  readonly qty: string;
  /** Limit price. */
  readonly price: string;
}

/**
 * The next piece of a position that is sold into (or bought from) `levels`, best first: at most `most`, at most a part of what is visible
 * inside the collar of this step, in whole lots rounded down, at a whole tick rounded toward the better price. Null: nothing can be
 * sent, because the book is empty, or what is left is less than the smallest order (`isDust`).
 */
export function nextSlice(
  instrument: Instrument,
  side: Side,
  max: Decimal,
  levels: readonly BookLevel[],
  step: number,
  terms: SliceTerms = SLICE_TERMS,
): FlattenSlice | null {
  const best = levels[0];
  if (!best || isDust(instrument, max)) return null;
  const collar = new Decimal(terms.collars[Math.min(step, terms.collars.length - 1)] ?? '0');
  const far = new Decimal(best.price).times(side === 'sell' ? new Decimal(1).minus(collar) : new Decimal(1).plus(collar));
  const price = far.toDecimalPlaces(instrument.priceDigits, side === 'sell' ? Decimal.ROUND_UP : Decimal.ROUND_DOWN);
  const visible = levels
    .filter((level) => (side === 'sell' ? price.lessThanOrEqualTo(level.price) : price.greaterThanOrEqualTo(level.price)))
    .reduce((sum, { quantity }) => sum.plus(quantity), new Decimal(0));
  const part = wholeLots(instrument, visible.times(terms.part));
  const min = smallest(instrument);
  // A rest too small for an order of its own goes with the last slice; nothing larger than the position ever leaves.
  const wanted = Decimal.min(max, Decimal.max(part, min));
  const rest = max.minus(wanted);
  const qty = wholeLots(instrument, rest.greaterThan(0) && rest.lessThan(min) ? max : wanted);
  return { qty: qty.toFixed(), price: price.toFixed() };
}

/** Less than the smallest order: it cannot be closed, and is reported. */
export function isDust(instrument: Instrument, qty: Decimal): boolean {
  return wholeLots(instrument, qty).lessThan(smallest(instrument));
}

function smallest({ minLots, quantityDigits }: Instrument): Decimal {
  return new Decimal(Math.max(1, minLots)).times(Decimal.pow(10, -quantityDigits));
}

function wholeLots({ quantityDigits }: Instrument, qty: Decimal): Decimal {
  return qty.toDecimalPlaces(quantityDigits, Decimal.ROUND_DOWN);
}
