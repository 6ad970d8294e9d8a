// Converts a trigger order to a store row, and back.

import { lots, ticks, units } from '../../base/brand.ts';
import type { Trigger } from '../../venue/futures/triggers.ts';
import { type IdMaps, rowText } from '../orders/rows.ts';
import type { TriggerRow } from '../orders/stateRows.ts';
import { wireId } from '../orders/userOrder.ts';

/** Prefix of the ids of trigger orders. */
export const TRIGGER_PREFIX = '1622';
const LEAVING = 1;

export interface WireTrigger {
  /** The id on the wire. */
  readonly id: string;
  readonly clientOrderId: string | null;
  readonly trigger: Trigger;
  /**
   * The time that clients see. An order that arrives shortly after the open of a row counts from that open, so the trigger may have waited
   * longer.
   */
  readonly placedMs: number;
  /** True when a cancellation was requested and has not taken effect. */
  isLeaving: boolean;
}

export function triggerText({ clientOrderId, trigger, placedMs, isLeaving }: WireTrigger, { uidOf }: IdMaps): string {
  const { id, account, kind, price, child, sinceMs, status, code } = trigger;
  const { instrument, side, role, lots: size, limit, reduceOnly } = child;
  const { wireName } = instrument;
  // A waiting trigger has no refusal code. Its code field says whether it is being cancelled.
  const reported = status === 'pending' && isLeaving ? LEAVING : code;
  const row: TriggerRow = ['g', id, uidOf(account), clientOrderId, kind, price, wireName, side, role, size, limit, reduceOnly, placedMs, status, reported]; // prettier-ignore
  return rowText(sinceMs === placedMs ? row : [...row, sinceMs]);
}

export function triggerIn(row: TriggerRow, { accountOf, instrumentOf }: IdMaps): WireTrigger {
  const [
    ,
    id,
    uid,
    clientOrderId,
    kind,
    price,
    symbol,
    side,
    role,
    size,
    limit,
    reduceOnly,
    placedMs,
    status,
    reported,
    sinceMs = placedMs,
  ] = row;
  const isLeaving = status === 'pending' && reported === LEAVING;
  const child = {
    instrument: instrumentOf(symbol),
    side,
    role,
    lots: lots(size),
    quoteUnits: units(0),
    limit: ticks(limit),
    reduceOnly,
    timeInForce: null,
    slot: '',
  };
  const code = isLeaving ? 0 : reported;
  const trigger = { id, account: accountOf(uid), kind, price, child, sinceMs, expiresMs: Infinity, status, childId: null, code };
  return { id: wireId(TRIGGER_PREFIX, id), clientOrderId, trigger, placedMs, isLeaving };
}
