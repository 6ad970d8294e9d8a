// A condition order as a row, and back.

import { lots, ticks, units } from '../../base/brand.ts';
import type { Trigger } from '../../venue/futures/triggers.ts';
import { type Names, rowText } from '../durable/rows.ts';
import type { TriggerRow } from '../durable/stateRows.ts';
import { wireId } from '../orders/userOrder.ts';

/** Of the ids of condition orders. */
export const TRIGGER_PREFIX = '1622';

export interface WireTrigger {
  /** On the wire. */
  readonly id: string;
  readonly clientOrderId: string | null;
  readonly trigger: Trigger;
}

export function triggerText({ clientOrderId, trigger }: WireTrigger, { uidOf }: Names): string {
  const { id, account, kind, price, child, placedMs, status, code } = trigger;
  const { instrument, side, role, lots: size, limit, reduceOnly } = child;
  const { wireName } = instrument;
  const row: TriggerRow = ['g', id, uidOf(account), clientOrderId, kind, price, wireName, side, role, size, limit, reduceOnly, placedMs, status, code]; // prettier-ignore
  return rowText(row);
}

export function triggerIn(row: TriggerRow, { accountOf, instrumentOf }: Names): WireTrigger {
  const [, id, uid, clientOrderId, kind, price, symbol, side, role, size, limit, reduceOnly, placedMs, status, code] = row;
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
  const trigger = { id, account: accountOf(uid), kind, price, child, placedMs, expiresMs: Infinity, status, childId: null, code };
  return { id: wireId(TRIGGER_PREFIX, id), clientOrderId, trigger };
}
