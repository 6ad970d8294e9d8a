// Tests which rows of overlapping pages count.

import { expect, it } from 'vitest';
import { DistinctRows } from './distinctRows.ts';

it('a row of two pages counts once, and rows of one id that differ count each', () => {
  const rows = new DistinctRows<{ readonly id: string; readonly side: string }>();
  const [buy, sell, other] = [
    { id: '1', side: 'buy' },
    { id: '1', side: 'sell' },
    { id: '2', side: 'buy' },
  ];
  for (const row of [buy, sell, other, { ...buy }, { ...sell }, { ...other }]) rows.add(row.id, row);
  expect(rows.list).toEqual([buy, sell, other]);
});
