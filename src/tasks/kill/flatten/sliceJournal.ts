// Journals the slices of a kill. The kill itself approves them; like every order, each is durable before it is sent.

import type { FileJournal } from '../../../adapters/journal/fileJournal.ts';
import { toScaled } from '../../../base/number/decimal.ts';
import { InvariantError } from '../../../base/errors.ts';
import type { OrderId, VenueOrderId } from '../../../model/order.ts';
import type { Lots, Ticks } from '../../../base/brand.ts';
import { STATE } from '../../../orders/lifecycle.ts';
import { BotOrder } from '../../../orders/botOrder.ts';
import type { JournalBooks } from '../evidence/journalBooks.ts';
import type { SentSlice } from '../evidence/recordedTerms.ts';
import type { SliceOrder } from './flatten.ts';

/** The journal of slices. */
export interface SliceJournal {
  /** Resolves with the client order id once the slice is durable. Rejects if it never will be: then it must not be sent. */
  intend(slice: SliceOrder): Promise<string>;
  writeAck(cid: string, venueId: string): void;
  writeRefusal(cid: string, code: string): void;
  writeNotSent(cid: string): void;
  /** Notes that no reply came. The current time becomes the latest time of signing. */
  writeUnknown(cid: string): void;
}

/**
 * Distance of the order numbers of slices from the newest order that is known. Orders that the engine still drafts, and those that an older copy
 * of the journal lacks, have other numbers than a slice.
 */
export const SLICE_GAP = 1_000_000;

/** The bot's journal, and the names of its orders. */
export interface SliceJournalDeps {
  readonly journal: Pick<FileJournal, 'submitted' | 'ack' | 'refused' | 'state'>;
  /** Returns the next unused order number. */
  nextId(): OrderId;
  clientOrderIdOf(id: OrderId): string;
  /** Resolves when record `seq` is durable; rejects if it never will be. */
  waitUntilDurable(seq: number): Promise<void>;
  /** Returns the index of an instrument in the run; -1: not in the run. */
  indexOf(slice: SliceOrder): number;
  nowMs(): number;
  /** Notified of each slice before it is sent, and of its outcome. */
  readonly books: Pick<JournalBooks, 'addSlice' | 'endSlice' | 'setVenueId'>;
  /** Returns the latest timestamp of a slice that is signed now, and the latest time at which the exchange may admit it; venue ms. */
  window(slice: SliceOrder): { readonly signMs: number; readonly latestMs: number };
}

/** Returns a journal of slices. It has no fills or ends: the recovery of the next start reads those from the exchange. */
export function sliceJournal(deps: SliceJournalDeps): SliceJournal {
  const orderByCid = new Map<string, BotOrder>();
  const sliceByCid = new Map<string, SentSlice>();
  const orderOf = (cid: string): BotOrder => {
    const order = orderByCid.get(cid);
    if (!order) throw new InvariantError(`no slice ${cid}`);
    return order;
  };
  return {
    async intend(slice) {
      const order = orderOfSlice(slice, deps);
      const cid = deps.clientOrderIdOf(order.id);
      orderByCid.set(cid, order);
      const { instrument, strategy, side, qty, price } = slice;
      const seq = deps.journal.submitted(order);
      const sentSlice: SentSlice = { cid, strategy, instrument, side, qty, price, ...deps.window(slice) };
      sliceByCid.set(cid, sentSlice);
      deps.books.addSlice(sentSlice);
      await deps.waitUntilDurable(seq);
      return cid;
    },
    writeAck(cid, venueId) {
      const order = orderOf(cid);
      deps.books.setVenueId(cid, venueId);
      order.venueId = venueId as VenueOrderId;
      order.state = STATE.working;
      deps.journal.ack(order);
    },
    writeRefusal(cid, code) {
      deps.books.endSlice(cid);
      deps.journal.refused(orderOf(cid), code);
    },
    writeUnknown(cid) {
      const slice = sliceByCid.get(cid);
      if (!slice) throw new InvariantError(`no slice ${cid}`);
      deps.books.addSlice({ ...slice, latestMs: deps.window(slice).latestMs });
    },
    writeNotSent(cid) {
      const order = orderOf(cid);
      deps.books.endSlice(cid);
      order.state = STATE.done;
      order.reason = 'notSent';
      order.confirmed = true;
      deps.journal.state(order);
    },
  };
}

/** Returns a slice as an order of the bot. */
function orderOfSlice(slice: SliceOrder, deps: SliceJournalDeps): BotOrder {
  const { instrument, strategy, side, qty, price } = slice;
  const lots = toScaled(qty, instrument.quantityDigits);
  const limit = toScaled(price, instrument.priceDigits);
  if (lots === null || limit === null) throw new InvariantError(`slice ${qty} at ${price} has more decimals than ${instrument.id} allows`);
  const order = new BotOrder();
  order.begin(deps.nextId(), strategy, instrument, deps.indexOf(slice), side, deps.nowMs());
  order.role = 'limit';
  order.lots = lots as Lots;
  order.limit = limit as Ticks;
  order.reduceOnly = true;
  order.slot = `kill ${instrument.id}`;
  order.state = STATE.sent;
  return order;
}
