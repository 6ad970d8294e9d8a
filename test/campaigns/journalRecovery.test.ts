// Tests how long a start takes to build a bot from a journal: a million records with ISOBAR_CASES, 30,000 in the suite.

import { expect, it } from 'vitest';
import { LOTS, recover, writeLongJournal } from '../fixtures/longJournal.ts';
import { restart, writeLongLifetime, writeStart } from '../fixtures/longLifetime.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

const isShort = process.env['ISOBAR_CASES'] === undefined;
const RECORDS = isShort ? 30_000 : 1_000_000;
/** Limits in ms of CPU for the books alone, and for a start that replays smaCross. The suite's are wide, and find only quadratic growth. */
const [MAX_BOOKS_MS, MAX_START_MS] = isShort ? [10_000, 15_000] : [5000, 8000];

it(`${RECORDS} records become books and orders in at most ${MAX_BOOKS_MS} ms`, () => {
  const disk = new SimulatedDisk();
  const written = writeLongJournal(disk, RECORDS);
  const { records, ms, cpuMs, heldLots } = recover(disk);
  console.log(`${records} records: ${ms.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of CPU`);
  expect(records).toBe(written);
  // The orders buy and sell in turn, so the position is one order or flat.
  expect([0, LOTS]).toContain(heldLots);
  // On a busy machine the CPU time is the smaller and more reliable figure.
  expect(Math.min(ms, cpuMs)).toBeLessThan(MAX_BOOKS_MS);
}, 600_000);

it(`${RECORDS} records of one lifetime of smaCross are replayed to the same bot in at most ${MAX_START_MS} ms`, async () => {
  const disk = new SimulatedDisk();
  const lived = await writeLongLifetime(disk, RECORDS);
  const { records, readMs, cpuMs, heldLots, differences, decisions, open: openOrders } = await restart(disk);
  console.log(`${records} records, ${decisions} decisions: ${readMs.toFixed(0)} ms of CPU to read, ${cpuMs.toFixed(0)} ms in all`);
  expect(records).toBe(lived.records);
  expect({ differences, open: openOrders, heldLots }).toEqual({ differences: 0, open: 0, heldLots: lived.heldLots });
  expect(decisions).toBeGreaterThan(RECORDS / 4);
  expect(cpuMs).toBeLessThan(MAX_START_MS);
}, 600_000);

it(`${RECORDS} records with orders that smaCross would not send are replayed in at most ${MAX_START_MS} ms`, async () => {
  const disk = new SimulatedDisk();
  await writeStart(disk);
  const written = writeLongJournal(disk, RECORDS);
  const { records, readMs, cpuMs, heldLots, differences, open: openOrders } = await restart(disk);
  console.log(`${records} records, ${differences} differences: ${readMs.toFixed(0)} ms of CPU to read, ${cpuMs.toFixed(0)} ms in all`);
  expect(records).toBe(written);
  expect([0, LOTS]).toContain(heldLots);
  expect({ differences: differences > RECORDS / 10, open: openOrders }).toEqual({ differences: true, open: 0 });
  expect(cpuMs).toBeLessThan(MAX_START_MS);
}, 600_000);
