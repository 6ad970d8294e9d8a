// Tests a draft that was denied when it was released: a restart assigns it to the time of its release.

import { expect, test } from 'vitest';
import type { JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { createdMsOf, LifetimeRecords } from '../../src/tasks/bot/lifetime/lifetimeRecords.ts';

const recordWith = (members: object): JournalRecord =>
  ({ seq: 1, t: 0, dur: 0, crc: '', cid: 'c', ...members }) as unknown as JournalRecord;
const DRAFT = recordWith({ k: 'DRAFT', order: 5, strategy: 0, createdMs: 1000 });
const DENIED = recordWith({ k: 'VERDICT', order: 5, ok: false, code: 'POSITION_MAX', inputs: { lastTicks: 1, createdMs: 7000 } });

test('a denied draft belongs to the time of its verdict, and a waiting draft to the time at which it was made', () => {
  expect(createdMsOf(new LifetimeRecords([DRAFT], []).order(5)!)).toBe(1000);
  const records = new LifetimeRecords([DRAFT, DENIED], []);
  expect(createdMsOf(records.order(5)!)).toBe(7000);
  expect(records.orderAt(7000)?.number).toBe(5);
});

test('a verdict of an older journal without a time leaves the draft at the time at which it was made', () => {
  const oldVerdict = recordWith({ k: 'VERDICT', order: 5, ok: false, code: 'POSITION_MAX', inputs: {} });
  expect(createdMsOf(new LifetimeRecords([DRAFT, oldVerdict], []).order(5)!)).toBe(1000);
});
