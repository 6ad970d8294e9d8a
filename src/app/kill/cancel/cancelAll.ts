// Steps 2 to 4 of a kill: cancels what is known, then all that the lists show until they stay empty, then once more when no order of unknown fate can appear any longer.

import type { Instrument, InstrumentId, Market } from '../../../model/instrument.ts';
import { counted } from '../../../report/html/page/format.ts';
import { EmptyTwice, ownership, type OwnOrders, type SeenOrder } from '../killPlan.ts';
import { cancelOpen, clientIdsOf, readOpen } from './openOrders.ts';
import type { KillVenue } from '../venue.ts';

/** What the bot, or its journal, knows when a kill begins. */
export interface KillOrders {
  /** Null: no journal tells which orders are ours. */
  readonly own: OwnOrders | null;
  /** Venue ids of orders that may be open. */
  readonly open: ReadonlyMap<InstrumentId, readonly string[]>;
  /** By market: the latest X-CH-TS of an order whose fate is not known, venue ms. */
  readonly unknownSignMs: Readonly<Partial<Record<Market, number>>>;
}

export const NOTHING_KNOWN: KillOrders = { own: null, open: new Map(), unknownSignMs: {} };

export interface LeftOrder {
  readonly instrument: InstrumentId;
  readonly order: SeenOrder;
  /** `unsure`: nothing tells whose it is. */
  readonly whose: 'alien' | 'unsure';
}

export interface Cancelled {
  /** Orders that were seen open, or known to be, and are no more. */
  readonly count: number;
  /** Open and left alone. */
  readonly left: readonly LeftOrder[];
}

/**
 * Resolves when every list has been empty of ours twice, a read lag apart, and no order of unknown fate can still appear. `all`: those
 * of others too. Never gives up. Throws KillStopped.
 */
export async function cancelAll(venue: KillVenue, known: KillOrders, all: boolean): Promise<Cancelled> {
  const { instruments, tell } = venue.parts;
  // On the wire at once; the lists then say whether it had its effect.
  const first = instruments.flatMap((instrument) => {
    const ids = known.open.get(instrument.id) ?? [];
    return ids.length === 0 ? [] : [cancelOpen(venue, instrument, ids)];
  });
  const gone = new Set<string>([...known.open.values()].flat());
  const drainAll = async (): Promise<readonly LeftOrder[]> => {
    const left = await Promise.all(instruments.map((instrument) => drain(venue, instrument, known.own, all, gone)));
    return left.flat();
  };
  const drained = drainAll();
  // A refused or unanswered first cancel is not an end: what is still open is seen in the lists.
  await Promise.all(first);
  let left = await drained;
  tell('cancelling', `${counted(gone.size, 'order')} cancelled; no open order of ours is left in ${counted(instruments.length, 'list')}`);
  if (await waitForUnknown(venue, known.unknownSignMs)) left = await drainAll();
  return { count: gone.size, left };
}

/** One instrument, until its list is empty of ours for good. */
async function drain(
  venue: KillVenue,
  instrument: Instrument,
  own: OwnOrders | null,
  all: boolean,
  gone: Set<string>,
): Promise<readonly LeftOrder[]> {
  const { readLagMs, lookEveryMs, cancelAgainMs } = venue.parts.settings;
  const empty = new EmptyTwice(readLagMs);
  const askedMs = new Map<string, number>();
  for (;;) {
    const beganMs = venue.nowMs;
    const { orders, complete } = await readOpen(venue, instrument);
    const named = await withClientIds(venue, instrument, orders, own);
    const judged = named.map((order) => ({ order, whose: all ? ('own' as const) : ownership(instrument.id, order, own) }));
    const ours = judged.filter(({ whose }) => whose === 'own').map(({ order }) => order.venueId);
    if (empty.saw(beganMs, complete && ours.length === 0)) {
      return judged.flatMap(({ order, whose }) => (whose === 'own' ? [] : [{ instrument: instrument.id, order, whose }]));
    }
    // A cancel is asynchronous: the order stays in the list for a while, and is not to be asked for at every look.
    const due = ours.filter((id) => beganMs - (askedMs.get(id) ?? -Infinity) >= cancelAgainMs);
    for (const id of due) {
      gone.add(id);
      askedMs.set(id, beganMs);
    }
    await cancelOpen(venue, instrument, due);
    await venue.wait(Math.max(0, empty.nextMs(venue.nowMs, lookEveryMs) - venue.nowMs));
  }
}

/** The list of futures has no client ids: where ids alone do not tell, the history does. */
async function withClientIds(
  venue: KillVenue,
  instrument: Instrument,
  orders: readonly SeenOrder[],
  own: OwnOrders | null,
): Promise<readonly SeenOrder[]> {
  if (instrument.market === 'spot' || orders.every((order) => ownership(instrument.id, order, own) === 'own')) return orders;
  const cids = await clientIdsOf(venue, instrument);
  return orders.map((order) => ({ ...order, cid: cids.get(order.venueId) ?? null }));
}

/** Returns true when there was something to wait for. */
async function waitForUnknown(venue: KillVenue, signMs: KillOrders['unknownSignMs']): Promise<boolean> {
  const { busDelayMs, recvWindowMs } = venue.parts.settings;
  let waited = false;
  for (const market of ['spot', 'futures'] as const) {
    const latestMs = signMs[market];
    if (latestMs === undefined) continue;
    waited = true;
    const untilMs = latestMs + recvWindowMs + busDelayMs;
    const { ms, uncertaintyMs } = venue.parts.serverTime(market);
    const restMs = untilMs + (Number.isFinite(uncertaintyMs) ? uncertaintyMs : 0) - ms;
    if (restMs <= 0) continue;
    venue.parts.tell(
      'waiting',
      `an order of unknown outcome may still appear on ${market}: looking again in ${Math.ceil(restMs / 1000)} s`,
    );
    await venue.wait(restMs);
  }
  return waited;
}
