// Tests callbacks that wait until orders are sent: they run in order, and at once after the journal has failed.

import { expect, test } from 'vitest';
import { AfterSendQueue } from './afterSendQueue.ts';

test('callbacks run in the order in which they were added, one turn after their records are durable', () => {
  const queuedTurns: (() => void)[] = [];
  const events: string[] = [];
  const afterSend = new AfterSendQueue((run) => queuedTurns.push(run));
  afterSend.add(() => events.push('sent'));
  afterSend.add(() => events.push('point'));
  expect(events).toEqual([]);
  afterSend.onDurable();
  events.push('request');
  afterSend.add(() => events.push('refused'));
  for (const runTurn of queuedTurns.splice(0)) runTurn();
  expect(events).toEqual(['request', 'sent', 'point', 'refused']);
  afterSend.onDurable();
  expect(queuedTurns).toEqual([]);
});

test('callbacks run at once after the journal has failed', () => {
  const events: string[] = [];
  const afterSend = new AfterSendQueue(() => {});
  afterSend.add(() => events.push('before'));
  afterSend.end();
  afterSend.add(() => events.push('afterwards'));
  expect(events).toEqual(['before', 'afterwards']);
});
