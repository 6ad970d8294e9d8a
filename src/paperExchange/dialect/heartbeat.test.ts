// Tests the heartbeat rule of the paper exchange to the ms.

import { expect, it } from 'vitest';
import { DueQueue } from '../../ports/dueQueue.ts';
import { Heartbeat } from './heartbeat.ts';

/** Returns a heartbeat in simulated time, with its pings and the time of its end. */
function startHeartbeat() {
  const queue = new DueQueue();
  queue.runDue(1_000_000);
  const pings: string[] = [];
  let lostMs: number | null = null;
  const heartbeat = new Heartbeat(
    queue,
    { everyMs: 10_000, pongTimeoutMs: 30_000 },
    { ping: (stamp) => pings.push(stamp), onLost: () => (lostMs = queue.nowMs - 1_000_000) },
  );
  return { heartbeat, pings, pass: (ms: number) => queue.runDue(queue.nowMs + ms), lostMs: () => lostMs };
}

it('the heartbeat pings every ten seconds, and gives up a silent connection after thirty', () => {
  const { pings, pass: advance, lostMs } = startHeartbeat();
  advance(29_999);
  expect([pings, lostMs()]).toEqual([['1010000', '1020000'], null]);
  advance(1);
  expect(lostMs()).toBe(30_000);
  advance(100_000);
  expect(pings.length).toBeLessThanOrEqual(3);
});

it('the heartbeat counts the silence from the last pong', () => {
  const { heartbeat, pings, pass: advance, lostMs } = startHeartbeat();
  advance(10_000);
  heartbeat.onPong(pings[0]!);
  advance(29_999);
  expect(lostMs()).toBeNull();
  advance(1);
  expect(lostMs()).toBe(40_000);
});

it('the heartbeat accepts each of its own stamps once, and no other', () => {
  const { heartbeat, pings, pass: advance, lostMs } = startHeartbeat();
  advance(25_000);
  heartbeat.onPong(pings[1]!);
  // The pong of the later ping has already answered the earlier one.
  advance(20_000);
  heartbeat.onPong(pings[0]!);
  heartbeat.onPong(pings[1]!);
  heartbeat.onPong('7');
  advance(9999);
  expect(lostMs()).toBeNull();
  advance(1);
  expect(lostMs()).toBe(55_000);
});

it('a stopped heartbeat sends nothing', () => {
  const { heartbeat, pings, pass: advance, lostMs } = startHeartbeat();
  heartbeat.stop();
  advance(100_000);
  expect([pings, lostMs()]).toEqual([[], null]);
});
