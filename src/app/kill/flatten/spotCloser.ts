// Closes what the bot holds of a coin: never more than its own books, the trades that were read since, and the free balance all agree on.

import { Decimal } from '../../../base/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { ownOrder, type SpotFill } from '../../../protocol/shapes/spot.ts';
import type { Closable, Closer, SliceFate, SliceOrder } from './flatten.ts';
import { cancelOpen, readOpen } from '../cancel/openOrders.ts';
import { settled } from './settle.ts';
import { fateOf, foundAfterAll, type Look } from './sliceFate.ts';
import type { SliceJournal } from './sliceJournal.ts';
import type { KillVenue } from '../venue.ts';

const MOST_ROWS = 1000;

export interface SpotHolding {
  readonly instrument: Instrument;
  /** What the books hold, coins as a plain decimal. */
  readonly qty: string;
  /** Ids of the trades that are in them; closers of one instrument share the set, and add to it. */
  readonly booked: Set<string>;
}

export class SpotCloser implements Closer {
  readonly #instrument: Instrument;
  readonly #journal: SliceJournal;
  readonly #booked: Set<string>;
  #held: Decimal;

  constructor({ instrument, qty, booked }: SpotHolding, journal: SliceJournal) {
    this.#instrument = instrument;
    this.#journal = journal;
    this.#booked = booked;
    this.#held = new Decimal(qty);
  }

  async closable(venue: KillVenue): Promise<Closable | null> {
    const trades = await this.#newTrades(venue);
    // A sale that no book explains may have been ours; a purchase may not.
    const sold = trades.filter(({ isBuyer }) => !isBuyer).reduce((sum, { quantity }) => sum.plus(quantity), new Decimal(0));
    const { rows } = await venue.read('spot.account', {});
    const free = rows.find(({ asset }) => asset === this.#instrument.base)?.free ?? '0';
    return { side: 'sell', qty: Decimal.max(0, Decimal.min(this.#held.minus(sold), free)) };
  }

  readBook(venue: KillVenue): ReturnType<Closer['readBook']> {
    return venue.read('spot.depth', { symbol: this.#instrument.wireName, limit: 100 });
  }

  async place(venue: KillVenue, slice: SliceOrder): Promise<SliceFate> {
    const symbol = this.#instrument.wireName;
    const cid = await this.#journal.intend(slice);
    const outcome = await venue.once('spot.newOrder', {
      symbol,
      side: 'SELL',
      type: 'LIMIT',
      volume: slice.qty,
      price: slice.price,
      newClientOrderId: cid,
    });
    return fateOf(outcome, cid, this.#journal, {
      settle: (orderId) => this.#settle(venue, orderId),
      find: (cause) => foundAfterAll(venue, this.#instrument, cause, () => this.#look(venue, cid, slice)),
    });
  }

  /** Its trades have to add up to what its status says. */
  async #settle(venue: KillVenue, orderId: string): Promise<SliceFate> {
    const symbol = this.#instrument.wireName;
    const executed = await settled(venue, {
      async query() {
        const order = await venue.read('spot.queryOrder', { orderId, symbol });
        return order && { status: order.status.word, executedQty: order.executedQty };
      },
      cancel: () => venue.once('spot.cancelOrder', { orderId, symbol }),
    });
    for (let tries = 0; ; tries++) {
      const own = (await this.#newTrades(venue)).filter((trade) => ownOrder(trade).orderId === orderId);
      const sum = own.reduce((all, { quantity }) => all.plus(quantity), new Decimal(0));
      if (sum.equals(executed)) {
        for (const { tradeId } of own) this.#booked.add(tradeId);
        this.#held = this.#held.minus(sum);
        return { kind: 'ended', filled: sum.toFixed() };
      }
      if (tries >= 10) return { kind: 'unknown', why: `its trades add up to ${sum.toFixed()}, its status says ${executed}` };
      await venue.wait(venue.parts.settings.lookEveryMs);
    }
  }

  /** In the query by its client id, in the list of open orders, in the list of trades. */
  async #look(venue: KillVenue, cid: string, slice: SliceOrder): Promise<Look> {
    const order = await venue.read('spot.queryOrder', { newClientOrderId: cid, symbol: this.#instrument.wireName });
    if (order) return { orderId: order.orderId };
    const open = await readOpen(venue, this.#instrument);
    // Every order of ours was cancelled before: one that sells this at this price is it.
    const match = open.orders.find((seen) => seen.cid === cid || isAlike(seen, slice));
    if (match) {
      await cancelOpen(venue, this.#instrument, [match.venueId]);
      return { orderId: match.venueId };
    }
    const trade = (await this.#newTrades(venue)).find(
      ({ isBuyer, quantity }) => !isBuyer && new Decimal(quantity).lessThanOrEqualTo(slice.qty),
    );
    return trade ? { orderId: ownOrder(trade).orderId } : { isNowhere: open.complete };
  }

  async #newTrades(venue: KillVenue): Promise<readonly SpotFill[]> {
    for (;;) {
      const { rows, refused } = await venue.read('spot.myTrades', { symbol: this.#instrument.wireName, limit: MOST_ROWS });
      const isWhole = refused.length === 0 && (rows.length < MOST_ROWS || rows.some(({ tradeId }) => this.#booked.has(tradeId)));
      if (isWhole) return rows.filter(({ tradeId }) => !this.#booked.has(tradeId));
      venue.parts.tell('waiting', `${this.#instrument.id}: the list of own trades has a gap; nothing is sold before it is whole`);
      await venue.wait(venue.parts.settings.readLagMs);
    }
  }
}

function isAlike(seen: { readonly side: string; readonly price: string | null; readonly qty: string }, slice: SliceOrder): boolean {
  return (
    seen.side === slice.side &&
    seen.price !== null &&
    new Decimal(seen.price).equals(slice.price) &&
    new Decimal(seen.qty).equals(slice.qty)
  );
}
