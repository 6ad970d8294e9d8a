// Tests what the records of a lifetime say about orders that precede it, and about the cancels of a step in which a process died.

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

/** When the process died, when the next start wrote a cancel, and the step that is asked about. Times in ms. */
interface CancelCase {
  readonly diedMs: number;
  readonly cancelledMs: number;
  readonly stepMs?: number;
  /** The index of the INSTANT record before the step. */
  readonly recordIndex?: number;
}

/** True when the records count the cancel of order 7 as part of the step. */
function isCarriedOut({ diedMs, cancelledMs, stepMs = 2000, recordIndex = 1 }: CancelCase): boolean {
  const recorded = new LifetimeRecords(records(diedMs, cancelledMs), []);
  return recorded.isCarriedOut(recorded.cancelOf(7)!, recordIndex, stepMs);
}

it('a cancel that a start wrote carries out the step in which the process before it died', () => {
  expect(isCarriedOut({ diedMs: 2000, cancelledMs: 2001 })).toBe(true);
  expect(isCarriedOut({ diedMs: 2000, cancelledMs: 9000 })).toBe(true);
});

it('a cancel carries out no step if its process continued after the step', () => {
  expect(isCarriedOut({ diedMs: 2500, cancelledMs: 2501 }), 'the process wrote records after the step').toBe(false);
  const laterStep = { diedMs: 2000, cancelledMs: 2500, stepMs: 2001, recordIndex: 4 };
  expect(isCarriedOut(laterStep), 'the step is one of the later process').toBe(false);
  expect(isCarriedOut({ diedMs: 2000, cancelledMs: 1500 }), 'the cancel came before the step').toBe(false);
});

it('a cancel was lost with its process if the order has ended since, and no start wrote the cancel', () => {
  const isCancelLost = (diedMs: number, endRecord: object, recordIndex = 1): boolean => {
    const withoutCancel = records(diedMs, 9000).filter(({ k }) => k !== 'STATE');
    return new LifetimeRecords([...withoutCancel, endRecord as JournalRecord], []).isCancelLost(7, recordIndex, 2000);
  };
  const canceled = { t: 9000, k: 'STATE', cid: 'A', lifecycle: 'done', reason: 'canceled' };
  expect(isCancelLost(2000, canceled)).toBe(true);
  expect(isCancelLost(2000, { t: 9000, k: 'FILL', cid: 'A', last: true })).toBe(true);
  expect(isCancelLost(2000, { ...canceled, cid: 'B' }), 'another order has ended').toBe(false);
  expect(isCancelLost(2000, { ...canceled, lifecycle: 'working' }), 'the order still works').toBe(false);
  expect(isCancelLost(2500, canceled), 'the process wrote records after the step').toBe(false);
});

it('a decision that waits for the replay counts for the process that recorded it, not for an earlier one', () => {
  const order = { k: 'INTENT', strategy: 0, slot: 'in', side: 'buy', role: 'market', qty: '1', amount: null, createdMs: 2000 };
  const instant = { t: 2000, k: 'INSTANT' };
  const later = [
    { t: 2001, k: 'SEGMENT' },
    { t: 2001, k: 'CONFIG' },
  ];
  const waitsFor = (...rows: readonly object[]): boolean =>
    new LifetimeRecords(rows.map((row, seq) => ({ seq, ...row })) as unknown as readonly JournalRecord[], []).hasUnreplayedAt(2000, 0);
  expect(waitsFor(instant, { ...order, t: 2000, cid: 'A', order: 7 }, ...later)).toBe(true);
  expect(waitsFor(instant, ...later, { ...order, t: 3000, cid: 'B', order: 8 })).toBe(false);
  const nextFile = { t: 2000, k: 'SEGMENT', goesOn: true };
  expect(waitsFor(instant, nextFile, { ...order, t: 2000, cid: 'A', order: 7 }), 'the process goes on in the next file').toBe(true);
});

it('an order before the lifetime is decided, but a draft that still waits has its decision to come', () => {
  const draft = { t: 1000, k: 'DRAFT', cid: 'A', order: 7, createdMs: 1000 };
  const sent = { t: 1000, k: 'INTENT', cid: 'B', order: 8, createdMs: 1000 };
  const release = { t: 5000, k: 'VERDICT', cid: 'A', order: 7, ok: true, inputs: { createdMs: 5000 } };
  const recorded = new LifetimeRecords([release] as unknown as JournalRecord[], [draft, sent] as unknown as JournalRecord[]);
  expect(recorded.order(7)).toMatchObject({ isDrafted: true, isReplayed: false });
  expect(recorded.order(8)).toMatchObject({ isDrafted: true, isReplayed: true });
});
