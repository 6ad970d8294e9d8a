// Tests the loss rules: drawdown, daily loss, and losses beyond a limit.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RiskFixture } from '../../../test/fixtures/riskFixture.ts';
import type { RiskLimits } from '../limits/limits.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The time 00:00 UTC of the first day. */
const START_MS = 19_000 * DAY_MS;

/** The equity of an account, in units, some hours after the start. */
interface EquityRow {
  readonly hours: number;
  readonly equity: number;
}

/** Shows the rows to risk in pieces of `pieceRows` rows, and checks a buy after each piece. Returns the deny codes. `begin`: the first equity. */
function codesAfterPieces(
  limits: RiskLimits,
  rows: readonly EquityRow[],
  pieceRows = 1,
  without: readonly string[] = [],
  begin = 1000,
): (string | null)[] {
  const fixture = new RiskFixture(limits, without);
  fixture.risk.begin(begin, START_MS);
  const times = Float64Array.from(rows, ({ hours }) => START_MS + hours * HOUR_MS);
  const units = Float64Array.from(rows, ({ equity }) => equity);
  const codes = [];
  for (let length = pieceRows; length <= rows.length; length += pieceRows) {
    fixture.nowMs = times[length - 1]!;
    fixture.risk.observe(times, units, length);
    codes.push(fixture.code({ lots: 5 }));
  }
  return codes;
}
const equityAfter = (hours: number, equity: number): EquityRow => ({ hours, equity });

describe('DRAWDOWN', () => {
  const limits = { maxDrawdown: '0.1' };
  test('DRAWDOWN halts from its limit on', () => {
    expect(codesAfterPieces(limits, [equityAfter(1, 901)])).toEqual([null]);
    expect(codesAfterPieces(limits, [equityAfter(1, 900)])).toEqual(['DRAWDOWN']);
    expect(codesAfterPieces(limits, [equityAfter(1, 899)])).toEqual(['DRAWDOWN']);
    expect(codesAfterPieces(limits, [equityAfter(1, 899)], 1, ['DRAWDOWN'])).toEqual([null]);
  });
  test('DRAWDOWN measures exactly from the highest equity, and stays halted when equity recovers', () => {
    expect(
      codesAfterPieces(limits, [
        equityAfter(1, 2003),
        equityAfter(2, 1803),
        equityAfter(3, 1802),
        equityAfter(4, 3000),
        equityAfter(30, 3000),
      ]),
    ).toEqual([null, null, 'DRAWDOWN', 'DRAWDOWN', 'DRAWDOWN']);
  });
  test('DRAWDOWN halts at the row of the fall, even if no order is checked at that row', () => {
    expect(codesAfterPieces(limits, [equityAfter(1, 1500), equityAfter(2, 1300), equityAfter(3, 1600), equityAfter(4, 1600)], 4)).toEqual([
      'DRAWDOWN',
    ]);
  });
  test('DRAWDOWN passes reductions, and measures from a new peak after a person has cleared it', () => {
    const fixture = new RiskFixture(limits);
    fixture.hold(50);
    fixture.risk.begin(1000, START_MS);
    const times = Float64Array.of(START_MS + 1, START_MS + 2, START_MS + 3, START_MS + 4);
    const units = Float64Array.of(800, 700, 631, 630);
    fixture.risk.observe(times, units, 2);
    expect([fixture.code({ lots: 5 }), fixture.code({ lots: 5, side: 'sell' })]).toEqual(['DRAWDOWN', null]);
    expect(fixture.risk.halts.causes()).toMatchObject([
      { sinceMs: START_MS + 1, why: expect.stringContaining('equity of 0.000008 USDT, 0.00001 USDT at the peak') },
    ]);
    expect(fixture.risk.resume({ kind: 'account' }, 'DRAWDOWN', 'me', START_MS + 2)).toBe(true);
    fixture.risk.observe(times, units, 3);
    expect(fixture.code({ lots: 5 })).toBeNull();
    fixture.risk.observe(times, units, 4);
    expect(fixture.code({ lots: 5 })).toBe('DRAWDOWN');
  });
});

describe('DAILY_LOSS', () => {
  const limits = { maxDailyLoss: '0.05' };
  test('DAILY_LOSS counts a mark at 00:00 as the start of the new day, and not as a loss of the day before', () => {
    const fixture = new RiskFixture({ maxDailyLoss: '0.1' });
    fixture.risk.begin(1000, START_MS);
    const times = Float64Array.of(START_MS + HOUR_MS, START_MS + DAY_MS, START_MS + DAY_MS + HOUR_MS);
    const units = Float64Array.of(1000, 800, 720);
    fixture.risk.observe(times, units, 2);
    expect(fixture.risk.halts.changes()).toEqual([]);
    fixture.risk.observe(times, units, 3);
    expect(fixture.risk.halts.changes()).toMatchObject([
      { isRaised: true, timeMs: START_MS + DAY_MS + HOUR_MS, why: expect.stringContaining('0.0000072 USDT, 0.000008 USDT at 00:00 UTC') },
    ]);
  });
  test('DAILY_LOSS does not halt an account that starts the day without money', () => {
    expect(codesAfterPieces({ maxDailyLoss: '0.1', maxDrawdown: '0.1' }, [equityAfter(1, -50), equityAfter(2, -60)], 1, [], -40)).toEqual([
      null,
      null,
    ]);
  });
  test('DAILY_LOSS halts from its limit on', () => {
    expect(codesAfterPieces(limits, [equityAfter(1, 951)])).toEqual([null]);
    expect(codesAfterPieces(limits, [equityAfter(1, 950)])).toEqual(['DAILY_LOSS']);
    expect(codesAfterPieces(limits, [equityAfter(1, 949)])).toEqual(['DAILY_LOSS']);
    expect(codesAfterPieces(limits, [equityAfter(1, 949)], 1, ['DAILY_LOSS'])).toEqual([null]);
  });
  test('DAILY_LOSS measures from the equity at 00:00 UTC, even after gains, and lasts for the day', () => {
    expect(codesAfterPieces(limits, [equityAfter(1, 1100), equityAfter(2, 1000), equityAfter(3, 950), equityAfter(4, 2000)])).toEqual([
      null,
      null,
      'DAILY_LOSS',
      'DAILY_LOSS',
    ]);
  });
  test('DAILY_LOSS starts a day from the equity marked at 00:00', () => {
    expect(codesAfterPieces(limits, [equityAfter(23, 940), equityAfter(24, 960), equityAfter(25, 913), equityAfter(26, 912)])).toEqual([
      'DAILY_LOSS',
      null,
      null,
      'DAILY_LOSS',
    ]);
  });
  test('DAILY_LOSS uses the newest mark before 00:00 UTC if that time has no mark', () => {
    expect(codesAfterPieces(limits, [equityAfter(23, 1100), equityAfter(25, 1046), equityAfter(26, 1045)])).toEqual([
      null,
      null,
      'DAILY_LOSS',
    ]);
  });
  test.each([
    ['at 00:00', 24],
    ['before 00:00', 23.5],
  ])('DAILY_LOSS measures from a mark %s that comes after the first order of the day', (_, lateHours) => {
    const fixture = new RiskFixture(limits);
    fixture.risk.begin(1000, START_MS);
    const times = Float64Array.of(23, lateHours, 25, 26).map((hours) => START_MS + hours * HOUR_MS);
    const units = Float64Array.of(1000, 960, 913, 912);
    const codeAfter = (length: number, ms: number) => {
      fixture.nowMs = ms;
      fixture.risk.observe(times, units, length);
      return fixture.code({ lots: 5 });
    };
    expect(codeAfter(1, START_MS + DAY_MS)).toBeNull();
    expect(codeAfter(2, START_MS + DAY_MS)).toBeNull();
    expect(codeAfter(3, times[2]!)).toBeNull();
    expect(codeAfter(4, times[3]!)).toBe('DAILY_LOSS');
  });
  test('DAILY_LOSS is cleared by a new day, even before its first row', () => {
    const fixture = new RiskFixture(limits);
    fixture.risk.begin(1000, START_MS);
    fixture.risk.observe(Float64Array.of(START_MS + HOUR_MS), Float64Array.of(900), 1);
    const codeAtMs = (ms: number) => ((fixture.nowMs = ms), fixture.code({ lots: 5 }));
    expect([codeAtMs(START_MS + DAY_MS - 1), codeAtMs(START_MS + DAY_MS)]).toEqual(['DAILY_LOSS', null]);
    expect(fixture.risk.halts.changes().map(({ isRaised, timeMs }) => [isRaised, timeMs - START_MS])).toEqual([
      [true, HOUR_MS],
      [false, DAY_MS],
    ]);
  });
});

test('loss rules decide the same for rows in pieces of any size', () => {
  const limits = { maxDailyLoss: '0.05', maxDrawdown: '0.3' };
  const row = fc.record({ minutes: fc.integer({ min: 1, max: 400 }), change: fc.integer({ min: -60, max: 60 }) });
  fc.assert(
    fc.property(fc.array(row, { minLength: 12, maxLength: 60 }), (steps) => {
      let hours = 0;
      let equity = 100_000;
      const rows = steps.map(({ minutes, change }) => {
        hours += minutes / 60;
        equity = Math.max(1, Math.floor(equity * (1 + change / 1000)));
        return equityAfter(hours, equity);
      });
      const codesByRow = codesAfterPieces(limits, rows, 1, [], 100_000);
      for (const pieceRows of [2, 3, 7])
        expect(codesAfterPieces(limits, rows, pieceRows, [], 100_000)).toEqual(
          codesByRow.filter((_, rowIndex) => rowIndex % pieceRows === pieceRows - 1),
        );
    }),
    { numRuns: 150 },
  );
});

test('risk watches equity only if a loss limit is set', () => {
  expect(new RiskFixture({ maxLeverage: '1' }).risk.watchesEquity).toBe(false);
  expect(new RiskFixture({ maxDrawdown: '1' }).risk.watchesEquity).toBe(true);
});

test('the baseline of a loss rule is the equity at 00:00, the peak, or the equity at which a person cleared the halt', () => {
  const fixture = new RiskFixture({ maxDailyLoss: '0.5', maxDrawdown: '0.1' });
  fixture.risk.begin(1000, START_MS);
  const rows = [equityAfter(1, 1500), equityAfter(2, 1300)];
  fixture.risk.observe(
    Float64Array.from(rows, ({ hours }) => START_MS + hours * HOUR_MS),
    Float64Array.from(rows, ({ equity }) => equity),
    2,
  );
  const baselines = () => ['DAILY_LOSS', 'DRAWDOWN', 'LEVERAGE'].map((code) => fixture.risk.lossBaseline(code));
  expect(baselines()).toEqual([1000, 1500, NaN]);
  const restarted = new RiskFixture({ maxDailyLoss: '0.5', maxDrawdown: '0.1' });
  restarted.risk.begin(1300, START_MS + 2 * HOUR_MS);
  restarted.risk.restore(fixture.risk.snapshot());
  expect(['DAILY_LOSS', 'DRAWDOWN'].map((code) => restarted.risk.lossBaseline(code))).toEqual([1000, 1500]);
  expect(fixture.risk.resume({ kind: 'account' }, 'DRAWDOWN', 'me', START_MS)).toBe(true);
  expect(baselines()).toEqual([1000, 1300, NaN]);
});

describe('a loss beyond its limit', () => {
  const times = { numerator: 3, denominator: 2 } as const;
  const lossBeyondWith = (limits: RiskLimits, baselineUnits: number) => {
    const fixture = new RiskFixture(limits);
    fixture.risk.begin(baselineUnits, START_MS);
    return (units: number): string | null => fixture.risk.lossBeyond(units, times);
  };
  test('a loss beyond its limit begins at exactly one and a half times the limit, at any size', () => {
    const beyond = lossBeyondWith({ maxDailyLoss: '0.02' }, 9_000_000_000_000_000);
    expect(beyond(8_730_000_000_000_001)).toBeNull();
    expect(beyond(8_730_000_000_000_000)).toMatch(/^DAILY_LOSS: equity of 87300000 USDT, 90000000 USDT before/);
    expect(lossBeyondWith({ maxDrawdown: '0.1' }, 1000)(851)).toBeNull();
    expect(lossBeyondWith({ maxDrawdown: '0.1' }, 1000)(850)).toMatch(/^DRAWDOWN/);
  });
  test.each([NaN, Infinity, 0.5, 2 ** 60])('an equity of %s is not a number, and is beyond every limit', (units) => {
    expect(lossBeyondWith({ maxDailyLoss: '0.02' }, 1000)(units)).toMatch(/not known/);
  });
  test('no loss is beyond a limit that is not set', () => {
    expect(lossBeyondWith({}, 1000)(NaN)).toBeNull();
  });
});
