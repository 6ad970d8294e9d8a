// Tests unpublished rate limits: the limiter finds a rate below an unknown limit, and stays there.

import { describe, expect, it } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { Allowance } from './allowance.ts';
import { Limiter } from './limiter.ts';
import { SHARES } from './priorityShares.ts';

const HOUR_MS = 3_600_000;
const WINDOW_MS = 2000;
/** The time from the first call until the allowance has stopped growing: at most nine steps of ten windows. */
const SETTLED_MS = 300_000;
const START_MS = Date.UTC(2026, 0, 5);

/** What one simulation gave. */
interface SimulationResult {
  /** Times of refusals, ms. */
  readonly refusedMs: number[];
  /** Calls served after the allowance had settled, as a share of those that the exchange would have served (0 to 1). */
  readonly share: number;
  readonly lastAllowance: number;
  readonly minAllowance: number;
}

/** Sends as many creates as the limiter admits to an exchange that serves `limit` of them in a window and counts only served ones. */
function simulate(limit: number, seed: number, hours = 1): SimulationResult {
  const queue = new DueQueue();
  queue.runDue(START_MS);
  const rng = seededRng(seed);
  const limiter = new Limiter(queue);
  const served: number[] = [];
  const refusedMs: number[] = [];
  let servedAfterSettling = 0;
  let minAllowance = Infinity;
  const sendNext = (): void => {
    limiter.acquire(
      'futures.createOrder',
      'order',
      (ticket) => {
        queue.at(queue.nowMs + 5 + rng.next() * 45, () => {
          while (served[0] !== undefined && served[0] <= queue.nowMs - WINDOW_MS) served.shift();
          const isServed = served.length < limit;
          if (isServed) served.push(queue.nowMs);
          else refusedMs.push(queue.nowMs - START_MS);
          if (isServed && queue.nowMs >= START_MS + SETTLED_MS) servedAfterSettling++;
          queue.at(queue.nowMs + 5 + rng.next() * 45, () => {
            ticket.finish(isServed ? 200 : 429, null, null);
            if (queue.nowMs >= START_MS + SETTLED_MS) minAllowance = Math.min(minAllowance, allowance());
            sendNext();
          });
        });
      },
      () => {},
    );
  };
  const allowance = () => limiter.state.classes[0]!.allowance;
  for (let i = 0; i < 40; i++) sendNext();
  queue.runDue(START_MS + HOUR_MS * hours);
  const maxServed = (limit * (HOUR_MS * hours - SETTLED_MS)) / WINDOW_MS;
  return { refusedMs, share: servedAfterSettling / maxServed, lastAllowance: allowance(), minAllowance };
}

/** Returns the times of incidents. Refusals within 1.5 s belong to one stop, and are one incident. */
const incidents = (refusedMs: readonly number[]): number[] => refusedMs.filter((ms, i) => i === 0 || ms > refusedMs[i - 1]! + 1500);

describe('an allowance below an unknown limit', () => {
  it.each([1, 2, 3, 5, 8, 11, 15])('an unknown limit of %i calls in a window is found, and tested again at growing intervals', (limit) => {
    const seed = limit;
    const { refusedMs, share, minAllowance } = simulate(limit, seed, 3);
    const incidentsAfter = incidents(refusedMs).filter((ms) => ms > SETTLED_MS);
    // A refused rate is used again after 10 minutes, 20, 40 and 80, so three hours have no more refusals.
    expect(incidentsAfter.length, `incidents of seed ${limit}`).toBeLessThanOrEqual(4);
    for (let i = 1; i < incidentsAfter.length; i++) expect(incidentsAfter[i]! - incidentsAfter[i - 1]!).toBeGreaterThan(590_000);
    expect(minAllowance, `seed ${limit}`).toBeGreaterThanOrEqual(Math.floor((limit + 1) / 2));
    // The share of the limit that calls other than cancels may use, in whole calls.
    const commonShare = Math.max(1, Math.floor(limit * SHARES.common)) / limit;
    expect(share / commonShare, `share of seed ${limit}`).toBeGreaterThan(0.9);
  });

  it.each([16, 20, 50])('an unknown limit of %i calls is never reached, because at most the assumed limit is used', (limit) => {
    const { refusedMs, lastAllowance } = simulate(limit, limit);
    expect([refusedMs, lastAllowance]).toEqual([[], 20]);
  });
});

describe('an allowance', () => {
  it('an allowance is halved at once, and grows by one in ten windows while calls wait, to just below the refused rate', () => {
    const allowance = new Allowance(20, 1, WINDOW_MS);
    allowance.onRefusal(12, 0);
    expect(allowance.now).toBe(6);
    const allowances: number[] = [];
    for (let ms = 0; ms <= 200_000; ms += 10_000) {
      allowance.onDemand(ms);
      allowances.push(allowance.now);
    }
    expect(allowances.slice(0, 6)).toEqual([6, 6, 7, 7, 8, 8]);
    expect(allowance.now).toBe(11);
  });

  it('an allowance uses a refused rate again after ten minutes, then twenty, at most four hours', () => {
    const allowance = new Allowance(20, 1, WINDOW_MS);
    let nowMs = 0;
    const waits: number[] = [];
    for (let i = 0; i < 7; i++) {
      allowance.onRefusal(8, nowMs);
      const refusedMs = nowMs;
      while (allowance.now < 8) allowance.onDemand((nowMs += 10_000));
      waits.push((nowMs - refusedMs) / 60_000);
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 240, 240]);
  });

  it('an allowance always has room for the heaviest call', () => {
    const allowance = new Allowance(20, 5, WINDOW_MS);
    for (let i = 0; i < 9; i++) allowance.onRefusal(3, i);
    expect(allowance.now).toBe(5);
  });

  it('an allowance does not grow while no calls wait', () => {
    const allowance = new Allowance(20, 1, WINDOW_MS);
    allowance.onRefusal(20, 0);
    allowance.onDemand(HOUR_MS);
    expect(allowance.now).toBe(11);
  });
});
