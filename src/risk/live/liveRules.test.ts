// Tests the rules that watch a live bot, each just below, at and beyond its limit.

import { describe, expect, test } from 'vitest';
import { FuturesFixture } from '../../../test/fixtures/futuresFixture.ts';
import { inverseContract } from '../../../test/fixtures/futuresVenue.ts';
import { RiskFixture } from '../../../test/fixtures/riskFixture.ts';
import type { DraftTerms } from '../../../test/fixtures/drafts.ts';
import { fillOf } from '../../../test/fixtures/fills.ts';
import { ConfigError } from '../../base/errors.ts';
import type { RiskLimits } from '../limits/limits.ts';
import type { LiveFacts } from './liveWatch.ts';

const NOW_MS = 1_700_000_000_000;

/** Facts of a healthy bot: all are known and within every limit. */
const HEALTHY: LiveFacts = {
  instruments: 2,
  priceMs: () => NOW_MS,
  barCloseMs: () => NOW_MS,
  barLengthMs: () => 60_000,
  isSound: () => true,
  auditMs: NOW_MS,
  clockErrorMs: 0,
  heartbeatMs: NOW_MS,
  alertMs: Infinity,
  heldLots: () => 0,
  guardedLots: () => 0,
};

/** Returns the causes that are raised at `nowMs` with these facts. */
function causesOf(limits: RiskLimits, facts: Partial<LiveFacts>, nowMs = NOW_MS): string[] {
  const fixture = new RiskFixture(limits);
  fixture.risk.tick({ ...HEALTHY, ...facts }, nowMs);
  return fixture.risk.halts.causes().map(({ code, scope, state }) => `${code} ${scope.kind} ${state}`);
}

/** A rule that halts when something is too old, or too uncertain. */
interface AgeCase {
  readonly code: string;
  readonly limits: RiskLimits;
  /** Returns the facts of a bot whose age (or clock error) is `value`. The rule raises `raises` beyond `max`. */
  readonly facts: (value: number) => Partial<LiveFacts>;
  readonly max: number;
  readonly raises: string[];
}
const raisedTwice = (cause: string) => [cause, cause];
const AGE_CASES: readonly AgeCase[] = [
  { code: 'STALE_DATA', limits: { maxPriceAgeMs: 10_000 }, facts: (age) => ({ priceMs: () => NOW_MS - age }), max: 10_000, raises: raisedTwice('STALE_DATA symbol HALT_NEW') },
  { code: 'STALE_DATA of bars', limits: { maxBarAge: '1.5' }, facts: (age) => ({ barCloseMs: () => NOW_MS - age }), max: 90_000, raises: raisedTwice('STALE_DATA symbol HALT_NEW') },
  { code: 'STALE_ACCOUNT', limits: { maxAuditAgeMs: 30_000 }, facts: (age) => ({ auditMs: NOW_MS - age }), max: 30_000, raises: ['STALE_ACCOUNT account HALT_NEW'] },
  { code: 'CLOCK', limits: { maxClockErrorMs: 400 }, facts: (error) => ({ clockErrorMs: error }), max: 400, raises: ['CLOCK account HALT_NEW'] },
  { code: 'DEAD_MAN', limits: { maxHeartbeatAgeMs: 60_000 }, facts: (age) => ({ heartbeatMs: NOW_MS - age }), max: 60_000, raises: ['DEAD_MAN account HALT_NEW'] },
  { code: 'DEAD_MAN of alerts', limits: { maxAlertAgeMs: 300_000 }, facts: (age) => ({ alertMs: NOW_MS - age }), max: 300_000, raises: ['DEAD_MAN account HALT_NEW'] },
]; // prettier-ignore

describe.each(AGE_CASES)('$code', ({ code: title, limits, facts, max, raises }) => {
  test(`${title}: the rule halts only beyond its limit, and only if the limit is set`, () => {
    expect([causesOf(limits, facts(max - 1)), causesOf(limits, facts(max)), causesOf(limits, facts(max + 1))]).toEqual([[], [], raises]);
    expect(causesOf({}, facts(1e9))).toEqual([]);
  });
  test(`${title}: the rule treats an unknown age as too old`, () => {
    expect(causesOf(limits, facts(NaN))).toEqual(raises);
  });
  test(`${title}: the rule clears its halt when the facts are healthy again`, () => {
    const fixture = new RiskFixture(limits);
    fixture.risk.tick({ ...HEALTHY, ...facts(max + 1) }, NOW_MS);
    // An unsound price is trusted again after three newer ones.
    for (let afterMs = 1; afterMs <= 3; afterMs++) {
      const newest = { priceMs: () => NOW_MS + afterMs, auditMs: NOW_MS, heartbeatMs: NOW_MS, barCloseMs: () => NOW_MS + afterMs };
      fixture.risk.tick({ ...HEALTHY, ...facts(0), ...newest }, NOW_MS + afterMs);
    }
    expect(fixture.risk.halts.causes()).toEqual([]);
  });
});

describe('second steps', () => {
  test('an audit ten times too old, or an operator silent for twice the limit, allows only cancels', () => {
    const audit = (age: number) => causesOf({ maxAuditAgeMs: 30_000 }, { auditMs: NOW_MS - age });
    expect([audit(300_000), audit(300_001)]).toEqual([['STALE_ACCOUNT account HALT_NEW'], ['STALE_ACCOUNT account CANCEL_ONLY']]);
    const silence = (age: number) => causesOf({ maxHeartbeatAgeMs: 60_000 }, { heartbeatMs: NOW_MS - age });
    expect([silence(120_000), silence(120_001)]).toEqual([['DEAD_MAN account HALT_NEW'], ['DEAD_MAN account CANCEL_ONLY']]);
  });
});

describe('STALE_DATA', () => {
  test('STALE_DATA halts only the symbol of an unsound price, until three newer prices have come', () => {
    const fixture = new RiskFixture({ maxPriceAgeMs: 10_000 });
    const tick = (afterMs: number, isSound: boolean) =>
      fixture.risk.tick(
        { ...HEALTHY, priceMs: () => NOW_MS + afterMs, barCloseMs: () => 0, isSound: (index) => index !== 0 || isSound },
        NOW_MS + afterMs,
      );
    tick(0, false);
    expect([fixture.code({ lots: 5 }), fixture.code({ lots: 5, instrumentIndex: 1 })]).toEqual(['STALE_DATA', null]);
    tick(1, true);
    tick(2, true);
    tick(2, true);
    expect(fixture.code({ lots: 5 })).toBe('STALE_DATA');
    tick(3, true);
    expect(fixture.code({ lots: 5 })).toBeNull();
  });
});

describe('CLOCK', () => {
  test('CLOCK halts after three orders in a row are refused for their time, until the next measurement', () => {
    const fixture = new RiskFixture({ maxClockErrorMs: 400 });
    const order = fixture.draft({ lots: 5 });
    const tick = (clockErrorMs: number) => fixture.risk.tick({ ...HEALTHY, clockErrorMs }, NOW_MS);
    tick(20);
    for (const code of ['-1021', '-1021', '-2010', '-1021', '-1021']) fixture.risk.refused(order, code, NOW_MS);
    expect(fixture.code({ lots: 5 })).toBeNull();
    fixture.risk.refused(order, '-1021', NOW_MS);
    tick(25);
    expect(fixture.code({ lots: 5 })).toBe('CLOCK');
    tick(5);
    expect(fixture.code({ lots: 5 })).toBeNull();
  });
});

describe('NAKED', () => {
  test('NAKED halts the symbol of a position that has no stop for too long', () => {
    const fixture = new RiskFixture({ maxNakedMs: 10_000 });
    const tick = (afterMs: number, guarded: number) => {
      fixture.risk.tick({ ...HEALTHY, heldLots: (index) => (index === 0 ? 10 : 0), guardedLots: () => guarded }, NOW_MS + afterMs);
      return fixture.risk.halts.causes().length;
    };
    expect([tick(0, 8), tick(10_000, 8), tick(10_001, 8), tick(10_002, 10), tick(10_003, 8), tick(20_003, 8), tick(20_004, 8)]).toEqual([
      0, 0, 1, 0, 0, 0, 1,
    ]);
  });
  test('NAKED ignores dust that no order can close', () => {
    const naked = (guarded: number) => {
      const fixture = new RiskFixture({ maxNakedMs: 1 });
      for (const afterMs of [0, 10])
        fixture.risk.tick({ ...HEALTHY, heldLots: (index) => (index === 0 ? 10 : 0), guardedLots: () => guarded }, NOW_MS + afterMs);
      return fixture.risk.halts.hasAny;
    };
    expect([naked(9), naked(8)]).toEqual([false, true]);
  });
  test('NAKED_EXIT raises one attempt to close in each period of its limit, until a stop exists', () => {
    const fixture = new RiskFixture({ maxNakedExitMs: 60_000 });
    const tick = (afterMs: number, guarded = 0) => {
      fixture.risk.tick({ ...HEALTHY, heldLots: (index) => (index === 0 ? 10 : 0), guardedLots: () => guarded }, NOW_MS + afterMs);
      return fixture.risk.halts.causes().map(({ code, state, scope, sinceMs }) => `${code} ${state} ${scope.kind} ${sinceMs - NOW_MS}`);
    };
    const causeSince = (ms: number) => [`NAKED_EXIT HALT_NEW symbol ${ms}`];
    expect([tick(0), tick(60_000), tick(60_001), tick(119_999), tick(120_000), tick(120_001), tick(130_000, 10)]).toEqual([
      [], [], causeSince(60_001), causeSince(60_001), causeSince(120_000), causeSince(120_000), [],
    ]); // prettier-ignore
  });
  test('a halt that was raised under a larger limit is cleared after the limit has been tightened', () => {
    const fixture = new RiskFixture({ maxAuditAgeMs: 30_000 });
    fixture.risk.tick({ ...HEALTHY, auditMs: NOW_MS - 30_001 }, NOW_MS);
    fixture.risk.tighten({ maxAuditAgeMs: 20_000 });
    fixture.risk.tick(HEALTHY, NOW_MS);
    expect(fixture.risk.halts.causes()).toEqual([]);
  });
});

describe('UNKNOWN_BUDGET', () => {
  const unknown = (fixture: RiskFixture, terms: DraftTerms) => Object.assign(fixture.send({ lots: 5, ...terms }), { lifecycle: 'unknown' });
  const causes = (fixture: RiskFixture) => fixture.risk.halts.causes().map(({ why }) => why);
  test('UNKNOWN_BUDGET halts when more orders than its limit are of unknown outcome, until one is known', () => {
    const fixture = new RiskFixture({ maxUnknown: 2 });
    fixture.hold(100);
    fixture.risk.outcome(unknown(fixture, {}), NOW_MS);
    fixture.risk.outcome(unknown(fixture, { side: 'sell' }), NOW_MS);
    expect(causes(fixture)).toEqual([]);
    const third = unknown(fixture, { instrumentIndex: 1 });
    fixture.risk.outcome(third, NOW_MS);
    expect(causes(fixture)).toEqual(['3 orders are of unknown outcome, at most 2']);
    third.lifecycle = 'working';
    fixture.risk.outcome(null, NOW_MS + 600_000);
    expect(causes(fixture)).toEqual([]);
  });
  test('UNKNOWN_BUDGET allows one order of each symbol and side', () => {
    const fixture = new RiskFixture({ maxUnknown: 3 });
    fixture.risk.outcome(unknown(fixture, {}), NOW_MS);
    fixture.risk.outcome(unknown(fixture, {}), NOW_MS);
    expect(causes(fixture)).toEqual(['two orders of one symbol and side are of unknown outcome']);
  });
  test('UNKNOWN_BUDGET counts all unknown outcomes of the last ten minutes, even those that are known by now', () => {
    const fixture = new RiskFixture({ maxUnknown: 1 });
    for (const afterMs of [0, 1000]) {
      const order = unknown(fixture, {});
      fixture.risk.outcome(order, NOW_MS + afterMs);
      order.lifecycle = 'working';
      fixture.risk.outcome(null, NOW_MS + afterMs + 1);
    }
    expect(causes(fixture)).toEqual(['more than 1 outcomes were unknown within 10 minutes']);
    fixture.risk.tick(HEALTHY, NOW_MS + 599_999);
    expect(causes(fixture)).toHaveLength(1);
    fixture.risk.tick(HEALTHY, NOW_MS + 600_000);
    expect(causes(fixture)).toEqual([]);
  });
});

/** Reports fills of a strategy to risk, and returns the causes that follow. */
function afterFills(limits: RiskLimits, fills: readonly { ticks: number; ms?: number; terms?: DraftTerms }[]): string[] {
  const fixture = new RiskFixture(limits);
  fixture.hold(1000);
  for (const { ticks, ms = NOW_MS, terms = {} } of fills) {
    const order = fixture.draft({ lots: 5, ...terms });
    fixture.risk.filled(order, fillOf({ price: ticks, lots: 5, notional: 5 * ticks * 1000, timeMs: ms }));
  }
  return fixture.risk.halts.causes().map(({ code, scope }) => `${code} ${scope.kind}`);
}

describe('POST_TRADE', () => {
  test('POST_TRADE halts after a fill that is worse than both limit and price by more than its share', () => {
    const limits = { maxFillSlip: '0.02' };
    expect([1019, 1020, 1021].map((ticks) => afterFills(limits, [{ ticks }]))).toEqual([[], [], ['POST_TRADE account']]);
    expect([981, 980, 979].map((ticks) => afterFills(limits, [{ ticks }]))).toEqual([[], [], ['POST_TRADE account']]);
    // A fill between a limit and the price is expected, however far the limit is from the price.
    expect([1122, 1123].map((ticks) => afterFills(limits, [{ ticks, terms: { limit: 1100 } }]))).toEqual([[], ['POST_TRADE account']]);
  });
});

describe('REPEAT', () => {
  const fourFills = (stepMs: number) => [0, 1, 2, 3].map((index) => ({ ticks: 1000, ms: NOW_MS + index * stepMs }));
  test('REPEAT counts executions of a strategy within a minute', () => {
    expect(afterFills({ maxFillsPerMinute: 3 }, fourFills(20_000))).toEqual([]);
    expect(afterFills({ maxFillsPerMinute: 3 }, fourFills(19_999))).toEqual(['REPEAT strategy']);
    expect(afterFills({ maxFillsPerMinute: 4 }, fourFills(0))).toEqual([]);
  });
  test('REPEAT halts only the strategy whose refusals within a minute exceed the limit', () => {
    const fixture = new RiskFixture({ maxRejectsPerMinute: 2 });
    const order = fixture.draft({ lots: 5 });
    for (const afterMs of [0, 1]) fixture.risk.refused(order, '-2010', NOW_MS + afterMs);
    expect(fixture.code({ lots: 5 })).toBeNull();
    fixture.risk.refused(order, '-2010', NOW_MS + 59_999);
    expect([fixture.code({ lots: 5 }), fixture.code({ lots: 5, strategy: 1 })]).toEqual(['REPEAT', null]);
  });
});

describe('LOSS_STREAK', () => {
  /** Buys at 1000 and sells at each of the prices. Returns the scopes that are halted then. */
  function scopesAfterTrips(exitPrices: readonly number[]): string[] {
    const fixture = new RiskFixture({ maxLossStreak: 2 });
    for (const exitPrice of exitPrices) {
      for (const [side, ticks] of [
        ['buy', 1000],
        ['sell', exitPrice],
      ] as const) {
        const order = fixture.send({ lots: 5, side });
        fixture.fill(order, 5, ticks);
        fixture.risk.filled(order, fillOf({ price: ticks, lots: 5, notional: 5 * ticks * 1000, fee: 0, timeMs: NOW_MS }));
      }
    }
    return fixture.risk.halts.causes().map(({ scope }) => scope.kind);
  }
  test('LOSS_STREAK halts after the limit of losing round trips in a row, and a gain restarts the count', () => {
    const tripsOf = [[999], [999, 999], [999, 1001, 999], [1000, 1000]];
    expect(tripsOf.map(scopesAfterTrips)).toEqual([[], ['strategy'], [], []]);
  });
  test.each([
    { side: 'long', move: 'a rise', direction: 1, exitPrice: 1_100_000, raised: [] },
    { side: 'long', move: 'a fall', direction: 1, exitPrice: 900_000, raised: ['strategy'] },
    { side: 'short', move: 'a rise', direction: -1, exitPrice: 1_100_000, raised: ['strategy'] },
    { side: 'short', move: 'a fall', direction: -1, exitPrice: 900_000, raised: [] },
  ])(
    'LOSS_STREAK counts round trips of inverse contracts that are $side after $move by their profit',
    ({ direction, exitPrice, raised }) => {
      const fixture = new FuturesFixture({
        instruments: [inverseContract()],
        mark: 1_000_000,
        cash: 1_000_000_000,
        limits: { maxLossStreak: 2 },
      });
      for (const isEntry of [true, false, true, false]) {
        const order = fixture.draft({ lots: 5, side: isEntry === direction > 0 ? 'buy' : 'sell' });
        const price = isEntry ? 1_000_000 : exitPrice;
        fixture.fill(order, 5, price);
        fixture.risk.filled(order, fillOf({ price, lots: 5, notional: fixture.ledger.scale(0).valueOfLots(5, price), timeMs: NOW_MS }));
      }
      expect(fixture.risk.halts.causes().map(({ scope }) => scope.kind)).toEqual(raised);
    },
  );
});

describe('limits of a running bot', () => {
  test('limits of a running bot apply at once when tightened, and a wider limit is rejected', () => {
    const fixture = new RiskFixture({ maxOrderQty: '0.02', maxOrdersPerMinute: 3, restricted: '22:55-23:05' });
    fixture.risk.tighten({ maxOrderQty: '0.01', maxOpenOrders: 5 });
    expect([fixture.code({ lots: 10 }), fixture.code({ lots: 11 })]).toEqual([null, 'QTY_MAX']);
    expect(() => fixture.risk.tighten({ maxOrderQty: '0.011' })).toThrow(/risk\.maxOrderQty: expected at most 0\.01, got 0\.011/);
    expect(() => fixture.risk.tighten({ restricted: '22:00-22:10' })).toThrow(ConfigError);
    fixture.risk.tighten({ restricted: '22:00-22:10, 22:55-23:05' });
    expect(fixture.risk.limits).toMatchObject({ maxOrderQty: '0.01', maxOpenOrders: 5, maxOrdersPerMinute: 3 });
    expect(fixture.risk.rulesOn()).toContain('OPEN_ORDERS');
  });
  test('limits of a running bot count the orders already sent', () => {
    const fixture = new RiskFixture({ maxOrdersPerMinute: 3 });
    fixture.send({ lots: 5 });
    fixture.nowMs += 10_000;
    fixture.send({ lots: 5 });
    fixture.risk.tighten({ maxOrdersPerMinute: 2 });
    expect(fixture.code({ lots: 5 })).toBe('MESSAGE_RATE');
    fixture.nowMs += 50_000;
    expect([fixture.code({ lots: 5 }), fixture.code({ lots: 5 })]).toEqual([null, 'MESSAGE_RATE']);
  });
  test('tightened loss limits of a running bot measure from the earlier baseline', () => {
    const fixture = new RiskFixture({ maxDrawdown: '0.5' });
    fixture.risk.begin(1000, NOW_MS);
    fixture.risk.observe(Float64Array.of(NOW_MS), Float64Array.of(2000), 1);
    fixture.risk.tighten({ maxDrawdown: '0.1' });
    fixture.risk.observe(Float64Array.of(NOW_MS, NOW_MS + 1), Float64Array.of(2000, 1800), 2);
    expect(fixture.code({ lots: 5 })).toBe('DRAWDOWN');
    expect(() => fixture.risk.tighten({ maxDailyLoss: '0.1' })).toThrow(/a loss limit needs a restart|was off/);
  });
  test('a restart continues from the baseline of the loss rules', () => {
    const before = new RiskFixture({ maxDrawdown: '0.1', maxDailyLoss: '0.5' });
    before.risk.begin(1000, NOW_MS);
    before.risk.observe(Float64Array.of(NOW_MS), Float64Array.of(2000), 1);
    const restarted = new RiskFixture({ maxDrawdown: '0.1', maxDailyLoss: '0.5' });
    restarted.risk.begin(1900, NOW_MS + 1000);
    restarted.risk.restore(before.risk.snapshot());
    restarted.risk.observe(Float64Array.of(NOW_MS + 2000), Float64Array.of(1800), 1);
    expect(restarted.code({ lots: 5 })).toBe('DRAWDOWN');
    expect(restarted.risk.snapshot().get('DAILY_LOSS')?.[1]).toBe(1000);
  });
});
