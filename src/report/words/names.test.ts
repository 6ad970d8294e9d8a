// Names of instruments in reports.

import { expect, test } from 'vitest';
import { instrumentNames } from './names.ts';

test('an instrument is known by its name, and by its market where both have it', () => {
  expect([...instrumentNames(['spot:BTCUSDT', 'futures:BTCUSDT', 'futures:ETHUSDT', 'spot:BTCUSDT'])]).toEqual([
    ['spot:BTCUSDT', 'BTCUSDT (spot)'],
    ['futures:BTCUSDT', 'BTCUSDT (futures)'],
    ['futures:ETHUSDT', 'ETHUSDT'],
  ]);
});
