// Tests the names of instruments in reports.

import { expect, test } from 'vitest';
import { instrumentNames } from './names.ts';

test('an instrument is named by its symbol, and with its market if both markets have the symbol', () => {
  expect([...instrumentNames(['spot:BTCUSDT', 'futures:BTCUSDT', 'futures:ETHUSDT', 'spot:BTCUSDT'])]).toEqual([
    ['spot:BTCUSDT', 'BTCUSDT (spot)'],
    ['futures:BTCUSDT', 'BTCUSDT (futures)'],
    ['futures:ETHUSDT', 'ETHUSDT'],
  ]);
});
