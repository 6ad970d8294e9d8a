// A bot with a series from a file is killed at its records: before each, and in the middle; it decides as one that was never killed.

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Strategy, sma } from '../../src/index.ts';
import { lived, type LifetimeResult } from '../fixtures/killedLifetime.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-series-'));
afterAll(() => rmSync(folder, { recursive: true }));

const seen = new Map<number, number>();
class BySeries extends Strategy {
  x = this.series('x');
  mean = this.use(sma(this.x, 4));
  override onBar() {
    const { value } = this.x;
    seen.set(this.nowMs, value);
    const size = String((1 + (Number.isNaN(value) ? 0 : value)) / 100);
    this.buy({ base: size }, { tag: `v ${value} mean ${this.mean.value}` });
  }
}

let files = 0;
/** The file has a new value after each bar. */
async function livedWith(kills: readonly number[], isTorn = false): Promise<LifetimeResult> {
  const path = join(folder, `${++files}.csv`);
  writeFileSync(path, 't,k,x\n');
  const written = new Set<number>();
  return lived({
    strategies: [BySeries],
    bars: 9,
    kills,
    isTorn,
    more: { series: { x: { file: { path, time: 't', knownAt: 'k', everySeconds: 30 } } } },
    settled: ({ bot }) => {
      const hour = Math.floor(bot.deps.venueMs() / 3_600_000);
      if (written.has(hour)) return;
      written.add(hour);
      appendFileSync(path, `${hour * 3600},${hour * 3600},${(hour * 5) % 7}\n`);
    },
  });
}

test('a bot killed at a record of a value, before it or inside it, loses no value and gets none twice', async () => {
  const whole = await livedWith([]);
  const series = whole.records.filter(({ k }) => k === 'SERIES');
  expect(series.length).toBeGreaterThan(5);
  expect(new Set(whole.placed.map((order) => order.split(' ').slice(1).join(' '))).size, whole.placed.join('; ')).toBeGreaterThan(2);
  const valuesOf = ({ records }: LifetimeResult) =>
    records.flatMap((record) => (record.k === 'SERIES' ? record.rows.map(([timeMs, , value]) => `${timeMs} ${value}`) : []));
  const read = new Map(seen);
  for (const [nth, isTorn] of [[1, false], [2, true], [5, false]] as const) {
    seen.clear();
    const killed = await livedWith([series[nth]!.seq], isTorn);
    expect(killed.starts).toBe(2);
    expect(killed.placed).toEqual(whole.placed);
    expect(killed.balances).toEqual(whole.balances);
    expect(valuesOf(killed)).toEqual(valuesOf(whole));
    expect(seen).toEqual(read);
  } // prettier-ignore
}, 600_000);
