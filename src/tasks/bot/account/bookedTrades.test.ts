// Tests the ids of booked trades, by which a kill knows the trades that it must not book again.

import { expect, it } from 'vitest';
import type { InstrumentId } from '../../../model/instrument.ts';
import { BookedTrades } from './bookedTrades.ts';

it('booked trades keep the newest 2,000 ids of each instrument', () => {
  const booked = new BookedTrades();
  for (let id = 1; id <= 2500; id++) booked.add('spot:BTCUSDT', String(id));
  booked.add('spot:ETHUSDT', '1');
  booked.add('spot:BTCUSDT', '2500');
  const [bitcoin, ether] = (['spot:BTCUSDT', 'spot:ETHUSDT'] as InstrumentId[]).map((id) => booked.idsOf(id));
  expect([bitcoin!.size, bitcoin!.has('500'), bitcoin!.has('501'), bitcoin!.has('2500')]).toEqual([2000, false, true, true]);
  expect([...ether!]).toEqual(['1']);
  expect(booked.idsOf('spot:SOLUSDT' as InstrumentId).size).toBe(0);
});
