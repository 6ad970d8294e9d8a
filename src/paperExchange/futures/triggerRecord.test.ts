// Tests a trigger order as a stored row and back: its times, and how it ended.

import { expect, it } from 'vitest';
import { futuresIntent, linearContract } from '../../../test/fixtures/futuresVenue.ts';
import type { IdMaps } from '../orders/orderRecords.ts';
import { Layout } from '../records/layout.ts';
import { triggerIn, triggerRecord, triggerText, waitingTriggerIn, waitingTriggerRecord, type WireTrigger } from './triggerRecord.ts';

const instrument = linearContract();
const names: IdMaps = { market: 'futures', uidOf: String, accountOf: Number, instrumentOf: () => instrument };
const layout = Layout.current('a file');

/** Returns a trigger order of the exchange. */
const wireTrigger = (
  placedMs: number,
  sinceMs: number,
  isCancelRequested: boolean,
  overrides: Partial<WireTrigger['trigger']>,
): WireTrigger => {
  const child = futuresIntent(instrument, 'sell', 7, { closes: true });
  const trigger = { id: 3, account: 1, kind: 'stopLoss', price: 650_005, child, sinceMs, expiresMs: Infinity } as const;
  return {
    id: '1622000000000000003',
    clientOrderId: 'mine',
    trigger: { ...trigger, status: 'pending', childId: null, code: 0, ...overrides },
    placedMs,
    isCancelRequested,
  };
};

it.each([
  [5_000_000, 5_000_000, false],
  [5_000_100, 5_000_000, false],
  [5_000_100, 5_000_000, true],
])(
  'a trigger order placed at %d and waiting since %d is read back unchanged (being cancelled: %s)',
  (placedMs, sinceMs, isCancelRequested) => {
    const waitingTrigger = wireTrigger(placedMs, sinceMs, isCancelRequested, {});
    expect(waitingTriggerIn(layout.read(waitingTriggerRecord, triggerText(waitingTrigger, names)), names)).toEqual(waitingTrigger);
  },
);

it.each([
  ['triggered', 0],
  ['failed', -2027],
  ['canceled', 0],
] as const)('a trigger order that ended as %s with code %d is read back unchanged', (status, code) => {
  const endedTrigger = wireTrigger(5_000_100, 5_000_000, false, { status, code });
  expect(triggerIn(layout.read(triggerRecord, triggerText(endedTrigger, names)), names)).toEqual(endedTrigger);
});
