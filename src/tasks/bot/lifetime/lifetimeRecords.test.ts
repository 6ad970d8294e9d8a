// Tests whether the records of a lifetime carry out a cancel that the process before them had decided on, or show that it was not needed any more.

import { expect, it } from 'vitest';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { LifetimeRecords } from './lifetimeRecords.ts';

/** Returns the records of an instant in which a process dies, and of the next start. They have only the fields that the test reads. */
function records(diedMs: number, cancelledMs: number): readonly JournalRecord[] {
  const rows = [
    { t: 1000, k: 'INTENT', cid: 'A', order: 7, createdMs: 1000 },
    { t: 2000, k: 'INSTANT' },
    { t: diedMs, k: 'INTENT', cid: 'B', order: 8, createdMs: 2000 },
    { t: 2001, k: 'SEGMENT' },
    { t: 2001, k: 'CONFIG' },
    { t: cancelledMs, k: 'STATE', cid: 'A', lifecycle: 'cancelSent' },
    { t: cancelledMs, k: 'INSTANT' },
  ];
  return rows.map((row, seq) => ({ seq, ...row })) as unknown as readonly JournalRecord[];
}

function isCarriedOut(diedMs: number, cancelledMs: number, stepMs = 2000, recordIndex = 1): boolean {
  const recorded = new LifetimeRecords(records(diedMs, cancelledMs), []);
  return recorded.isCarriedOut(recorded.cancelOf(7)!, recordIndex, stepMs);
}

it('a cancel that a start wrote carries out the step in which the process before it died', () => {
  expect(isCarriedOut(2000, 2001)).toBe(true);
  expect(isCarriedOut(2000, 9000)).toBe(true);
});

it('a cancel carries out no step if its process continued after the step', () => {
  expect(isCarriedOut(2500, 2501), 'the process wrote records after the step').toBe(false);
  expect(isCarriedOut(2000, 2500, 2001, 4), 'the step is one of the later process').toBe(false);
  expect(isCarriedOut(2000, 1500), 'the cancel came before the step').toBe(false);
});

/** Returns the records of an instant in which a process dies, and of the next start, which learns that order 7 has ended. */
function recordsWithEnd(diedMs: number): readonly JournalRecord[] {
  return records(diedMs, 2002).map((record) => (record.k === 'STATE' ? { ...record, lifecycle: 'done', reason: 'canceled' } : record));
}

it('an order that has ended before a start could cancel it needs no cancel in the step in which the process before died', () => {
  const recorded = new LifetimeRecords(recordsWithEnd(2000), []);
  expect(recorded.cancelOf(7), 'no cancel is recorded').toBeUndefined();
  expect(recorded.endedBeforeCancel(7, 1, 2000)).toBe(true);
  expect(recorded.endedBeforeCancel(8, 1, 2000), 'order 8 has not ended').toBe(false);
  expect(new LifetimeRecords(recordsWithEnd(2500), []).endedBeforeCancel(7, 1, 2000), 'the process wrote records after the step').toBe(
    false,
  );
});
