// Steps 2 to 4 of a kill: cancels the known orders, then all own orders in the lists until they stay empty, then again once no order of
// unknown outcome can still appear.

import type { Instrument, InstrumentId } from '../../../model/instrument.ts';
import { spotOrderRow } from '../../../adapters/exchange/calls/venueRows.ts';
import { counted } from '../../../base/text/format.ts';
import { EmptyListProof, attributeOrder, type OwnOrders, type SeenOrder } from '../plan/killPlan.ts';
import { cancelOrders, clientIdsOf, readOpenOrders } from './openOrders.ts';
import { drainTriggers, type LeftTrigger } from './drainTriggers.ts';
import { KillGaveUp, type KillVenue } from '../plan/killVenue.ts';
import type { KillOrders } from './killOrders.ts';

/** An open order that a kill does not cancel. */
export interface LeftOrder {
  readonly instrument: InstrumentId;
  readonly order: SeenOrder;
  /** `unsure`: no evidence shows whose order it is. */
  readonly attribution: 'alien' | 'unsure';
}

/** The result of the cancels. */
export interface CancelResult {
  /** Number of own orders that were open and have ended. */
  readonly count: number;
  /** Open orders that were not cancelled. */
  readonly left: readonly LeftOrder[];
  /** Number of trigger orders that would have opened a position and were cancelled. */
  readonly triggers: number;
  /** Trigger orders that were not cancelled, because no evidence shows that they are the bot's. */
  readonly leftTriggers: readonly LeftTrigger[];
  /** Instruments that could not be completed in time, and why. The other members do not count them. */
  readonly stuck: ReadonlyMap<InstrumentId, string>;
}

/** The orders that stay open although their lists were read to the end. */
type LeftOpen = Pick<CancelResult, 'left' | 'leftTriggers'>;

/**
 * Cancels until every list has shown no own order twice, a read lag apart, and no order of unknown outcome can still appear. With
 * `includesForeign` it cancels foreign orders too. Throws KillStopped if the kill is aborted.
 */
export async function cancelAll(
  venue: KillVenue,
  orders: KillOrders,
  includesForeign: boolean,
  instruments: readonly Instrument[] = venue.deps.instruments,
): Promise<CancelResult> {
  const { onPhase } = venue.deps;
  const endedOrders = new Map(instruments.map(({ id }) => [id, new Set<string>()]));
  // Send these cancels at once. The lists then show whether they took effect. An order that has ended before, by an earlier kill, does not count.
  const firstCancels = instruments.map(async (instrument) => {
    const openIds = [...(orders.open.get(instrument.id) ?? [])];
    const refusedIds = new Set(openIds.length === 0 ? [] : await cancelOrders(venue, instrument, openIds));
    for (const id of openIds) if (!refusedIds.has(id)) endedOrders.get(instrument.id)!.add(id);
  });
  const endedTriggers = new Map(instruments.map(({ id }) => [id, new Set<string>()]));
  const stuck = new Map<InstrumentId, string>();
  const countOf = (idsByInstrument: ReadonlyMap<InstrumentId, ReadonlySet<string>>): number =>
    [...idsByInstrument].reduce((sum, [id, { size }]) => (stuck.has(id) ? sum : sum + size), 0);
  const drainInstrument = async (instrument: Instrument): Promise<LeftOpen> => {
    const { id } = instrument;
    try {
      const [left, leftTriggers] = await Promise.all([
        drain(venue, instrument, orders.own, includesForeign, endedOrders.get(id)!),
        drainTriggers(venue, instrument, orders, { includesForeign, selection: 'opening', ended: endedTriggers.get(id)! }),
      ]);
      return { left, leftTriggers };
    } catch (error) {
      if (!(error instanceof KillGaveUp)) throw error;
      stuck.set(id, error.message);
      return { left: [], leftTriggers: [] };
    }
  };
  const drainAll = async (): Promise<LeftOpen> => {
    const remaining = instruments.filter(({ id }) => !stuck.has(id));
    const results = await Promise.all(remaining.map(drainInstrument));
    return { left: results.flatMap(({ left }) => left), leftTriggers: results.flatMap(({ leftTriggers }) => leftTriggers) };
  };
  // A refused or unanswered first cancel does not stop the kill: the lists show what is still open.
  let [leftOpen] = await Promise.all([drainAll(), ...firstCancels]);
  const lists = counted(instruments.length - stuck.size, 'list');
  onPhase('cancelling', `${counted(countOf(endedOrders), 'order')} cancelled; no own order is open in ${lists}`);
  if (await waitForUnknown(venue, orders.unknownUntilMs)) leftOpen = await drainAll();
  return { count: countOf(endedOrders), triggers: countOf(endedTriggers), ...leftOpen, stuck };
}

/** Cancels the own orders of one instrument until its list stays empty of them. Adds their ids to `ended`. */
async function drain(
  venue: KillVenue,
  instrument: Instrument,
  ownOrders: OwnOrders | null,
  includesForeign: boolean,
  ended: Set<string>,
): Promise<readonly LeftOrder[]> {
  const { readLagMs, pollEveryMs, cancelAgainMs } = venue.deps.settings;
  const emptyProof = new EmptyListProof(readLagMs);
  // Time of the last cancel of each order, ms.
  const cancelledMs = new Map<string, number>();
  const timeLimit = venue.timeLimit(`${instrument.id}: cancelled orders do not end`);
  /** Cancels orders. A cancel is asynchronous: the order stays in the list for a while. Does not repeat the cancel at every poll. */
  const cancelDue = async (cancelable: readonly SeenOrder[]): Promise<void> => {
    const { nowMs } = venue;
    const dueIds = cancelable.map(({ venueId }) => venueId).filter((id) => nowMs - (cancelledMs.get(id) ?? -Infinity) >= cancelAgainMs);
    for (const id of dueIds) cancelledMs.set(id, nowMs);
    const refusedIds = new Set(await cancelOrders(venue, instrument, dueIds));
    for (const id of dueIds) if (!refusedIds.has(id)) ended.add(id);
  };
  let lastCount = Infinity;
  for (;;) {
    const beganMs = venue.nowMs;
    const { orders, isComplete } = await readOpenOrders(venue, instrument);
    // The exchange may take long to reply about an order without a client order id. Before asking, cancel the orders that are certainly own.
    await cancelDue(orders.filter((order) => includesForeign || isCertainlyOwn(instrument, order, ownOrders)));
    const { named, isAnswered } = await withClientIds(venue, instrument, orders, ownOrders);
    const attributed = named.map((order) => ({
      order,
      attribution: includesForeign ? ('own' as const) : attributeOrder(instrument.id, order, ownOrders, named),
    }));
    const openOwnOrders = attributed.filter(({ attribution }) => attribution === 'own').map(({ order }) => order);
    if (emptyProof.observe(beganMs, isComplete && isAnswered && openOwnOrders.length === 0)) {
      return attributed.flatMap(({ order, attribution }) =>
        attribution === 'own' ? [] : [{ instrument: instrument.id, order, attribution }],
      );
    }
    await cancelDue(openOwnOrders);
    if (openOwnOrders.length < lastCount) timeLimit.restart();
    lastCount = openOwnOrders.length;
    await timeLimit.wait(Math.max(0, emptyProof.nextMs(venue.nowMs, pollEveryMs) - venue.nowMs));
  }
}

/** True for an order whose id or client order id is known to be the bot's. */
const isCertainlyOwn = ({ id }: Instrument, order: SeenOrder, ownOrders: OwnOrders | null): boolean =>
  (order.cid !== null || ownOrders?.isOwnId(order.venueId) === true) && attributeOrder(id, order, ownOrders) === 'own';

/** Orders of a list, with the client order ids that could be read. `isAnswered`: false if the exchange has not replied to each query. */
interface OrdersWithIds {
  readonly named: readonly SeenOrder[];
  readonly isAnswered: boolean;
}

/**
 * Adds client order ids where the id and the list do not identify the owner: from the order history of futures, or by a query of each spot
 * order.
 */
async function withClientIds(
  venue: KillVenue,
  instrument: Instrument,
  orders: readonly SeenOrder[],
  ownOrders: OwnOrders | null,
): Promise<OrdersWithIds> {
  const isNameless = ({ venueId, cid }: SeenOrder): boolean => cid === null && ownOrders?.isOwnId(venueId) !== true;
  if (!orders.some(isNameless)) return { named: orders, isAnswered: true };
  if (instrument.market === 'futures') {
    const cids = await clientIdsOf(venue, instrument);
    return { named: orders.map((order) => ({ ...order, cid: order.cid ?? cids.get(order.venueId) ?? null })), isAnswered: true };
  }
  const named: SeenOrder[] = [];
  let isAnswered = true;
  for (const order of orders) {
    if (!isNameless(order)) {
      named.push(order);
      continue;
    }
    const query = { symbol: instrument.wireName, orderId: order.venueId };
    const row = await venue.queryOnce('spot.queryOrder', query);
    isAnswered &&= row !== null;
    // `none`: the exchange replies that the order does not exist.
    named.push(row === null || row === 'none' ? order : { ...order, cid: spotOrderRow(row).cid });
  }
  return { named, isAnswered };
}

/** Waits until no order of unknown outcome can still appear. Returns false if there was none. */
async function waitForUnknown(venue: KillVenue, untilMs: KillOrders['unknownUntilMs']): Promise<boolean> {
  const { readLagMs } = venue.deps.settings;
  let hasWaited = false;
  for (const market of ['spot', 'futures'] as const) {
    const latestMs = untilMs[market];
    if (latestMs === undefined) continue;
    hasWaited = true;
    const { ms, uncertaintyMs } = venue.deps.serverTime(market);
    const horizonMs = latestMs + venue.visibilityDelayMs(market) + readLagMs;
    const clockErrorMs = Number.isFinite(uncertaintyMs) ? uncertaintyMs : 0;
    const waitMs = horizonMs + clockErrorMs - ms;
    if (waitMs <= 0) continue;
    venue.deps.onPhase(
      'waiting',
      `an order of unknown outcome may still appear on ${market}: checking again in ${Math.ceil(waitMs / 1000)} s`,
    );
    await venue.wait(waitMs);
  }
  return hasWaited;
}
