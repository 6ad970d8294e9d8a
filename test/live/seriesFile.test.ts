// External series of a live bot from a growing file: the values that it sees, also over restarts, in a replay and in parity.

import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Strategy, sma } from '../../src/index.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/folder.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import type { ResolveOptions } from '../../src/definition/resolve.ts';
import { comparePlanted, FIRST_ROW, HOUR_MS } from '../divergence/planted.ts';
import { START_MS } from '../simulation/plans.ts';

type Seen = readonly [hour: number, value: number, age: number, mean: number];
let seen: Seen[] = [];
/** Long while the value is above its mean of three bars, flat below it. Notes what it sees. */
class OnSeries extends Strategy {
  x = this.series('x');
  mean = this.use(sma(this.x, 3));
  override onBar() {
    const { value, ageMs } = this.x;
    seen.push([(this.nowMs - START_MS) / HOUR_MS, value, ageMs / HOUR_MS, this.mean.value]);
    if (this.position().isFlat && value > this.mean.value) this.buy({ base: '5' });
    else if (!this.position().isFlat && value < this.mean.value) this.exit();
  }
}
afterEach(() => void (seen = []));

const load: ResolveOptions['load'] = async (entry, source) => ({
  plan: strategyPlanOf(entry, { strategy: OnSeries, name: 'OnSeries', hash: 'OnSeries' }, source),
  inputs: [],
  folder: '.',
});

interface Line {
  readonly k: string;
  readonly atMs?: number;
  readonly rows?: readonly (readonly number[])[];
}
function recordsOf(bot: string): readonly Line[] {
  const folder = join(bot, 'journal');
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl')).toSorted(); // prettier-ignore
  return files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Line)); // prettier-ignore
}

const HEAD = 't,k,x\n';
const iso = (hour: number): string => new Date(START_MS + hour * HOUR_MS).toISOString();
/** A line of the file: a value of an hour, known a quarter of an hour later unless given. */
const line = (hour: number, value: number, known = hour + 0.25): string => `${iso(hour)},${iso(known)},${value}\n`;
const SERIES = { series: { x: { file: { path: 'x.csv', time: 't', knownAt: 'k', everySeconds: 60 } } } };

/** Returns what a strategy should have seen at an hour, by a plain walk through the rows of the journal. */
function expected(rows: readonly (readonly number[])[], hour: number): readonly [value: number, age: number] {
  let best: readonly number[] | null = null;
  const nowMs = START_MS + hour * HOUR_MS;
  for (const row of rows) {
    if (row[1]! > nowMs) continue;
    if (best === null || row[0]! > best[0]! || (row[0] === best[0] && row[1]! >= best[1]!)) best = row;
  }
  return best === null ? [NaN, NaN] : [best[2]!, (nowMs - best[0]!) / HOUR_MS];
}

test.each([
  ['without a pause', false],
  ['with an outage of two bars', true],
])('a strategy sees each value from its journal record on, over restarts, in a replay and in parity: %s', async (_name, isDown) => {
  const first = FIRST_ROW;
  const path = (folder: string): string => join(folder, 'x.csv');
  let atStart: Seen[] = [];
  const report = await comparePlanted(
    {
      strategy: OnSeries,
      definition: SERIES,
      before: (folder) => writeFileSync(path(folder), HEAD + [0, 1, 2, 3, 4, 5].map((hour) => line(hour, hour % 4)).join('')),
      acts: Object.fromEntries(
        Array.from({ length: 30 }, (_, row) => [
          row,
          async ({ world, restart }) => {
            const hour = first + row;
            if (row === 12) await restart(0);
            // A bad line; a late value of an earlier time and a line that comes twice; then a torn line over a restart.
            if (row === 5) appendFileSync(path(world.folder), `${iso(hour)},never,1\n`);
            if (row === 7) appendFileSync(path(world.folder), line(hour - 3, 99, hour - 0.1) + line(hour - 1, 2.5, hour - 0.05).repeat(2));
            if (row === 20) {
              appendFileSync(path(world.folder), line(hour, 1).slice(0, 20));
              await restart(isDown ? 2 : 0);
              appendFileSync(path(world.folder), line(hour, 1).slice(20));
            }
            appendFileSync(path(world.folder), line(hour, (hour * 7) % 5, hour - 0.01));
          },
        ]),
      ),
    },
    async (bot) => {
      const records = recordsOf(bot);
      const rows = records.flatMap((record) => (record.k === 'SERIES' ? record.rows! : []));
      expect(rows.length).toBeGreaterThan(30);
      const lived = seen.filter(([hour], at) => hour !== seen[at - 1]?.[0]);
      atStart = lived;
      for (const [hour, value, age] of seen) expect([hour, value, age]).toEqual([hour, ...expected(rows, hour)]);
      expect(lived[0]![3]).not.toBeNaN();
      // A value is known later than every decision whose record comes before its own.
      let decidedMs = 0;
      for (const { k, atMs = 0, rows: own = [] } of records) {
        if (k === 'INSTANT') decidedMs = Math.max(decidedMs, atMs);
        if (k === 'SERIES' && decidedMs > START_MS + first * HOUR_MS) for (const row of own) expect(row[1]).toBeGreaterThan(decidedMs);
      }
      seen = [];
      const replayed = await replayFolder(bot, { config: null, load });
      expect(replayed).toMatchObject({ processes: 3, difference: null });
      expect(replayed.decisions).toBeGreaterThan(6);
      expect(seen.length).toBeGreaterThan(20);
      for (const [hour, value, age] of seen) expect([hour, value, age]).toEqual([hour, ...expected(rows, hour)]);
    },
  );
  expect(atStart.length).toBeGreaterThan(20);
  expect(report.residual).toBe('0');
  expect(report.orders).toBeGreaterThan(6);
  // The difference comes from the bars without a running bot, not from the values.
  if (isDown) expect(report).toMatchObject({ equal: false, cause: 'restart', first: { what: 'decision' } });
  else expect(report).toMatchObject({ equal: true, first: null, cause: null, bridge: [] });
});
