// The records of a lifetime, as a restart reads them.

import { expect, it } from 'vitest';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { LifetimeRecords } from './lifetimeRecords.ts';

/** The records of an instant in which a process dies, and of the start after it, as far as the comparison of cancels reads them. */
function records(diedAt: number, cancelledAt: number): readonly JournalRecord[] {
  const rows = [
    { t: 1000, k: 'INTENT', cid: 'A', order: 7, createdMs: 1000 },
    { t: 2000, k: 'INSTANT' },
    { t: diedAt, k: 'INTENT', cid: 'B', order: 8, createdMs: 2000 },
    { t: 2001, k: 'SEGMENT' },
    { t: 2001, k: 'CONFIG' },
    { t: cancelledAt, k: 'STATE', cid: 'A', lifecycle: 'cancelSent' },
    { t: cancelledAt, k: 'INSTANT' },
  ];
  return rows.map((row, seq) => ({ seq, ...row })) as unknown as readonly JournalRecord[];
}

function isCarriedOut(diedAt: number, cancelledAt: number, stepMs = 2000, at = 1): boolean {
  const recorded = new LifetimeRecords(records(diedAt, cancelledAt), []);
  return recorded.isCarriedOut(recorded.cancelOf(7)!, at, stepMs);
}

it('a cancel that a start wrote is the decision of the step in which the process before it died', () => {
  expect(isCarriedOut(2000, 2001)).toBe(true);
  expect(isCarriedOut(2000, 9000)).toBe(true);
});

it('a cancel of the same process, or of a process that lived on, is a decision of its own', () => {
  expect(isCarriedOut(2500, 2501), 'the process wrote records after the step').toBe(false);
  expect(isCarriedOut(2000, 2500, 2001, 4), 'the step is one of the later process').toBe(false);
  expect(isCarriedOut(2000, 1500), 'the cancel came before the step').toBe(false);
});
