// A condition order as a row, and back: what is told of its time, and since when it waits, each as it was.

import { expect, it } from 'vitest';
import { futuresIntent, linearContract } from '../../../test/fixtures/futuresVenue.ts';
import type { IdMaps } from '../orders/rows.ts';
import type { TriggerRow } from '../orders/stateRows.ts';
import { triggerIn, triggerText } from './triggerRow.ts';

const instrument = linearContract();
const names: IdMaps = { market: 'futures', uidOf: String, accountOf: Number, instrumentOf: () => instrument };

it.each([
  [5_000_000, 5_000_000, 15],
  [5_000_100, 5_000_000, 16],
])('placed at %d, waiting since %d', (placedMs, sinceMs, fields) => {
  const child = futuresIntent(instrument, 'sell', 7, { closes: true });
  const trigger = { id: 3, account: 1, kind: 'stopLoss', price: 650_005, child, sinceMs, expiresMs: Infinity } as const;
  const made = {
    id: '1622000000000000003',
    clientOrderId: 'mine',
    trigger: { ...trigger, status: 'pending', childId: null, code: 0 },
    placedMs,
    isLeaving: false,
  } as const;
  const row = JSON.parse(triggerText(made, names)) as TriggerRow;
  expect(row).toHaveLength(fields);
  expect(triggerIn(row, names)).toEqual(made);
});
