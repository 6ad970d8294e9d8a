// The stored form of trigger orders: writes them as records, and reads them back.

import { lots, ticks, units } from '../../base/brand.ts';
import { TRIGGER_KINDS, type Trigger } from '../../venue/futures/triggers.ts';
import { type IdMaps, ROLE, SIDE } from '../orders/orderRecords.ts';
import { wireOrderId } from '../orders/userOrder.ts';
import { storedCount, storedFlag, storedChoice, storedOptional, storedText, storedInteger } from '../records/fields.ts';
import { storedRecord, type StoredRecordOf } from '../records/record.ts';

/** Prefix of the ids of trigger orders. */
export const TRIGGER_PREFIX = '1622';

/** A trigger order as clients see it. */
export interface WireTrigger {
  /** The id on the wire. */
  readonly id: string;
  readonly clientOrderId: string | null;
  readonly trigger: Trigger;
  /**
   * The time of placing that clients see. An order that arrives shortly after the open of a row counts as present at that open, so the
   * trigger may have waited longer.
   */
  readonly placedMs: number;
  /** True when a cancellation was requested and has not taken effect. */
  isCancelRequested: boolean;
}

const TRIGGER = {
  number: storedCount,
  uid: storedText,
  clientOrderId: storedOptional(storedText),
  kind: storedChoice(...TRIGGER_KINDS),
  price: storedCount,
  symbol: storedText,
  side: SIDE,
  role: ROLE,
  lots: storedCount,
  limit: storedCount,
  reduceOnly: storedFlag,
  placedMs: storedCount,
  sinceMs: storedCount,
};
/** A trigger order that has ended. `code`: the code with which its order was refused; 0 if it was not. */
export const triggerRecord = storedRecord('trigger', {
  ...TRIGGER,
  status: storedChoice('expired', 'triggered', 'failed', 'canceled'),
  code: storedInteger,
});
/** A trigger order that waits. `isLeaving`: its cancel was accepted, but reads still show it. */
export const waitingTriggerRecord = storedRecord('waitingTrigger', { ...TRIGGER, isLeaving: storedFlag });

/** The stored fields of a trigger order that has ended. */
export type TriggerRecord = StoredRecordOf<typeof triggerRecord>;
/** The stored fields of a trigger order that waits. */
export type WaitingTriggerRecord = StoredRecordOf<typeof waitingTriggerRecord>;

/** Returns the stored form of a trigger order, whether it waits or has ended. */
export function triggerText({ clientOrderId, trigger, placedMs, isCancelRequested }: WireTrigger, { uidOf }: IdMaps): string {
  const { id: number, account, kind, price, child, sinceMs, status, code } = trigger;
  const { instrument, side, role, lots: size, limit, reduceOnly } = child;
  const terms = { number, uid: uidOf(account), clientOrderId, kind, price, symbol: instrument.wireName };
  const common = { ...terms, side, role, lots: size, limit, reduceOnly, placedMs, sinceMs };
  return status === 'pending'
    ? waitingTriggerRecord.text({ ...common, isLeaving: isCancelRequested })
    : triggerRecord.text({ ...common, status, code });
}

/** Returns a trigger order that waits. */
export const waitingTriggerIn = (stored: WaitingTriggerRecord, names: IdMaps): WireTrigger => ({
  ...commonIn(stored, { status: 'pending', code: 0 }, names),
  isCancelRequested: stored.isLeaving,
});

/** Returns a trigger order that has ended. */
export const triggerIn = (stored: TriggerRecord, names: IdMaps): WireTrigger => ({
  ...commonIn(stored, stored, names),
  isCancelRequested: false,
});

/** Returns the members that waiting and ended triggers share. */
function commonIn(
  stored: Omit<TriggerRecord, 'status' | 'code'>,
  { status, code }: Pick<Trigger, 'status' | 'code'>,
  { accountOf, instrumentOf }: IdMaps,
): Omit<WireTrigger, 'isCancelRequested'> {
  const child = {
    instrument: instrumentOf(stored.symbol),
    side: stored.side,
    role: stored.role,
    lots: lots(stored.lots),
    quoteUnits: units(0),
    limit: ticks(stored.limit),
    reduceOnly: stored.reduceOnly,
    timeInForce: null,
    slot: '',
  };
  const { number: id, kind, price, sinceMs } = stored;
  const trigger = { id, account: accountOf(stored.uid), kind, price, child, sinceMs, expiresMs: Infinity, status, childId: null, code };
  return { id: wireOrderId(TRIGGER_PREFIX, id), clientOrderId: stored.clientOrderId, trigger, placedMs: stored.placedMs };
}
