// Tests hundreds of kills of a process that writes a journal, its latency, and the time to read a million records.

import { expect, it } from 'vitest';
import { JournalState } from '../../src/adapters/journal/records/journalState.ts';
import { readJournal } from '../../src/adapters/journal/file/readJournal.ts';
import { FOLDER, openFixture, steps } from '../fixtures/journalFixture.ts';
import { journalLatency, latencyText } from '../fixtures/journalLatency.ts';
import { killJournal } from '../fixtures/killJournal.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

/** `npm run campaign -- journalKill` sets both variables. */
const CASE_COUNT = process.env['ISOBAR_CASES'];
const SEED = Number(process.env['ISOBAR_SEED'] ?? 1);
const KILLS = Math.min(Number(CASE_COUNT ?? 0), 500);
const RECORDS = 1_000_000;
const isCampaign = CASE_COUNT !== undefined;

// The short form is in test/e2e/journalKill.test.ts.
it.runIf(isCampaign)(
  `${KILLS} kills lose no record that was reported durable (seed ${SEED})`,
  async () => {
    const { kills, tornWrites, records } = await killJournal(KILLS, SEED);
    console.log(`${kills} kills, ${tornWrites} in the middle of a write: ${records} records, none lost that was reported durable`);
  },
  3_600_000,
);

it.runIf(isCampaign)(
  'the latency of the journal is printed beside that of the disk alone',
  async () => {
    const { journal, bare: diskOnly, callMs } = await journalLatency(3000);
    console.log(
      `write-ahead: ${latencyText(journal)}; append + fdatasync alone: ${latencyText(diskOnly)}; the call: ${latencyText(callMs)}`,
    );
  },
  600_000,
);

it.runIf(isCampaign)(
  `${RECORDS} records are read back in at most 5 s`,
  () => {
    const disk = new SimulatedDisk();
    const { journal } = openFixture(disk, { segmentBytes: 4 << 20 });
    for (let order = 1; journal.lastSeq < RECORDS; order += 10) {
      for (const step of steps(order)) step(journal);
      if (order % 1000 === 1) disk.run();
    }
    disk.run();
    const cpuBefore = process.cpuUsage();
    const startMs = performance.now();
    const state = new JournalState();
    const { ending, segments } = readJournal(disk, FOLDER, state.add);
    const wallMs = performance.now() - startMs;
    const { user, system } = process.cpuUsage(cpuBefore);
    const cpuMs = (user + system) / 1000;
    const bytes = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const sizeText = `${(bytes / 1e6).toFixed(0)} MB in ${segments.length} files`;
    console.log(`${ending.seq} records, ${sizeText}: ${wallMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of CPU`);
    expect(ending.seq).toBe(journal.lastSeq);
    // On a busy machine the CPU time is the smaller and more reliable figure.
    expect(Math.min(wallMs, cpuMs)).toBeLessThan(5000);
  },
  600_000,
);
