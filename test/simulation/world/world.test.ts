// Tests simulated days of two hours: production bot and production exchange with faults. The rules are checked after every event.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { GUARDS } from '../../mutations/table.ts';
import { HARD_REQUEST_FAULTS, HARD_TIMED_FAULTS } from './hard/hardDay.ts';
import { FIRST_FORMER_FAULT, FORMER_FAULTS, plantedBy, SECOND_OF_ROW } from './planted.ts';
import { DAY_MS, isTimed, scheduleOf, type ScheduledFault } from './schedule.ts';
import { LAST_UNTHEMED_SEED, THEMED_REQUEST_FAULTS, THEMED_TIMED_FAULTS, THEMES, themeOf, type Theme } from './themes/themedDay.ts';
import { runDay } from './runDay.ts';

const HOUR_MS = 3_600_000;
const LENGTH_MS = 2 * HOUR_MS;
const SEEDS = [1, 2];

test(`a day with one hour of faults and one hour without has no violation (seeds ${SEEDS.join(', ')})`, async () => {
  const totals = { unknown: 0, restarts: 0, orders: 0 };
  for (const seed of SEEDS) {
    const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS });
    expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed} --loud`).toEqual([]);
    totals.unknown += result.unknown;
    totals.restarts += result.restarts;
    totals.orders += result.orders;
  }
  expect(totals.restarts).toBeGreaterThan(6);
  expect(totals.orders).toBeGreaterThan(20);
  expect(totals.unknown).toBeGreaterThan(0);
});

test('a day of contracts with one hour of faults and one hour without has no violation (seed 2)', async () => {
  const result = await runDay(2, scheduleOf(2, LENGTH_MS), { lengthMs: LENGTH_MS, futures: true });
  expect(result.violations, 'again: npm run sim -- --hours 2 --seed 2 --futures --loud').toEqual([]);
  expect(result.restarts).toBeGreaterThan(3);
  expect(result.orders).toBeGreaterThan(10);
});

// On the day of seed 1009, a slice of a kill gets -1006, the process ends, and the slice reaches the lists minutes after the next start.
test.each([1002, 1009])('a hard day with one hour of faults and one hour without has no violation (seed %i)', async (seed) => {
  const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS });
  expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed} --loud`).toEqual([]);
  expect(result.unknown).toBeGreaterThan(0);
  expect(result.exchangeCrashes).toBeGreaterThan(0);
});

// A day of late landings, one that ends with a kill without the bot, one with several lifetimes of strategies, one whose lost order has the terms
// of a refused one, and one whose lost orders fill late.
test.each([24_002, 27_004, 32_002, 34_011, 35_006])('a day with a theme has no violation (seed %i)', async (seed) => {
  const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS });
  expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed} --loud`).toEqual([]);
  expect(result.unknown).toBeGreaterThan(0);
});

test('only seeds above 20000 have the faults of days with a theme, a thousand seeds for each theme', () => {
  const themedKinds = new Set<string>([...THEMED_REQUEST_FAULTS, ...THEMED_TIMED_FAULTS]);
  const kindsOf = (seed: number): readonly string[] => scheduleOf(seed, LENGTH_MS).map(({ faultKind }) => faultKind);
  const firstSeedOf = (theme: Theme): number => LAST_UNTHEMED_SEED + 1 + 1000 * THEMES.indexOf(theme);
  // Slow creates are faults of hard days and of days with a theme.
  for (const seed of [1, 1000, 19_999, 20_000])
    expect(kindsOf(seed).filter((kind) => themedKinds.has(kind) && !(HARD_REQUEST_FAULTS as readonly string[]).includes(kind))).toEqual([]);
  // Some kinds come on every second day only.
  const drawnKinds = new Set(THEMES.flatMap((theme) => [...kindsOf(firstSeedOf(theme)), ...kindsOf(firstSeedOf(theme) + 1)]));
  expect(Array.from(themedKinds).filter((kind) => !drawnKinds.has(kind))).toEqual([]);
  expect(THEMES.map((theme) => themeOf(firstSeedOf(theme)))).toEqual(THEMES);
  expect([themeOf(20_000), themeOf(21_000), themeOf(21_001)]).toEqual([null, 'lateOrders', 'replicas']);
});

test('only seeds above 1000 have the faults of hard days, and each kind of them comes', () => {
  const hardKinds = new Set<string>([...HARD_REQUEST_FAULTS, ...HARD_TIMED_FAULTS]);
  const kindsOf = (firstSeed: number): Set<string> =>
    new Set(Array.from({ length: 50 }, (_, index) => scheduleOf(firstSeed + index, LENGTH_MS).map(({ faultKind }) => faultKind)).flat());
  expect(Array.from(kindsOf(951)).filter((kind) => hardKinds.has(kind))).toEqual([]);
  const drawnKinds = kindsOf(1001);
  expect(Array.from(hardKinds).filter((kind) => !drawnKinds.has(kind))).toEqual([]);
  // A create request has at most one fault.
  const numbers = scheduleOf(1001, LENGTH_MS).flatMap((event) => (isTimed(event) ? [] : [event.requestNumber]));
  expect(new Set(numbers).size).toBe(numbers.length);
});

describe('the hash of a day', () => {
  const hashOf = async (seed: number): Promise<string> => (await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS })).hash;
  let hashOf4 = '';
  beforeAll(async () => {
    hashOf4 = await hashOf(4);
  });

  test('two runs of one seed have the same hash', async () => {
    expect(await hashOf(4)).toBe(hashOf4);
  });
  test('another seed has another hash', async () => {
    expect(await hashOf(5)).not.toBe(hashOf4);
  });
});

test('a whole day ends the process at least 10 times and faults over 100 of its first 250 create requests, on average', () => {
  const schedules = Array.from({ length: 200 }, (_, seed) => scheduleOf(seed, DAY_MS));
  const meanCount = (counts: (event: ScheduledFault) => boolean): number =>
    schedules.reduce((sum, schedule) => sum + schedule.filter(counts).length, 0) / schedules.length;
  const processEnds = ['kill', 'power', 'diskCrash'];
  expect(meanCount(({ faultKind }) => processEnds.includes(faultKind))).toBeGreaterThanOrEqual(10);
  // A whole day has about 250 create requests. Later faults of the schedule would not happen.
  expect(meanCount((event) => !isTimed(event) && event.requestNumber <= 250)).toBeGreaterThan(100);
});

test('every guard of the order path has a seed that finds its removal, or a reason why no seed can', () => {
  const { caught, notCaught } = JSON.parse(readFileSync(new URL('guardSeeds.json', import.meta.url), 'utf8')) as {
    readonly caught: readonly { readonly row: number }[];
    readonly notCaught: readonly { readonly row: number; readonly why: string }[];
  };
  // A row of the table has one guard or two. `plantedBy` numbers the second guard of a row with SECOND_OF_ROW more.
  const guardNumbers = GUARDS.map(({ row }, index) => (GUARDS[index - 1]?.row === row ? row + SECOND_OF_ROW : row));
  const recordedNumbers = [...caught.map(({ row }) => row), ...notCaught.map(({ row }) => row)];
  const recordedGuards = recordedNumbers.filter((number) => number < FIRST_FORMER_FAULT);
  expect(recordedGuards.toSorted((a, b) => a - b)).toEqual(guardNumbers.toSorted((a, b) => a - b));
  for (const { why } of notCaught) expect(why.length).toBeGreaterThan(20);
});

test.each([...GUARDS.map(({ row }) => row), ...Object.keys(FORMER_FAULTS).map(Number)])(
  'the lines that fault %i replaces each occur once in their file',
  (number) => {
    const texts = new Map<string, string>();
    for (const { file, from, to } of plantedBy(number)!.changes) {
      const text = texts.get(file) ?? readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      expect(text.split(from).length - 1, `${file}: ${from}`).toBe(1);
      texts.set(
        file,
        text.replace(from, () => to),
      );
    }
  },
);

test('the simulation finds the removal of guards 1 (SEND is durable first), 13 (a sent order is unknown after a kill), 14 (absence horizon) and 77', () => {
  const guardsProgram = fileURLToPath(new URL('guards.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [guardsProgram, '--rows', '1,13,14,77', '--json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 27,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect(stderr).toContain('that the journal on the disk does not have');
  expect(stderr).toContain('was never sent from here');
  expect(JSON.parse(stdout)).toMatchObject({ guards: 4, caught: 4 });
  expect(status).toBe(0);
});
