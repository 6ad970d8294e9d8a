// Closes a side of a contract's position: by CLOSE orders of at most what the exchange says can be closed, so that none can turn it over.

import { Decimal } from '../../../base/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import type { Closable, Closer, Position, SliceFate, SliceOrder } from './flatten.ts';
import { cancelOpen, clientIdsOf, readOpen } from '../cancel/openOrders.ts';
import { settled } from './settle.ts';
import { fateOf, foundAfterAll, type Look } from './sliceFate.ts';
import type { SliceJournal } from './sliceJournal.ts';
import type { KillVenue } from '../venue.ts';

export class FuturesCloser implements Closer {
  readonly #instrument: Instrument;
  /** Of the position: `buy` is long. */
  readonly #positionSide: Side;
  readonly #journal: SliceJournal;
  /** 1 cross, 2 isolated: as the position has it. */
  #positionType: 1 | 2 = 1;

  constructor(instrument: Instrument, positionSide: Side, journal: SliceJournal) {
    this.#instrument = instrument;
    this.#positionSide = positionSide;
    this.#journal = journal;
  }

  async closable(venue: KillVenue): Promise<Closable | null> {
    const { rows } = await venue.read('futures.positions', { contractName: this.#instrument.wireName });
    const found = rows.find(
      ({ positionSide, positionVolume }) => positionSide === this.#positionSide && new Decimal(positionVolume).greaterThan(0),
    );
    if (!found) return null;
    this.#positionType = found.positionType === 2 ? 2 : 1;
    const side = this.#positionSide === 'buy' ? 'sell' : 'buy';
    return { side, qty: Decimal.min(found.positionVolume, found.canCloseVolume) };
  }

  readBook(venue: KillVenue): ReturnType<Closer['readBook']> {
    return venue.read('futures.depth', { contractName: this.#instrument.wireName, limit: 100 });
  }

  async place(venue: KillVenue, slice: SliceOrder): Promise<SliceFate> {
    const contractName = this.#instrument.wireName;
    const cid = await this.#journal.intend(slice);
    const outcome = await venue.once('futures.createOrder', {
      contractName,
      volume: slice.qty,
      price: slice.price,
      type: 'LIMIT',
      side: slice.side === 'sell' ? 'SELL' : 'BUY',
      open: 'CLOSE',
      positionType: this.#positionType,
      clientOrderId: cid,
      timeInForce: 'IOC',
    });
    return fateOf(outcome, cid, this.#journal, {
      settle: (orderId) => this.#settle(venue, orderId),
      find: (cause) => foundAfterAll(venue, this.#instrument, cause, () => this.#look(venue, cid)),
    });
  }

  async #settle(venue: KillVenue, orderId: string): Promise<SliceFate> {
    const contractName = this.#instrument.wireName;
    const filled = await settled(venue, {
      async query() {
        const order = await venue.read('futures.orderInformation', { contractName, orderId });
        return order && { status: order.status.word, executedQty: order.executedQty };
      },
      cancel: () => venue.once('futures.cancelOrder', { contractName, orderId }),
    });
    return { kind: 'ended', filled };
  }

  /** The history has client ids; whatever of it was executed is out of the position by the time of the next reading. */
  async #look(venue: KillVenue, cid: string): Promise<Look> {
    const found = [...(await clientIdsOf(venue, this.#instrument))].find(([, id]) => id.toUpperCase() === cid);
    if (found) return { orderId: found[0] };
    const { orders, complete } = await readOpen(venue, this.#instrument);
    // Ours were cancelled before; what reduces this position now can only be this one.
    const reducing = orders.filter(({ side }) => side !== this.#positionSide).map(({ venueId }) => venueId);
    await cancelOpen(venue, this.#instrument, reducing);
    return { isNowhere: complete && reducing.length === 0 };
  }
}

/** Both sides of every contract that has a position. Throws KillStopped. */
export async function futuresPositions(
  venue: KillVenue,
  strategyOf: (instrument: Instrument) => number,
  journal: SliceJournal,
): Promise<readonly Position[]> {
  const contracts = venue.parts.instruments.filter(({ market }) => market === 'futures');
  const found = await Promise.all(
    contracts.map(async (instrument) => {
      const { rows } = await venue.read('futures.positions', { contractName: instrument.wireName });
      const open = rows.filter(({ positionVolume }) => new Decimal(positionVolume).greaterThan(0));
      return open.map(({ positionSide }) => ({
        instrument,
        strategy: strategyOf(instrument),
        closer: new FuturesCloser(instrument, positionSide, journal),
      }));
    }),
  );
  return found.flat();
}
