// Tests that reading a few trades at a time gives the same rows as reading all of them at once.

import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DAY_MS } from '../../../base/calendar.ts';
import { writeTrades } from '../../../../test/fixtures/tradesOfTicks.ts';
import { seededRng } from '../../../base/number/rng.ts';
import { spot } from '../../../../test/simulation/plans.ts';
import { openTradeRows } from './tradeRows.ts';

const FIRST_MS = Date.UTC(2024, 0, 1, 22);

it.each([1, 2, 3, 4])('rows of trades equal those of a simple search in all trades, and end before missing ids (seed %i)', (seed) => {
  const rng = seededRng(seed);
  const length = 3000;
  let ms = FIRST_MS;
  let nextId = 1;
  let price = 10_000;
  const allTrades = Array.from({ length }, () => {
    // Many trades share a ms, some ids are missing, and the trades span several days.
    if (rng.next() < 0.4) ms += Math.floor(rng.next() ** 6 * 300_000) + 1;
    if (rng.next() < 0.01) nextId += 5;
    price += Math.floor(rng.next() * 7) - 3;
    return { ms, id: nextId++, price };
  });
  const { folder, key } = writeTrades({
    length,
    timeMs: Float64Array.from(allTrades, (trade) => trade.ms),
    id: Float64Array.from(allTrades, ({ id }) => id),
    price: Float64Array.from(allTrades, (trade) => trade.price),
    quantity: new Float64Array(length).fill(1),
    takerSide: new Int32Array(length),
    priceDigits: 2,
    quantityDigits: 0,
  });
  const reader = openTradeRows(folder, key, FIRST_MS, ms + 1)!;
  let tradesRead = 0;
  let gapEnds = 0;
  for (let round = 0; round < 300; round++) {
    const fromMs = allTrades[Math.floor(rng.next() * length)]!.ms + Math.floor(rng.next() * 3) - 1;
    const toMs = fromMs + 1 + Math.floor(rng.next() * 600_000);
    const limit = 1 + Math.floor(rng.next() * 12);
    const between = allTrades.filter((trade) => trade.ms >= fromMs && trade.ms < toMs);
    expect(reader.countBetween(fromMs, toMs)).toBe(between.length);
    const expected: number[][] = [];
    let count = 0;
    for (const [index, trade] of between.entries()) {
      const last = expected.at(-1);
      if (last?.[0] !== trade.ms && expected.length === limit) break;
      if (index > 0 && trade.id !== between[index - 1]!.id + 1) {
        gapEnds++;
        break;
      }
      const decimalPrice = trade.price / 100; // the trades have two price digits
      if (last === undefined || last[0] !== trade.ms) expected.push([trade.ms, decimalPrice, decimalPrice, decimalPrice, decimalPrice]);
      else
        expected[expected.length - 1] = [
          trade.ms,
          last[1]!,
          Math.max(last[2]!, decimalPrice),
          Math.min(last[3]!, decimalPrice),
          decimalPrice,
        ];
      count++;
    }
    const rows = reader.read(spot('AAAUSDT'), fromMs, toMs, limit);
    const actual = Array.from({ length: rows.length }, (_, index) =>
      [rows.openMs, rows.open, rows.high, rows.low, rows.close].map((column) => column[index]!),
    );
    expect(actual, `seed ${seed}, round ${round}`).toEqual(expected);
    expect(Array.from(rows.closeMs)).toEqual(expected.map(([time]) => time! + 1));
    expect(reader.lastCount).toBe(count);
    tradesRead += count;
  }
  reader.close();
  expect(openTradeRows(folder, key, FIRST_MS - 2 * DAY_MS, FIRST_MS - DAY_MS)).toBeNull();
  rmSync(folder, { recursive: true });
  expect(tradesRead).toBeGreaterThan(500);
  expect(gapEnds).toBeGreaterThan(0);
});
