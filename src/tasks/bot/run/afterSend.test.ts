// Callbacks that wait until orders have left: they run in order, after the work of the sync, and at once when the journal has failed.

import { expect, test } from 'vitest';
import { AfterSendQueue } from './afterSend.ts';

test('comes in order, once what was set going by the disk has had its turn', () => {
  const turns: (() => void)[] = [];
  const seen: string[] = [];
  const afterSend = new AfterSendQueue((run) => turns.push(run));
  afterSend.add(() => seen.push('sent'));
  afterSend.add(() => seen.push('point'));
  expect(seen).toEqual([]);
  afterSend.onDurable();
  seen.push('request');
  afterSend.add(() => seen.push('refused'));
  for (const turn of turns.splice(0)) turn();
  expect(seen).toEqual(['request', 'sent', 'point', 'refused']);
  afterSend.onDurable();
  expect(turns).toEqual([]);
});

test('callbacks do not wait once the journal has failed', () => {
  const seen: string[] = [];
  const afterSend = new AfterSendQueue(() => {});
  afterSend.add(() => seen.push('before'));
  afterSend.end();
  afterSend.add(() => seen.push('afterwards'));
  expect(seen).toEqual(['before', 'afterwards']);
});
