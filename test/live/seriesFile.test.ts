// Tests a live bot with a series from a growing file: restarts, a replay and parity read the same values as the bot.

import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Strategy, sma } from '../../src/index.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import type { ResolveOptions } from '../../src/definition/resolve.ts';
import { comparePlanted, FIRST_ROW, HOUR_MS, type PlantedWorld } from '../divergence/planted.ts';
import { START_MS } from '../simulation/plans.ts';

/** What the strategy read at one bar: its hour, the value, the age of the value in hours, and the mean of values. */
type Reading = readonly [hour: number, value: number, ageHours: number, mean: number];
let readings: Reading[] = [];
/** Holds a position while the value is above its mean of three bars, and records what it reads. */
class SeriesFollower extends Strategy {
  x = this.series('x');
  mean = this.use(sma(this.x, 3));
  override onBar() {
    const { value, ageMs } = this.x;
    readings.push([(this.nowMs - START_MS) / HOUR_MS, value, ageMs / HOUR_MS, this.mean.value]);
    if (this.position().isFlat && value > this.mean.value) this.buy({ base: '5' });
    else if (!this.position().isFlat && value < this.mean.value) this.exit();
  }
}
afterEach(() => void (readings = []));

/** Loads the class of this test in place of a strategy file. */
const load: ResolveOptions['load'] = async (entry, source) => ({
  plan: strategyPlanOf(entry, { strategy: SeriesFollower, name: 'SeriesFollower', hash: 'SeriesFollower' }, source),
  inputs: [],
  folder: '.',
});

/** The tested members of a journal record. */
interface JournalLine {
  readonly k: string;
  readonly atMs?: number;
  readonly rows?: readonly (readonly number[])[];
}
/** Returns the records of a bot's journal. */
function recordsOf(bot: string): readonly JournalLine[] {
  const folder = join(bot, 'journal');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted();
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  return lines.map((line) => JSON.parse(line) as JournalLine);
}

/** Columns: time, time from which the value is known, value. */
const HEADER = 't,k,x\n';

/** Returns the path of the series file. */
const seriesPath = (folder: string): string => join(folder, 'x.csv');
/** Returns an hour of the run as ISO time. */
const iso = (hour: number): string => new Date(START_MS + hour * HOUR_MS).toISOString();
/** Returns a line of the series file: the value of an hour, known a quarter of an hour later by default. */
const fileLine = (hour: number, value: number, knownHour = hour + 0.25): string => `${iso(hour)},${iso(knownHour)},${value}\n`;
/** The config of the series. */
const SERIES = { series: { x: { file: { path: 'x.csv', time: 't', knownAt: 'k', everySeconds: 60 } } } };

/** Returns what a strategy must read at an hour, by a plain walk through the rows of the journal. */
function expectedReading(rows: readonly (readonly number[])[], hour: number): readonly [value: number, ageHours: number] {
  let newest: readonly number[] | null = null;
  const nowMs = START_MS + hour * HOUR_MS;
  for (const row of rows) {
    const [timeMs, knownMs] = row;
    if (knownMs! > nowMs) continue;
    // The newest time counts, and of equal times the row that became known last.
    const isNewer = newest === null || timeMs! > newest[0]! || (timeMs === newest[0] && knownMs! >= newest[1]!);
    if (isNewer) newest = row;
  }
  if (newest === null) return [NaN, NaN];
  const [timeMs, , value] = newest;
  return [value!, (nowMs - timeMs!) / HOUR_MS];
}

/** Appends to the series file of a day what its source writes before a row. `isDown`: the restart at row 20 takes two bars. */
async function writeBeforeRow(row: number, { world, restart }: PlantedWorld, isDown: boolean): Promise<void> {
  const hour = FIRST_ROW + row;
  const append = (text: string): void => appendFileSync(seriesPath(world.folder), text);
  if (row === 12) await restart(0);
  // An invalid line.
  if (row === 5) append(`${iso(hour)},never,1\n`);
  // A late value, and the same line twice.
  if (row === 7) append(fileLine(hour - 3, 99, hour - 0.1) + fileLine(hour - 1, 2.5, hour - 0.05).repeat(2));
  if (row === 20) {
    // A restart while the source has written a part of a line.
    append(fileLine(hour, 1).slice(0, 20));
    await restart(isDown ? 2 : 0);
    append(fileLine(hour, 1).slice(20));
  }
  append(fileLine(hour, (hour * 7) % 5, hour - 0.01));
}

/** Checks that every reading equals the one that follows from the rows of the journal. */
function checkReadings(rows: readonly (readonly number[])[]): void {
  for (const [hour, value, ageHours] of readings) expect([hour, value, ageHours]).toEqual([hour, ...expectedReading(rows, hour)]);
}

/** Checks that each value is known later than every decision whose record comes before its own. */
function checkOrderOfRecords(records: readonly JournalLine[]): void {
  let decidedMs = 0;
  for (const { k, atMs = 0, rows: newRows = [] } of records) {
    if (k === 'INSTANT') decidedMs = Math.max(decidedMs, atMs);
    if (k !== 'SERIES' || decidedMs <= START_MS + FIRST_ROW * HOUR_MS) continue;
    for (const [, knownMs] of newRows) expect(knownMs).toBeGreaterThan(decidedMs);
  }
}

/** Compares the readings of a bot, and then those of a replay, with the bot's journal. Returns the number of the bot's readings. */
async function checkBotAndReplay(bot: string): Promise<number> {
  const records = recordsOf(bot);
  const rows = records.flatMap((record) => (record.k === 'SERIES' ? record.rows! : []));
  expect(rows.length).toBeGreaterThan(30);
  const readingsByBar = readings.filter(([hour], index) => hour !== readings[index - 1]?.[0]);
  checkReadings(rows);
  const [, , , firstMean] = readingsByBar[0]!;
  expect(firstMean).not.toBeNaN();
  checkOrderOfRecords(records);
  readings = [];
  const replayed = await replayFolder(bot, { config: null, load });
  expect(replayed).toMatchObject({ processes: 3, difference: null });
  expect(replayed.decisions).toBeGreaterThan(6);
  expect(readings.length).toBeGreaterThan(20);
  checkReadings(rows);
  return readingsByBar.length;
}

test.each([
  ['without an outage', false],
  ['with an outage of two bars', true],
])('a strategy reads each value from its journal record on, over restarts, in a replay and in parity: %s', async (_name, isDown) => {
  let readingCount = 0;
  const report = await comparePlanted(
    {
      strategy: SeriesFollower,
      definition: SERIES,
      beforeStart: (folder) => {
        const warmupLines = [0, 1, 2, 3, 4, 5].map((hour) => fileLine(hour, hour % 4));
        writeFileSync(seriesPath(folder), HEADER + warmupLines.join(''));
      },
      actsByRow: Object.fromEntries(
        Array.from({ length: 30 }, (_, row) => [row, (planted: PlantedWorld) => writeBeforeRow(row, planted, isDown)]),
      ),
    },
    async (bot) => void (readingCount = await checkBotAndReplay(bot)),
  );
  expect(readingCount).toBeGreaterThan(20);
  expect(report.residual).toBe('0');
  expect(report.orders).toBeGreaterThan(6);
  // The difference comes from the bars without a running bot, not from the values.
  if (isDown) expect(report).toMatchObject({ equal: false, cause: 'restart', first: { what: 'decision' } });
  else expect(report).toMatchObject({ equal: true, first: null, cause: null, bridge: [] });
});
