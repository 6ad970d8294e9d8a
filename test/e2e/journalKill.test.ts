// Tests kills of a process that writes a journal: the records reported as durable are there, and the next process continues.

import { expect, it } from 'vitest';
import { JournalKiller, killJournal } from '../fixtures/killJournal.ts';

const KILLS = 4;
const SEED = 1;

// The long form is `npm run campaign -- journalKill`, which prints the same line.
it(`${KILLS} kills lose nothing that was reported durable (seed ${SEED})`, async () => {
  const { kills, records, tornWrites } = await killJournal(KILLS, SEED);
  expect(kills).toBe(KILLS);
  expect(records).toBeGreaterThan(100);
  console.log(`${kills} kills, ${tornWrites} in the middle of a write: ${records} records`);
});

it('a process that shares the journal of another one ends at its start, and starts once the other has ended', async () => {
  const killer = new JournalKiller();
  const firstProcess = killer.start(1);
  await firstProcess.untilPrinted(2);
  const secondProcess = killer.start(2);
  await secondProcess.untilPrinted(1);
  expect(secondProcess.lines[0]).toMatch(
    new RegExp(`/journal/lock-${firstProcess.child.pid}-.*: process ${firstProcess.child.pid} trades on this account$`),
  );
  expect(firstProcess.child.exitCode).toBeNull();
  await firstProcess.killAfter(0);
  const thirdProcess = killer.start(3);
  await thirdProcess.untilPrinted(2);
  expect(thirdProcess.lines[0]).toBe('open');
  await thirdProcess.killAfter(0);
  killer.remove();
});
