// Tests an hour of ten times the allowed traffic, over a bad network, to an exchange with a wrong clock: no reply is a 429.

import { expect, test } from 'vitest';
import { PRIORITIES, SHARES } from '../../src/adapters/exchange/limits/priorityShares.ts';
import { HOUR_MS, LimitsWorld, NETWORKS, type ClassCounts, type Flow } from './limitsWorld.ts';

/** `npm run campaign -- limits` sets both variables, and then prints the counts. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASE_COUNT = Number(ISOBAR_CASES ?? NETWORKS);

/** Returns the length of a simulation. In the suite one network has a whole hour, the others a twelfth. */
const lengthMsOf = (seed: number): number => (ISOBAR_CASES || seed === SEED ? HOUR_MS : HOUR_MS / 12);

/** The total of received requests, and the worst figures of all rate classes, for the line that a campaign prints. */
const worst = { tooMany: 0, received: 0, cancelP99Ms: 0, gapMs: 0, share: Infinity, floor: Infinity };

test(`the client causes no reply with status 429 in ${CASE_COUNT} hours from seed ${SEED}`, { timeout: HOUR_MS * 24 }, () => {
  for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
    const world = new LimitsWorld(seed);
    world.run(lengthMsOf(seed));
    const seedText = `seed ${seed} (${world.network}); again: npm run campaign -- limits --seed ${seed} --cases 1`;
    expect(world.tooMany, `429s of ${seedText}`).toBe(0);
    expect(world.received).toBeGreaterThan(lengthMsOf(seed) / 30);
    worst.received += world.received;
    for (const counts of world.clients.flatMap((client) => client.classes))
      checkClass(counts, lengthMsOf(seed) / counts.windowMs, seedText);
  }
  if (ISOBAR_CASES) console.log(`limits campaign: seeds ${SEED} to ${SEED + CASE_COUNT - 1}, no 429`, JSON.stringify(worst));
});

test('the campaign detects a limiter that counts requests when they leave and not when they may arrive', () => {
  const world = new LimitsWorld(SEED, 'counts from sending');
  world.run(HOUR_MS / 60);
  expect(world.tooMany).toBeGreaterThan(20);
});

/** Checks how the requests of one rate class were served over a run of `windows` windows of its limit. */
function checkClass(counts: ClassCounts, windows: number, seedText: string): void {
  checkUsedShare(counts, windows, seedText);
  if (counts.mix === 'flood') return;
  if (counts.mix === 'bars') return checkBesideBars(counts, windows, seedText);
  checkCancels(counts, windows, seedText);
  if (counts.mix === 'mixed') checkFloors(counts, windows, seedText);
}

/** Checks that the limiter uses nearly all of the limit that the delays of the network leave. */
function checkUsedShare({ op, mix, limit, flows }: ClassCounts, windows: number, seedText: string): void {
  // A call counts for its window of 2 s and for the wait for its reply, at most 0.8 s. So at most 2 / 2.8 of a limit can be used.
  // Bars leave some of it to steady calls.
  const sent = PRIORITIES.reduce((sum, priority) => sum + flows[priority].sent, 0);
  const share = sent / (windows * limit * (mix === 'flood' || mix === 'bars' ? 1 : SHARES.common));
  expect(share, `share of the budget of ${op} that was used, ${seedText}`).toBeGreaterThan(mix === 'bars' ? 0.65 : 0.69);
  worst.share = Math.min(worst.share, share);
}

/** Checks that many reads of bars do not hold up the other reads of their class. */
function checkBesideBars({ op, limit, windowMs, flows }: ClassCounts, windows: number, seedText: string): void {
  expect(Math.max(...flows.reconcile.waitsMs), `ms that reads of ${op} wait behind bars, ${seedText}`).toBeLessThan(4 * windowMs);
  expect(flows.steady.sent / (windows * limit * SHARES.floor), `share of its floor that steady had, ${seedText}`).toBeGreaterThan(0.69);
}

/** Checks that no cancel is refused, and that 99 % of the cancels wait for at most one window. */
function checkCancels({ op, limit, windowMs, flows }: ClassCounts, windows: number, seedText: string): void {
  const p99Ms = percentile(flows.cancel, 0.99);
  expect(flows.cancel.offered).toBeGreaterThan(windows * limit * 0.05);
  expect(p99Ms, `ms that cancels of ${op} wait, ${seedText}`).toBeLessThanOrEqual(windowMs);
  expect(flows.cancel.refused, `cancels of ${op} that found no place, ${seedText}`).toBe(0);
  worst.cancelP99Ms = Math.max(worst.cancelP99Ms, p99Ms);
}

/** Checks that orders and steady calls get their guaranteed share, without long gaps. */
function checkFloors({ op, limit, windowMs, flows }: ClassCounts, windows: number, seedText: string): void {
  for (const priority of ['order', 'steady'] as const) {
    const floor = flows[priority].sent / (windows * limit * SHARES.floor);
    expect(floor, `share of its floor that ${priority} of ${op} got, ${seedText}`).toBeGreaterThan(0.69);
    expect(flows[priority].maxGapMs, `ms without ${priority} of ${op}, ${seedText}`).toBeLessThan(4 * windowMs);
    worst.floor = Math.min(worst.floor, floor);
    worst.gapMs = Math.max(worst.gapMs, flows[priority].maxGapMs);
  }
}

/** Returns the time in ms that a share of the calls waited at most. */
function percentile({ waitsMs }: Flow, share: number): number {
  const sorted = waitsMs.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}
