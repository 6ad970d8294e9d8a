// Tests that the schedule of a day depends only on its seed, and that the end of the day has no faults.

import { expect, test } from 'vitest';
import { DAY_MS } from '../../base/calendar.ts';
import { CREATE_FAULTS } from '../computer/faultyNetwork.ts';
import { CALM_MS, OUTAGES, scheduleOf } from './daySchedule.ts';

const SEEDS = Array.from({ length: 120 }, (_, index) => index + 1);

test('equal seeds draw equal days, and different seeds draw different days', () => {
  expect(scheduleOf(7)).toEqual(scheduleOf(7));
  expect(scheduleOf(7)).not.toEqual(scheduleOf(8));
});

test('every kind of fault occurs, no fault is in the last hour, and the first order can have a fault', () => {
  const days = SEEDS.map(scheduleOf);
  const outages = days.flatMap((day) => day.outages);
  const creates = days.flatMap((day) => [...day.creates.values()]);
  expect(new Set(outages.map(({ outageKind }) => outageKind))).toEqual(new Set(OUTAGES));
  expect(new Set(creates.map(({ faultKind }) => faultKind))).toEqual(new Set(CREATE_FAULTS));
  expect(Math.max(...outages.map(({ atMs }) => atMs))).toBeLessThan(DAY_MS - CALM_MS);
  expect(days.filter((day) => day.creates.has(1)).length).toBeGreaterThan(SEEDS.length / 4);
});

test('outages are in the order of time, and the process ends at least five times on a day', () => {
  for (const { outages } of SEEDS.map(scheduleOf)) {
    const times = outages.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const endsOfProcess = outages.filter(({ outageKind }) => ['kill', 'power', 'diskCrash'].includes(outageKind));
    expect(endsOfProcess.length).toBeGreaterThanOrEqual(5);
  }
});
