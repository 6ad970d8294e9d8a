// Tests an hour of ten times the allowed traffic, over a bad network, to an exchange with a wrong clock: no reply is a 429.

import { expect, test } from 'vitest';
import { PRIORITIES, SHARES } from '../../src/adapters/exchange/limits/priorityShares.ts';
import { HOUR_MS, LimitsWorld, NETWORKS, type Flow } from './limitsWorld.ts';

/** `npm run campaign -- limits` sets both, and wants to read what was found. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASES = Number(ISOBAR_CASES ?? NETWORKS);
/** In the suite one network has its hour, the others a part of one. */
const lengthOf = (seed: number): number => (ISOBAR_CASES || seed === SEED ? HOUR_MS : HOUR_MS / 12);

test(`the client causes no reply with status 429 in ${CASES} hours from seed ${SEED}`, { timeout: HOUR_MS * 24 }, () => {
  const worst = { tooMany: 0, received: 0, cancelP99Ms: 0, gapMs: 0, share: Infinity, floor: Infinity };
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const world = new LimitsWorld(seed);
    world.run(lengthOf(seed));
    const again = `seed ${seed} (${world.network}); again: npm run campaign -- limits --seed ${seed} --cases 1`;
    expect(world.tooMany, `429s of ${again}`).toBe(0);
    expect(world.received).toBeGreaterThan(lengthOf(seed) / 30);
    worst.received += world.received;
    for (const { op, mix, limit, windowMs, flows } of world.clients.flatMap((client) => client.classes)) {
      const windows = lengthOf(seed) / windowMs;
      // With answers after 0.8 s of two, and 1.6 s at worst, 2 / 2.8 of a limit is all there is. Bars leave some of it to steady calls.
      const sent = PRIORITIES.reduce((sum, priority) => sum + flows[priority].sent, 0);
      const share = sent / (windows * limit * (mix === 'flood' || mix === 'bars' ? 1 : SHARES.common));
      expect(share, `share of the budget of ${op} that was used, ${again}`).toBeGreaterThan(mix === 'bars' ? 0.65 : 0.69);
      worst.share = Math.min(worst.share, share);
      if (mix === 'flood') continue;
      if (mix === 'bars') {
        expect(Math.max(...flows.reconcile.waitsMs), `ms that reads of ${op} wait behind bars, ${again}`).toBeLessThan(4 * windowMs);
        expect(flows.steady.sent / (windows * limit * SHARES.floor), `share of its floor that steady had, ${again}`).toBeGreaterThan(0.69);
        continue;
      }
      const p99Ms = percentile(flows.cancel, 0.99);
      expect(flows.cancel.offered).toBeGreaterThan(windows * limit * 0.05);
      expect(p99Ms, `ms that cancels of ${op} wait, ${again}`).toBeLessThanOrEqual(windowMs);
      expect(flows.cancel.refused, `cancels of ${op} that found no place, ${again}`).toBe(0);
      worst.cancelP99Ms = Math.max(worst.cancelP99Ms, p99Ms);
      if (mix === 'cancels') continue;
      for (const priority of ['order', 'steady'] as const) {
        const floor = flows[priority].sent / (windows * limit * SHARES.floor);
        expect(floor, `share of its floor that ${priority} of ${op} got, ${again}`).toBeGreaterThan(0.69);
        expect(flows[priority].maxGapMs, `ms without ${priority} of ${op}, ${again}`).toBeLessThan(4 * windowMs);
        worst.floor = Math.min(worst.floor, floor);
        worst.gapMs = Math.max(worst.gapMs, flows[priority].maxGapMs);
      }
    }
  }
  if (ISOBAR_CASES) console.log(`limits campaign: seeds ${SEED} to ${SEED + CASES - 1}, no 429`, JSON.stringify(worst));
});

test('the campaign detects a limiter that counts requests when they leave and not when they may arrive', () => {
  const world = new LimitsWorld(SEED, 'counts from sending');
  world.run(HOUR_MS / 60);
  expect(world.tooMany).toBeGreaterThan(20);
});

/** ms that a share of the calls waited at most. */
function percentile({ waitsMs }: Flow, share: number): number {
  const sorted = waitsMs.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}
