// The schedule of a day comes from its seed alone, and leaves the end of the day in peace.

import { expect, test } from 'vitest';
import { CREATE_FAULTS } from '../computer/faultyNetwork.ts';
import { CALM_MS, DAY_MS, OUTAGES, scheduleOf } from './daySchedule.ts';

const SEEDS = Array.from({ length: 120 }, (_, at) => at + 1);

test('the same seed draws the same day, another seed another one', () => {
  expect(scheduleOf(7)).toEqual(scheduleOf(7));
  expect(scheduleOf(7)).not.toEqual(scheduleOf(8));
});

test('every kind of fault comes up, none in the last hour, and the first order may meet one', () => {
  const days = SEEDS.map(scheduleOf);
  const outages = days.flatMap((day) => day.outages);
  const creates = days.flatMap((day) => [...day.creates.values()]);
  for (const what of OUTAGES)
    expect(
      outages.some((one) => one.what === what),
      what,
    ).toBe(true);
  for (const what of CREATE_FAULTS)
    expect(
      creates.some((one) => one.what === what),
      what,
    ).toBe(true);
  expect(Math.max(...outages.map(({ atMs }) => atMs))).toBeLessThan(DAY_MS - CALM_MS);
  expect(days.filter((day) => day.creates.has(1)).length).toBeGreaterThan(SEEDS.length / 4);
});

test('outages stand in order of time, and a day has at least five ends of the process', () => {
  for (const { outages } of SEEDS.map(scheduleOf)) {
    expect(outages.map(({ atMs }) => atMs)).toEqual(outages.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
    expect(outages.filter(({ what }) => ['kill', 'power', 'diskCrash'].includes(what)).length).toBeGreaterThanOrEqual(5);
  }
});
