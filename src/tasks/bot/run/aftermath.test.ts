// What waits for orders to leave: told in order, behind whatever the end of a sync has set going, and at once where nothing lasts any more.

import { expect, test } from 'vitest';
import { Aftermath } from './aftermath.ts';

test('comes in order, once what was set going by the disk has had its turn', () => {
  const turns: (() => void)[] = [];
  const seen: string[] = [];
  const aftermath = new Aftermath((run) => turns.push(run));
  aftermath.after(() => seen.push('sent'));
  aftermath.after(() => seen.push('point'));
  expect(seen).toEqual([]);
  aftermath.lasts();
  seen.push('request');
  aftermath.after(() => seen.push('refused'));
  for (const turn of turns.splice(0)) turn();
  expect(seen).toEqual(['request', 'sent', 'point', 'refused']);
  aftermath.lasts();
  expect(turns).toEqual([]);
});

test('waits for nothing once nothing lasts', () => {
  const seen: string[] = [];
  const aftermath = new Aftermath(() => {});
  aftermath.after(() => seen.push('before'));
  aftermath.end();
  aftermath.after(() => seen.push('afterwards'));
  expect(seen).toEqual(['before', 'afterwards']);
});
