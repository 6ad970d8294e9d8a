// How long a start takes to make a bot of a journal: a million records with ISOBAR_CASES, thirty thousand in the suite.

import { expect, it } from 'vitest';
import { LOTS, recover, writeLongJournal } from '../fixtures/longJournal.ts';
import { restart, writeLongLifetime, writeStart } from '../fixtures/longLifetime.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

const isShort = process.env['ISOBAR_CASES'] === undefined;
const RECORDS = isShort ? 30_000 : 1_000_000;
/** CPU of the books alone, and of a start that replays smaCross. In the suite, on whatever machine, only what grows with the square shows. */
const [MAX_BOOKS_MS, MAX_START_MS] = isShort ? [10_000, 15_000] : [5000, 8000];

it(`${RECORDS} records become books and orders in at most ${MAX_BOOKS_MS} ms`, () => {
  const disk = new SimulatedDisk();
  const written = writeLongJournal(disk, RECORDS);
  const { records, ms, cpuMs, held } = recover(disk);
  console.log(`${records} records: ${ms.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of CPU`);
  expect(records).toBe(written);
  // Every other one of the orders that fill sells what the one before has bought.
  expect([0, LOTS]).toContain(held);
  // On a busy machine the clock time shows little.
  expect(Math.min(ms, cpuMs)).toBeLessThan(MAX_BOOKS_MS);
}, 600_000);

it(`${RECORDS} records of a life of smaCross are replayed to the same bot in at most ${MAX_START_MS} ms`, async () => {
  const disk = new SimulatedDisk();
  const lived = await writeLongLifetime(disk, RECORDS);
  const { records, readMs, cpuMs, heldLots, differences, decisions, open } = await restart(disk);
  console.log(`${records} records, ${decisions} decisions: ${readMs.toFixed(0)} ms of CPU to read, ${cpuMs.toFixed(0)} ms in all`);
  expect(records).toBe(lived.records);
  expect({ differences, open, heldLots }).toEqual({ differences: 0, open: 0, heldLots: lived.heldLots });
  expect(decisions).toBeGreaterThan(RECORDS / 4);
  expect(cpuMs).toBeLessThan(MAX_START_MS);
}, 600_000);

it(`${RECORDS} records whose orders smaCross does not ask for are replayed in at most ${MAX_START_MS} ms`, async () => {
  const disk = new SimulatedDisk();
  await writeStart(disk);
  const written = writeLongJournal(disk, RECORDS);
  const { records, readMs, cpuMs, heldLots, differences, open } = await restart(disk);
  console.log(`${records} records, ${differences} differences: ${readMs.toFixed(0)} ms of CPU to read, ${cpuMs.toFixed(0)} ms in all`);
  expect(records).toBe(written);
  expect([0, LOTS]).toContain(heldLots);
  expect({ differences: differences > RECORDS / 10, open }).toEqual({ differences: true, open: 0 });
  expect(cpuMs).toBeLessThan(MAX_START_MS);
}, 600_000);
