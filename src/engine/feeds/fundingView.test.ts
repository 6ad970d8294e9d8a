// Tests the funding that strategies see: no future rate, and a next time that is computed from past times alone.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FundingView } from './fundingView.ts';

const HOUR_MS = 3_600_000;

/** Returns funding rates at these times. */
const ratesOf = (times: readonly number[], rate: readonly number[] = times.map((_, index) => index / 1e5)) => ({
  length: times.length,
  timeMs: Float64Array.from(times),
  rate: Float64Array.from(rate),
});

describe('funding as a strategy sees it', () => {
  it('funding shows the newest charged rate, earlier rates, and the time of the next one', () => {
    const clock = { nowMs: 0 };
    const funding = new FundingView(ratesOf([8 * HOUR_MS + 5, 16 * HOUR_MS + 2, 24 * HOUR_MS + 9], [0.0001, -0.0002, 0.0003]), clock);
    const valuesAtMs = (nowMs: number) => {
      clock.nowMs = nowMs;
      return [funding.rate, funding.atMs, funding.ago(1), funding.nextMs];
    };
    expect(valuesAtMs(8 * HOUR_MS)).toEqual([NaN, NaN, NaN, NaN]);
    expect(valuesAtMs(9 * HOUR_MS)).toEqual([0.0001, 8 * HOUR_MS + 5, NaN, NaN]);
    expect(valuesAtMs(17 * HOUR_MS)).toEqual([-0.0002, 16 * HOUR_MS + 2, 0.0001, 24 * HOUR_MS]);
    // The rate is due but not known yet: rates arrive some ms late.
    expect(valuesAtMs(24 * HOUR_MS)).toEqual([-0.0002, 16 * HOUR_MS + 2, 0.0001, 24 * HOUR_MS]);
    expect(valuesAtMs(24 * HOUR_MS + 9)).toEqual([0.0003, 24 * HOUR_MS + 9, -0.0002, 32 * HOUR_MS]);
    // When rates are missing, the next time stays on the grid.
    expect(valuesAtMs(45 * HOUR_MS)[3]).toBe(48 * HOUR_MS);
    expect([funding.ago(2), funding.ago(3), funding.ago(-1)]).toEqual([0.0001, NaN, NaN]);
  });

  it('funding does not depend on future rates', () => {
    const minuteGaps = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(minuteGaps, fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1 }), (gaps, minutes) => {
        let minutesUntilRate = 0;
        // Each rate comes some ms after its minute.
        const times = gaps.map((gap) => (minutesUntilRate += gap) * 60_000 + (gap % 7));
        const readTimes = minutes.map((minute) => minute * 60_000).toSorted((a, b) => a - b);
        const clocks: [{ nowMs: number }, { nowMs: number }] = [{ nowMs: 0 }, { nowMs: 0 }];
        const fullView = new FundingView(ratesOf(times), clocks[0]);
        for (const nowMs of readTimes) {
          const knownTimes = times.filter((timeMs) => timeMs <= nowMs);
          const earlierView = new FundingView(ratesOf(knownTimes), clocks[1]);
          for (const clock of clocks) clock.nowMs = nowMs;
          const reported = (view: FundingView) => [view.rate, view.atMs, view.ago(1), view.ago(5), view.nextMs];
          expect(reported(fullView)).toEqual(reported(earlierView));
          expect(fullView.rate).toBe(knownTimes.length === 0 ? NaN : (knownTimes.length - 1) / 1e5);
          if (knownTimes.length > 1) expect(fullView.nextMs).toBeGreaterThanOrEqual(nowMs);
        }
      }),
    );
  });

  it('an object whose conversions differ does not read a rate that is not charged yet', () => {
    const funding = new FundingView(ratesOf([1000, 2000, 3000]), { nowMs: 2500 });
    let conversions = 0;
    const age = { valueOf: (): number => (conversions++ === 0 ? -1 : 0) } as unknown as number;
    expect([funding.ago(age), conversions]).toEqual([NaN, 1]);
  });

  it('funding shows NaN when the run has no rates', () => {
    const funding = new FundingView(null, { nowMs: 1e12 });
    expect([funding.rate, funding.atMs, funding.nextMs, funding.ago(3)]).toEqual([NaN, NaN, NaN, NaN]);
  });
});
