// Tests exposure: the figures of one instrument follow from their definition, whichever of the two loops computes them.

import { expect, test } from 'vitest';
import { randomScript, runRecord, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import { DAY_MS } from '../../base/calendar.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { InstrumentId } from '../../model/instrument.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { exposureFigures } from './exposure.ts';

const ROWS = 400;
const NOTHING_HELD = { fromMs: new Float64Array(0), toMs: new Float64Array(0) };
const figuresOf = (record: RunRecord) => exposureFigures(record, NOTHING_HELD, Float64Array.of(1, 1));

function randomRecord(seed: number): RunRecord {
  const script = randomScript(seed, { rows: ROWS, fills: 1 + (seed % 60), feesInBase: seed % 3 === 0 });
  const scriptWithInsideFills = script.map((fill, index) => ({ ...fill, inside: (seed + index) % 4 === 0 }));
  return runRecord({
    bars: [testBars(testInstrument(), ROWS, seed)],
    script: scriptWithInsideFills,
    feesInBase: seed % 3 === 0,
    firstRow: seed % 2,
  });
}

/** Returns the run with a second instrument that was never traded, so that the loop over all positions computes its figures. */
function withIdleInstrument(record: RunRecord): RunRecord {
  const idle = testInstrument({ id: 'IDLEUSDT' as InstrumentId, wireName: 'IDLEUSDT' });
  const feed = { ...record.feeds[0]!, name: 'idle', bars: testBars(idle, ROWS, 1) };
  return { ...record, instruments: [...record.instruments, idle], feeds: [...record.feeds, feed] };
}

test('the exposure of a run with one instrument is bit-equal to that of the run with an idle second instrument', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const record = randomRecord(seed);
    expect(figuresOf(record), `seed ${seed}`).toEqual(figuresOf(withIdleInstrument(record)));
  }
});

test('gross exposure is the value of the holdings over equity, weighted by time', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const record = randomRecord(seed);
    const { equity, fills, feeds, instruments, fromMs, toMs, startUnits, reportingDigits } = record;
    const { baseDigits, quantityDigits } = instruments[0]!;
    const { bars, firstRow } = feeds[0]!;
    let area = 0;
    for (let i = -1; i < equity.length; i++) {
      const nowMs = i < 0 ? fromMs : equity.timeMs[i]!;
      let coins = 0;
      for (let row = 0; row < fills.length; row++) {
        if (fills.timeMs[row]! > nowMs) continue;
        coins += ((fills.side[row] === 0 ? 1 : -1) * fills.lots[row]!) / pow10(quantityDigits);
        if (fills.feeInBase[row] === 1) coins -= fills.fee[row]! / pow10(baseDigits);
      }
      const closed = bars.closeMs.findLastIndex((ms, row) => row >= firstRow && ms <= nowMs);
      const price = closed < 0 ? bars.open[firstRow]! : bars.close[closed]!;
      const value = (i < 0 ? startUnits : equity.units[i]!) / pow10(reportingDigits);
      area += Math.abs((coins * price) / value) * ((equity.timeMs[i + 1] ?? toMs) - nowMs);
    }
    expect(figuresOf(record).grossExposure, `seed ${seed}`).toBeCloseTo(area / (toMs - fromMs), 9);
  }
});

test('the turnover of a run whose equity is 0 or less at the end of a day is ruined, as its growth is', () => {
  const record = randomRecord(30);
  const days = { ...record, toMs: record.fromMs + 3 * DAY_MS };
  const turnoverOf = (...dailyEquity: number[]) => exposureFigures(days, NOTHING_HELD, Float64Array.from(dailyEquity)).turnover;
  expect(turnoverOf(1e10, 2e10, 3e10)).toBeGreaterThan(0);
  for (const end of [0, -1, -9e10]) expect(turnoverOf(1e10, 2e10, end), `${end}`).toBe('ruined');
  expect(turnoverOf(1e10, -5e10, 3e10)).toBe('ruined');
});
