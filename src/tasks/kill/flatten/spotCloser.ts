// Closes the bot's holding of a coin: at most the quantity that is proved to be the bot's and that the account has free.

import { spotOrderRow } from '../../../adapters/exchange/calls/venueRows.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { uncertainOrderText } from '../plan/attribution.ts';
import type { KillEvidenceReader } from '../evidence/evidenceReader.ts';
import type { Closable, Closer, SliceOutcome, SliceOrder } from './flatten.ts';
import { settleSlice } from './settleSlice.ts';
import { sliceOutcomeOf, findSlice } from './sliceOutcome.ts';
import type { SliceJournal } from './sliceJournal.ts';
import type { KillVenue } from '../plan/killVenue.ts';

const ZERO = new Decimal(0);
/** Number of price levels to read on each side of the book. */
const BOOK_LEVELS = 100;
/** Maximum number of polls for trades, which may appear later than the status that counts them. */
const MAX_POLLS = 10;

/** The holding to close. */
export interface CloserDeps {
  readonly instrument: Instrument;
  readonly strategy: number;
  readonly evidenceReader: KillEvidenceReader;
  readonly journal: SliceJournal;
}

/** Closes the holding of one strategy. */
export class SpotCloser implements Closer {
  readonly #deps: CloserDeps;

  constructor(deps: CloserDeps) {
    this.#deps = deps;
  }

  async closable(venue: KillVenue): Promise<Closable | null> {
    const { instrument, strategy, evidenceReader } = this.#deps;
    const { held, uncertain } = await evidenceReader.read(instrument);
    const ownUncertainties = uncertain.filter(({ order }) => order.strategy === strategy).map(uncertainOrderText);
    const range = held.get(strategy) ?? { low: ZERO, high: ZERO };
    const low = Decimal.max(0, range.low);
    const high = Decimal.max(0, range.high);
    if (high.isZero() && ownUncertainties.length === 0) return null;
    const { rows } = await venue.read('spot.account', {});
    // A balance can lower the quantity that is sold, never raise it.
    const { free: freeQty, locked: lockedQty } = rows.find(({ asset }) => asset === instrument.base) ?? { free: '0', locked: '0' };
    const qty = Decimal.min(low, freeQty);
    const blockedQty = Decimal.min(low.minus(qty), lockedQty);
    return { side: 'sell', qty, blockedQty, uncertainQty: high.minus(qty).minus(blockedQty), uncertainties: ownUncertainties };
  }

  readBook(venue: KillVenue): ReturnType<Closer['readBook']> {
    return venue.read('spot.depth', { symbol: this.#deps.instrument.wireName, limit: BOOK_LEVELS });
  }

  async place(venue: KillVenue, slice: SliceOrder, restMs: number): Promise<SliceOutcome> {
    const { instrument, evidenceReader, journal } = this.#deps;
    const cid = await journal.intend(slice);
    const outcome = await venue.once('spot.newOrder', {
      symbol: instrument.wireName,
      side: 'SELL',
      type: 'LIMIT',
      volume: slice.qty,
      price: slice.price,
      newClientOrderId: cid,
    });
    return sliceOutcomeOf(outcome, cid, journal, {
      settle: (orderId) => this.#settle(venue, orderId, restMs),
      isTaken: (orderId) => evidenceReader.books.isTakenId(orderId, cid),
      find: (cause) => findSlice(venue, instrument, cause, { cid, evidenceReader }),
    });
  }

  /** Settles a slice. Its trades may appear later than its status, but must not exceed it. Until they appear, nothing else is read as whole. */
  async #settle(venue: KillVenue, orderId: string, restMs: number): Promise<SliceOutcome> {
    const { instrument, evidenceReader } = this.#deps;
    const symbol = instrument.wireName;
    const calls = {
      async query() {
        const order = await venue.queryOnce('spot.queryOrder', { orderId, symbol });
        if (order === null || order === 'none') return null;
        evidenceReader.books.executions.noteExecuted(instrument.id, spotOrderRow(order));
        return { status: order.status.word, executedQty: order.executedQty };
      },
      cancel: () => venue.once('spot.cancelOrder', { orderId, symbol }),
    };
    await settleSlice(venue, calls, restMs);
    const executed = evidenceReader.books.executions.executedOf(instrument.id, orderId);
    for (let polls = 1; ; polls++) {
      const traded = await evidenceReader.readExecuted(instrument, orderId);
      if (traded.equals(executed)) return { kind: 'ended', filled: executed.toFixed() };
      if (polls >= MAX_POLLS) {
        if (traded.lessThan(executed)) return { kind: 'ended', filled: executed.toFixed() };
        return { kind: 'unknown', why: `its trades add up to ${traded.toFixed()}, its status says ${executed.toFixed()}` };
      }
      await venue.wait(venue.deps.settings.pollEveryMs);
    }
  }
}
