// Names of instruments in reports.

import { expect, test } from 'vitest';
import { instrumentNames } from './names.ts';

test('an instrument is named by its symbol, and by its market too if both markets have it', () => {
  expect([...instrumentNames(['spot:BTCUSDT', 'futures:BTCUSDT', 'futures:ETHUSDT', 'spot:BTCUSDT'])]).toEqual([
    ['spot:BTCUSDT', 'BTCUSDT (spot)'],
    ['futures:BTCUSDT', 'BTCUSDT (futures)'],
    ['futures:ETHUSDT', 'ETHUSDT'],
  ]);
});
