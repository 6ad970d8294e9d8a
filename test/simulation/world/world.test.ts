// Short days of the world: production bot and production exchange with faults, judged after every event. `npm run sim` runs whole days.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { GUARDS } from '../../mutations/table.ts';
import { DAY_MS, isTimed, scheduleOf } from './schedule.ts';
import { dayOf } from './world.ts';

const HOUR_MS = 3_600_000;
const lengthMs = 2 * HOUR_MS;
const SEEDS = [1, 2];

test(`an hour of faults and an hour of peace: nothing is broken, of seeds ${SEEDS.join(', ')}`, async () => {
  let [unknown, restarts, orders] = [0, 0, 0];
  for (const seed of SEEDS) {
    const result = await dayOf(seed, scheduleOf(seed, lengthMs), { lengthMs });
    expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed} --loud`).toEqual([]);
    unknown += result.unknown;
    restarts += result.restarts;
    orders += result.orders;
  }
  expect(restarts).toBeGreaterThan(6);
  expect(orders).toBeGreaterThan(20);
  expect(unknown).toBeGreaterThan(0);
});

test('a seed is a day: run again it is the same to the last byte, and another one is another', async () => {
  const hashOf = async (seed: number): Promise<string> => (await dayOf(seed, scheduleOf(seed, lengthMs), { lengthMs })).hash;
  const first = await hashOf(4);
  expect(await hashOf(4)).toBe(first);
  expect(await hashOf(5)).not.toBe(first);
});

test('a whole day has the faults that it is to have, on average', () => {
  const schedules = Array.from({ length: 200 }, (_, seed) => scheduleOf(seed, DAY_MS));
  const mean = (count: (at: number) => number): number => schedules.reduce((sum, _, at) => sum + count(at), 0) / schedules.length;
  const deaths = ['kill', 'power', 'diskCrash'];
  expect(mean((at) => schedules[at]!.filter(({ what }) => deaths.includes(what)).length)).toBeGreaterThanOrEqual(10);
  expect(mean((at) => schedules[at]!.filter((one) => !isTimed(one) && one.at <= 250).length)).toBeGreaterThan(100);
});

test('every guard of the order path has a named seed, or a reason why the world cannot find it', () => {
  const { caught, notCaught } = JSON.parse(readFileSync(new URL('guardSeeds.json', import.meta.url), 'utf8')) as {
    readonly caught: readonly { readonly row: number }[];
    readonly notCaught: readonly { readonly row: number; readonly why: string }[];
  };
  const numbers = GUARDS.map(({ row }, at) => (GUARDS[at - 1]?.row === row ? row + 100 : row));
  const rows = [...caught.map(({ row }) => row), ...notCaught.map(({ row }) => row)].filter((row) => row < 200);
  expect(rows.toSorted((a, b) => a - b)).toEqual(numbers.toSorted((a, b) => a - b));
  for (const { why } of notCaught) expect(why.length).toBeGreaterThan(20);
});

test('with a guard taken out the world finds it: bytes leave before the SEND lasts; what was sent before a kill is not unknown', () => {
  const run = fileURLToPath(new URL('guards.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [run, '--rows', '1,13', '--json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 27,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect(stderr).toContain('that the journal on the disk does not have');
  expect(stderr).toContain('was never sent from here');
  expect(JSON.parse(stdout)).toMatchObject({ guards: 2, caught: 2 });
  expect(status).toBe(0);
});
