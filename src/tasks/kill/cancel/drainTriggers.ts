// Cancels trigger orders of futures. Orders that would open are cancelled with all others, protective ones only once their position is closed.

import { isOlder } from '../../../adapters/exchange/calls/triggers.ts';
import { toScaled } from '../../../base/number/decimal.ts';
import type { Instrument, InstrumentId } from '../../../model/instrument.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { LostOrder } from '../plan/attribution.ts';
import { EmptyListProof } from '../plan/killPlan.ts';
import type { KillVenue } from '../plan/killVenue.ts';
import type { KillOrders } from './killOrders.ts';

/** Maximum length of a page. */
const MAX_ROWS = 1000;

/** `opening`: trigger orders that would open or enlarge a position. */
type TriggerSelection = 'opening' | 'every';

/** A trigger order that a kill does not cancel. */
export interface LeftTrigger {
  readonly instrument: InstrumentId;
  readonly trigger: TriggerOrder;
  /** True if it has the terms of an order of the bot whose id is not known. A second copy of an order with a known id is not such an order. */
  readonly mayBeLost: boolean;
}

/** True when a trigger order is the bot's: its id is known, or it alone has the terms of a lost order. Null: unsure. */
function isOwnTrigger(
  row: TriggerOrder,
  listedTriggers: readonly TriggerOrder[],
  instrument: Instrument,
  orders: KillOrders,
): boolean | null {
  if (orders.own === null) return null;
  const knownIds = orders.waiting.get(instrument.id) ?? [];
  if (knownIds.includes(row.triggerOrderId)) return true;
  const matchingLost = orders.own.lostOf(instrument.id).filter((order) => hasSameTerms(row, order));
  const [firstLost] = matchingLost;
  if (firstLost === undefined) return false;
  const matchingRows = listedTriggers
    .filter(({ triggerOrderId }) => !knownIds.includes(triggerOrderId))
    .filter((other) => hasSameTerms(other, firstLost));
  const isOnlyMatch = matchingLost.length === 1 && matchingRows.length === 1;
  // An older order may be foreign, or its time may be wrong.
  return isOnlyMatch && !isOlder(row, firstLost.signMs) ? true : null;
}

/** True when the row agrees with the order in every known term. The list has no client order ids. */
function hasSameTerms(row: TriggerOrder, { request, triggerTicks = 0 }: LostOrder): boolean {
  const { instrument, side, lots, reduceOnly } = request;
  return (
    triggerTicks > 0 &&
    row.side === side &&
    row.open === (reduceOnly ? 'CLOSE' : 'OPEN') &&
    toScaled(row.triggerPrice, instrument.priceDigits) === triggerTicks &&
    toScaled(row.volume, instrument.quantityDigits) === lots
  );
}

/** True when the bot may have trigger orders of a contract. Other lists are not read, because not every service has them. */
function mayHaveTriggers(instrument: Instrument, { own, triggered }: KillOrders, includesForeign: boolean): boolean {
  if (instrument.market !== 'futures') return false;
  return includesForeign || own === null || triggered.has(instrument.id);
}

/**
 * Cancels until the list of one contract has shown no trigger order of the bot twice, a read lag apart. Adds the ids of cancelled orders to
 * `ended`. Returns the other orders, which are not cancelled: the list has no client order ids, so one of them may be a second copy
 * of an order of the bot. `includesForeign`: cancels foreign orders too. Throws KillStopped.
 */
export async function drainTriggers(
  venue: KillVenue,
  instrument: Instrument,
  orders: KillOrders,
  {
    includesForeign,
    selection,
    ended,
  }: { readonly includesForeign: boolean; readonly selection: TriggerSelection; readonly ended: Set<string> },
): Promise<readonly LeftTrigger[]> {
  if (!mayHaveTriggers(instrument, orders, includesForeign)) return [];
  const { readLagMs, pollEveryMs } = venue.deps.settings;
  const contractName = instrument.wireName;
  const timeLimit = venue.timeLimit(`${instrument.id}: cancelled trigger orders do not end`);
  const emptyProof = new EmptyListProof(readLagMs);
  for (;;) {
    const beganMs = venue.nowMs;
    const pending = await readPending(venue, contractName);
    const attributed = pending.rows
      .filter(({ open }) => selection === 'every' || open === 'OPEN')
      .map((trigger) => ({ trigger, isOwn: includesForeign || isOwnTrigger(trigger, pending.rows, instrument, orders) }));
    const ownIds = attributed.filter(({ isOwn }) => isOwn === true).map(({ trigger }) => trigger.triggerOrderId);
    if (emptyProof.observe(beganMs, pending.isComplete && ownIds.length === 0))
      return attributed.flatMap(({ trigger, isOwn }) =>
        isOwn === true ? [] : [{ instrument: instrument.id, trigger, mayBeLost: isOwn === null }],
      );
    for (const orderId of ownIds) ended.add(orderId);
    await Promise.all(ownIds.map((orderId) => venue.once('futures.cancelTriggerOrder', { contractName, orderId })));
    await timeLimit.wait(Math.max(0, emptyProof.nextMs(venue.nowMs, pollEveryMs) - venue.nowMs));
  }
}

/** Reads all pages of waiting trigger orders. `isComplete` is false if rows may be missing. */
async function readPending(
  venue: KillVenue,
  contractName: string,
): Promise<{ readonly rows: readonly TriggerOrder[]; readonly isComplete: boolean }> {
  const rowById = new Map<string, TriggerOrder>();
  let rowCount = 0;
  let isReadable = true;
  for (let page = 1; ; page++) {
    const list = await venue.read('futures.triggerOrderList', { contractName, page, limit: MAX_ROWS });
    for (const row of list.rows) rowById.set(row.triggerOrderId, row);
    rowCount += list.rows.length + list.refused.length;
    isReadable &&= list.refused.length === 0;
    const isLast = list.count === null ? list.rows.length < MAX_ROWS : rowCount >= list.count;
    if (isLast || list.rows.length === 0) {
      const pending = [...rowById.values()].filter(({ status }) => status.word === 'PENDING' || status.word === 'UNKNOWN');
      return { rows: pending, isComplete: isReadable && isLast };
    }
  }
}
