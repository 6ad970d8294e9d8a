// An order that had to wait and was denied when it was released: a restart looks for it at the time of its release.

import { expect, test } from 'vitest';
import type { JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { createdMsOf, LifetimeRecords } from '../../src/tasks/bot/lifetime/lifetimeRecords.ts';

const record = (of: object): JournalRecord => ({ seq: 1, t: 0, dur: 0, crc: '', cid: 'c', ...of }) as unknown as JournalRecord;
const DRAFT = record({ k: 'DRAFT', order: 5, strategy: 0, createdMs: 1000 });
const DENIED = record({ k: 'VERDICT', order: 5, ok: false, code: 'POSITION_MAX', inputs: { lastTicks: 1, createdMs: 7000 } });

test('a denied draft is of the instant of its verdict, one that still waits of the instant at which it was made', () => {
  expect(createdMsOf(new LifetimeRecords([DRAFT], []).order(5)!)).toBe(1000);
  const records = new LifetimeRecords([DRAFT, DENIED], []);
  expect(createdMsOf(records.order(5)!)).toBe(7000);
  expect(records.orderAt(7000)?.number).toBe(5);
});

test('a verdict of an older journal, which does not say its instant, leaves that of the draft', () => {
  const old = record({ k: 'VERDICT', order: 5, ok: false, code: 'POSITION_MAX', inputs: {} });
  expect(createdMsOf(new LifetimeRecords([DRAFT, old], []).order(5)!)).toBe(1000);
});
