// The heartbeat rule to the ms.

import { expect, it } from 'vitest';
import { DueQueue } from '../../ports/dueQueue.ts';
import { Heartbeat } from './heartbeat.ts';

function started() {
  const queue = new DueQueue();
  queue.runDue(1_000_000);
  const pings: string[] = [];
  let lostMs: number | null = null;
  const heartbeat = new Heartbeat(
    queue,
    { everyMs: 10_000, pongTimeoutMs: 30_000 },
    { ping: (stamp) => pings.push(stamp), lost: () => (lostMs = queue.nowMs - 1_000_000) },
  );
  return { heartbeat, pings, pass: (ms: number) => queue.runDue(queue.nowMs + ms), lostMs: () => lostMs };
}

it('pings every ten seconds, and gives a silent connection up after thirty', () => {
  const { pings, pass, lostMs } = started();
  pass(29_999);
  expect([pings, lostMs()]).toEqual([['1010000', '1020000'], null]);
  pass(1);
  expect(lostMs()).toBe(30_000);
  pass(100_000);
  expect(pings.length).toBeLessThanOrEqual(3);
});

it('counts from the last pong on', () => {
  const { heartbeat, pings, pass, lostMs } = started();
  pass(10_000);
  heartbeat.onPong(pings[0]!);
  pass(29_999);
  expect(lostMs()).toBeNull();
  pass(1);
  expect(lostMs()).toBe(40_000);
});

it('takes a stamp once, and only its own', () => {
  const { heartbeat, pings, pass, lostMs } = started();
  pass(25_000);
  heartbeat.onPong(pings[1]!);
  // Answered by the later one.
  pass(20_000);
  heartbeat.onPong(pings[0]!);
  heartbeat.onPong(pings[1]!);
  heartbeat.onPong('7');
  pass(9999);
  expect(lostMs()).toBeNull();
  pass(1);
  expect(lostMs()).toBe(55_000);
});

it('a stopped heartbeat sends nothing', () => {
  const { heartbeat, pings, pass, lostMs } = started();
  heartbeat.stop();
  pass(100_000);
  expect([pings, lostMs()]).toEqual([[], null]);
});
