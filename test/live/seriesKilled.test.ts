// Tests a bot that is killed at journal records of a series: it decides like a bot that was never killed.

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Strategy, sma } from '../../src/index.ts';
import { driveLifetime, type LifetimeResult } from '../fixtures/killedLifetime.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-series-'));
afterAll(() => rmSync(folder, { recursive: true }));

const valueByTime = new Map<number, number>();
/** Buys at each bar, in a size that depends on the series. The tag has the values that it read. */
class SeriesBuyer extends Strategy {
  x = this.series('x');
  mean = this.use(sma(this.x, 4));
  override onBar() {
    const { value } = this.x;
    valueByTime.set(this.nowMs, value);
    const size = String((1 + (Number.isNaN(value) ? 0 : value)) / 100);
    this.buy({ base: size }, { tag: `v ${value} mean ${this.mean.value}` });
  }
}

let fileCount = 0;
/** Runs a bot whose series file gets a value after each bar. The bot is killed at the records with the numbers `kills`. */
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
      appendFileSync(path, `${hour * 3600},${hour * 3600},${(hour * 5) % 7}\n`);
    },
  });
}

test('a bot that is killed before or inside the record of a series value loses no value and gets none twice', async () => {
  const unkilled = await runLifetime([]);
  const seriesRecords = unkilled.records.filter(({ k }) => k === 'SERIES');
  expect(seriesRecords.length).toBeGreaterThan(5);
  expect(new Set(unkilled.placed.map((order) => order.split(' ').slice(1).join(' '))).size, unkilled.placed.join('; ')).toBeGreaterThan(2);
  const valuesOf = ({ records }: LifetimeResult) =>
    records.flatMap((record) => (record.k === 'SERIES' ? record.rows.map(([timeMs, , value]) => `${timeMs} ${value}`) : []));
  const expectedValues = new Map(valueByTime);
  for (const [recordIndex, isTorn] of [[1, false], [2, true], [5, false]] as const) {
    valueByTime.clear();
    const killed = await runLifetime([seriesRecords[recordIndex]!.seq], isTorn);
    expect(killed.starts).toBe(2);
    expect(killed.placed).toEqual(unkilled.placed);
    expect(killed.balances).toEqual(unkilled.balances);
    expect(valuesOf(killed)).toEqual(valuesOf(unkilled));
    expect(valueByTime).toEqual(expectedValues);
  } // prettier-ignore
}, 600_000);
