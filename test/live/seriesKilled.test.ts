// Tests a bot that is killed at journal records of a series: it decides like a bot that was never killed.

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Strategy, sma } from '../../src/index.ts';
import { driveLifetime, type LifetimeResult } from '../fixtures/killedLifetime.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-series-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The value of the series that the strategy read, by the time of its decision, ms UTC. */
const valueByTime = new Map<number, number>();
/** Buys at each bar. The size depends on the series, and the tag of the order has the values that the strategy read. */
class SeriesBuyer extends Strategy {
  x = this.series('x');
  mean = this.use(sma(this.x, 4));
  override onBar() {
    const { value } = this.x;
    valueByTime.set(this.nowMs, value);
    // The series has no value before its first row.
    const hundredths = 1 + (Number.isNaN(value) ? 0 : value);
    this.buy({ base: String(hundredths / 100) }, { tag: `v ${value} mean ${this.mean.value}` });
  }
}

let fileCount = 0;
/**
 * Runs a bot whose series file gets a row after each bar. The bot is killed before the journal records with the numbers `kills`, or inside
 * them if `isTorn`.
 */
async function runLifetime(kills: readonly number[], isTorn = false): Promise<LifetimeResult> {
  const path = join(folder, `${++fileCount}.csv`);
  writeFileSync(path, 't,k,x\n');
  const writtenHours = new Set<number>();
  return driveLifetime({
    strategies: [SeriesBuyer],
    bars: 9,
    kills,
    isTorn,
    more: { series: { x: { file: { path, time: 't', knownAt: 'k', everySeconds: 30 } } } },
    settled: ({ bot }) => {
      const hour = Math.floor(bot.deps.venueMs() / 3_600_000);
      if (writtenHours.has(hour)) return;
      writtenHours.add(hour);
      const timeS = hour * 3600;
      const seriesValue = (hour * 5) % 7;
      appendFileSync(path, `${timeS},${timeS},${seriesValue}\n`);
    },
  });
}

test('a bot that is killed before or inside the journal record of a series value neither loses a value nor gets one twice', async () => {
  const unkilled = await runLifetime([]);
  const seriesRecords = unkilled.records.filter(({ k }) => k === 'SERIES');
  expect(seriesRecords.length).toBeGreaterThan(5);
  // Each text of an order begins with its number. Orders of different sizes show that the strategy used the series.
  const orderTerms = new Set(unkilled.placed.map((order) => order.slice(order.indexOf(' ') + 1)));
  expect(orderTerms.size, unkilled.placed.join('; ')).toBeGreaterThan(2);
  /** Returns the values of the series in the journal, each with its time. A row of a record has time, known-at time and value. */
  const journalledValues = ({ records }: LifetimeResult) =>
    records.flatMap((record) => (record.k === 'SERIES' ? record.rows.map(([timeMs, , value]) => `${timeMs} ${value}`) : []));
  const expectedValues = new Map(valueByTime);
  const kills = [
    { recordIndex: 1, isTorn: false },
    { recordIndex: 2, isTorn: true },
    { recordIndex: 5, isTorn: false },
  ];
  for (const { recordIndex, isTorn } of kills) {
    valueByTime.clear();
    const killed = await runLifetime([seriesRecords[recordIndex]!.seq], isTorn);
    expect(killed.starts).toBe(2);
    expect(killed.placed).toEqual(unkilled.placed);
    expect(killed.balances).toEqual(unkilled.balances);
    expect(journalledValues(killed)).toEqual(journalledValues(unkilled));
    expect(valueByTime).toEqual(expectedValues);
  }
}, 600_000);
