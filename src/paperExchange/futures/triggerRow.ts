// A condition order as a row, and back.

import { lots, ticks, units } from '../../base/brand.ts';
import type { Trigger } from '../../venue/futures/triggers.ts';
import { type IdMaps, rowText } from '../orders/rows.ts';
import type { TriggerRow } from '../orders/stateRows.ts';
import { wireId } from '../orders/userOrder.ts';

/** Of the ids of condition orders. */
export const TRIGGER_PREFIX = '1622';
const LEAVING = 1;

export interface WireTrigger {
  /** On the wire. */
  readonly id: string;
  readonly clientOrderId: string | null;
  readonly trigger: Trigger;
  /** As clients are told. What comes shortly after a row has opened counts from its open: then the trigger has waited for longer. */
  readonly placedMs: number;
  /** Its cancel has been asked for, and has its effect later. */
  isLeaving: boolean;
}

export function triggerText({ clientOrderId, trigger, placedMs, isLeaving }: WireTrigger, { uidOf }: IdMaps): string {
  const { id, account, kind, price, child, sinceMs, status, code } = trigger;
  const { instrument, side, role, lots: size, limit, reduceOnly } = child;
  const { wireName } = instrument;
  // One that waits has been refused nothing: its code says whether it is being cancelled.
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
