// Tests simulated days of two hours: production bot and production exchange with faults. The rules are checked after every event.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { GUARDS } from '../../mutations/table.ts';
import { HARD_REQUEST_FAULTS, HARD_TIMED_FAULTS } from './hard/hardDay.ts';
import { MIN_OTHER_FAULT, OTHER_FAULTS, plantedFaultOf, SECOND_GUARD_OFFSET } from './plantedFaults.ts';
import { DAY_MS, isTimed, scheduleOf, type ScheduledFault } from './schedule.ts';
import {
  LAST_UNTHEMED_SEED,
  SEEDS_PER_THEME,
  THEMED_REQUEST_FAULTS,
  THEMED_TIMED_FAULTS,
  THEMES,
  themeOf,
  type Theme,
} from './themes/themedDay.ts';
import { runDay } from './runDay.ts';

const HOUR_MS = 3_600_000;
const LENGTH_MS = 2 * HOUR_MS;
/** Seeds above this one have hard days. */
const LAST_USUAL_SEED = 1000;
/** A whole day has about this many create requests. Later request faults of its schedule would not happen. */
const CREATES_OF_A_DAY = 250;
const SEEDS = [1, 2];

test(`a day of an hour with faults and an hour without breaks no rule (seeds ${SEEDS.join(', ')})`, async () => {
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

test('a day of contracts, of an hour with faults and an hour without, breaks no rule (seed 2)', async () => {
  const result = await runDay(2, scheduleOf(2, LENGTH_MS), { lengthMs: LENGTH_MS, futures: true });
  expect(result.violations, 'again: npm run sim -- --hours 2 --seed 2 --futures --loud').toEqual([]);
  expect(result.restarts).toBeGreaterThan(3);
  expect(result.orders).toBeGreaterThan(5);
});

// On the day of seed 1009, a slice of a kill gets -1006, the process ends, and the slice reaches the lists minutes after the next start.
test.each([1002, 1009])('a hard day of an hour with faults and an hour without breaks no rule (seed %i)', async (seed) => {
  const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS });
  expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed} --loud`).toEqual([]);
  expect(result.unknown).toBeGreaterThan(0);
  expect(result.exchangeCrashes).toBeGreaterThan(0);
});

test.each([
  [22_034, 'a process ends while it starts, and a draft is ready'],
  [24_002, 'orders arrive late'],
  [24_125, 'orders arrive when nothing is reserved for them any more'],
  [25_711, 'a module asks for orders twice'],
  [27_004, 'it ends with a kill without the bot'],
  [32_002, 'strategies have several lifetimes'],
  [32_030, 'a draft of an earlier lifetime is sent'],
  [34_011, 'a lost order has the terms of a refused one'],
  [35_006, 'lost orders fill late'],
])('a day with a theme breaks no rule (seed %i: %s)', async (seed) => {
  const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS });
  expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed} --loud`).toEqual([]);
  expect(result.unknown).toBeGreaterThan(0);
});

test.each([
  [34_701, 'a slice without fills, of a status that no table has'],
  [34_704, 'a list with a row that cannot be read'],
])('a day that ends with a kill breaks no rule (seed %i: the kill is shown %s)', async (seed) => {
  const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS });
  expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed} --loud`).toEqual([]);
});

// An eighth of the combinations that have every pair of values of any two switches.
test.each([
  [43_003, true],
  [43_008, true],
  [43_014, false],
])('a day at an exchange with other switches breaks no rule (seed %i, contracts: %s)', async (seed, futures) => {
  const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS, futures });
  expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed}${futures ? ' --futures' : ''} --loud`).toEqual([]);
  expect(result.orders).toBeGreaterThan(10);
});

test.each([44_001, 44_116])('a day of contracts with maintenance of the exchange breaks no rule (seed %i)', async (seed) => {
  const lengthMs = 3 * HOUR_MS;
  // On the second day a jump of the price makes a stop and the one that replaces it fire, beside contracts of a second copy.
  const result = await runDay(seed, scheduleOf(seed, lengthMs), { lengthMs, futures: true });
  expect(result.violations, `again: npm run sim -- --hours 3 --seed ${seed} --futures --loud`).toEqual([]);
  expect(scheduleOf(seed, lengthMs).some(({ faultKind }) => faultKind === 'closedExchange')).toBe(true);
  expect(result.orders).toBeGreaterThan(20);
  expect(result.restarts).toBeGreaterThan(5);
});

// 49001: the exchange answers no reads of the symbol either, so the bot has to stay halted.
test.each([49_001, 49_032])('a day on which the exchange ends the trading of a symbol breaks no rule (seed %i)', async (seed) => {
  const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS });
  expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed} --loud`).toEqual([]);
  expect(result.orders).toBeGreaterThan(10);
  expect(result.restarts).toBeGreaterThan(2);
});

// 44018: a position is closed and opened again just before a restart, after funding was paid for the first one.
test.each([
  [44_018, 'a position opens again before a restart'],
  [47_003, 'strategies want both sides of a contract'],
  [48_004, 'creates of trigger orders are delivered twice'],
  [48_011, 'a kill while a second copy of a trigger order waits'],
  [48_072, 'second copies of trigger orders fire after a restart'],
])('a day of contracts with a theme breaks no rule (seed %i: %s)', async (seed) => {
  const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS, futures: true });
  expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed} --futures --loud`).toEqual([]);
  expect(result.orders).toBeGreaterThan(20);
});

test('seeds up to 20000 have no faults of days with a theme, and the first two days of all themes have all of them', () => {
  const themedKinds = new Set<string>([...THEMED_REQUEST_FAULTS, ...THEMED_TIMED_FAULTS]);
  const kindsOf = (seed: number): readonly string[] => scheduleOf(seed, LENGTH_MS).map(({ faultKind }) => faultKind);
  const firstSeedOf = (theme: Theme): number => LAST_UNTHEMED_SEED + 1 + SEEDS_PER_THEME * THEMES.indexOf(theme);
  // Some faults, such as slow creates, belong to hard days and to days with a theme.
  const hardKinds = new Set<string>(HARD_REQUEST_FAULTS);
  const isOnlyThemed = (kind: string): boolean => themedKinds.has(kind) && !hardKinds.has(kind);
  for (const seed of [1, LAST_USUAL_SEED, LAST_UNTHEMED_SEED - 1, LAST_UNTHEMED_SEED])
    expect(kindsOf(seed).filter(isOnlyThemed)).toEqual([]);
  // Some kinds come on every second day only.
  const drawnKinds = new Set(THEMES.flatMap((theme) => [...kindsOf(firstSeedOf(theme)), ...kindsOf(firstSeedOf(theme) + 1)]));
  expect(Array.from(themedKinds).filter((kind) => !drawnKinds.has(kind))).toEqual([]);
});

test('each theme has a thousand seeds, from 20001 on', () => {
  const firstSeeds = THEMES.map((_, themeIndex) => LAST_UNTHEMED_SEED + 1 + SEEDS_PER_THEME * themeIndex);
  expect(firstSeeds.map((seed) => themeOf(seed))).toEqual(THEMES);
  expect([themeOf(20_000), themeOf(21_000), themeOf(21_001)]).toEqual([null, 'lateOrders', 'replicas']);
});

test('seeds up to 1000 have no faults of hard days, and the next fifty seeds have all of them', () => {
  const hardKinds = new Set<string>([...HARD_REQUEST_FAULTS, ...HARD_TIMED_FAULTS]);
  /** Returns the kinds of faults on the days of 50 seeds. */
  const kindsFrom = (firstSeed: number): Set<string> => {
    const schedules = Array.from({ length: 50 }, (_, index) => scheduleOf(firstSeed + index, LENGTH_MS));
    return new Set(schedules.flatMap((schedule) => schedule.map(({ faultKind }) => faultKind)));
  };
  expect(Array.from(kindsFrom(LAST_USUAL_SEED - 49)).filter((kind) => hardKinds.has(kind))).toEqual([]);
  const drawnKinds = kindsFrom(LAST_USUAL_SEED + 1);
  expect(Array.from(hardKinds).filter((kind) => !drawnKinds.has(kind))).toEqual([]);
});

test('a create request of a hard day has at most one fault', () => {
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
  const meanCount = (isCounted: (event: ScheduledFault) => boolean): number =>
    schedules.reduce((sum, schedule) => sum + schedule.filter(isCounted).length, 0) / schedules.length;
  const processEnds = ['kill', 'power', 'diskCrash'];
  expect(meanCount(({ faultKind }) => processEnds.includes(faultKind))).toBeGreaterThanOrEqual(10);
  expect(meanCount((event) => !isTimed(event) && event.requestNumber <= CREATES_OF_A_DAY)).toBeGreaterThan(100);
});

test('every guard of the order path has a seed that finds its removal, or a reason why no seed can', () => {
  const { caught, notCaught } = JSON.parse(readFileSync(new URL('guardSeeds.json', import.meta.url), 'utf8')) as {
    readonly caught: readonly { readonly row: number }[];
    readonly notCaught: readonly { readonly row: number; readonly why: string }[];
  };
  // The fault number of a guard: see the head of plantedFaults.ts.
  const guardNumbers = GUARDS.map(({ row }, index) => (GUARDS[index - 1]?.row === row ? row + SECOND_GUARD_OFFSET : row));
  const recordedNumbers = [...caught.map(({ row }) => row), ...notCaught.map(({ row }) => row)];
  const recordedGuardNumbers = recordedNumbers.filter((number) => number < MIN_OTHER_FAULT);
  expect(recordedGuardNumbers.toSorted((a, b) => a - b)).toEqual(guardNumbers.toSorted((a, b) => a - b));
  for (const { why } of notCaught) expect(why.length).toBeGreaterThan(20);
});

test.each([...GUARDS.map(({ row }) => row), ...Object.keys(OTHER_FAULTS).map(Number)])(
  'the lines that fault %i replaces each occur once in their file',
  (number) => {
    const texts = new Map<string, string>();
    for (const { file, from, to } of plantedFaultOf(number)!.changes) {
      const text = texts.get(file) ?? readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      expect(text.split(from).length - 1, `${file}: ${from}`).toBe(1);
      texts.set(
        file,
        text.replace(from, () => to),
      );
    }
  },
);

test('the simulation finds the removal of four guards, each by its seed', () => {
  // 1: SEND is durable first. 13: a sent order is unknown after a kill. 14: absence horizon. 77: a kill sells only what is certainly the bot's.
  const guardsProgram = fileURLToPath(new URL('guards.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [guardsProgram, '--rows', '1,13,14,77', '--json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 27,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  // The violations without guard 1 and without guard 13.
  expect(stderr).toContain('that the journal on the disk does not have');
  expect(stderr).toContain('was never sent from here');
  expect(JSON.parse(stdout)).toMatchObject({ guards: 4, caught: 4 });
  expect(status).toBe(0);
});
