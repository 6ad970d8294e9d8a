// How long a start takes to make a bot of a journal: a million records with ISOBAR_CASES, thirty thousand in the suite.

import { expect, it } from 'vitest';
import { LOTS, recover, writeLongJournal } from '../fixtures/longJournal.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

const RECORDS = process.env['ISOBAR_CASES'] === undefined ? 30_000 : 1_000_000;
const MOST_MS = 5000;

it(`${RECORDS} records become a bot in at most 5 s`, () => {
  const disk = new SimulatedDisk();
  const written = writeLongJournal(disk, RECORDS);
  const { records, ms, cpuMs, held } = recover(disk);
  console.log(`${records} records: ${ms.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of CPU`);
  expect(records).toBe(written);
  // Every other one of the orders that fill sells what the one before has bought.
  expect([0, LOTS]).toContain(held);
  // On a machine that does other things besides, the time of day says little.
  expect(Math.min(ms, cpuMs)).toBeLessThan(MOST_MS);
}, 600_000);
