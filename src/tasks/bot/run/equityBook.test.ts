// Tests the change of equity since 00:00 UTC, as `isobar status` and the metrics show it, over a restart within the day.

import { expect, it } from 'vitest';
import type { Engine } from '../../../engine/engine.ts';
import { EquityBook } from './equityBook.ts';

const DAY_MS = 86_400_000;

/** A book over an engine with these equities by strategy. `baseline`: the equity from which maxDailyLoss measures; NaN: without this limit. */
function bookOf(equities: number[], baseline: number): EquityBook {
  const engine = {
    runs: equities.map(() => null),
    equityUnits: (strategyIndex: number) => equities[strategyIndex]!,
    marks: () => null,
    ledger: { equityTotalUnits: () => equities.reduce((sum, units) => sum + units, 0) },
    risk: { lossBaseline: () => baseline },
  };
  return new EquityBook(engine as unknown as Engine, equities);
}

it('the change of the day counts what was lost before a restart', () => {
  const equities = [900];
  const book = bookOf(equities, 1000);
  book.addPoint(DAY_MS + 60_000);
  equities[0] = 880;
  expect(book.changeToday()).toEqual({ total: -120, units: [-120] });
});

it('of several strategies the total counts what was lost before a restart', () => {
  const equities = [500, 400];
  const book = bookOf(equities, 1000);
  book.addPoint(DAY_MS + 60_000);
  equities[1] = 380;
  expect(book.changeToday()).toEqual({ total: -120, units: [0, -20] });
});

it('without a limit on daily losses the change counts from the start of the process', () => {
  const equities = [900];
  const book = bookOf(equities, NaN);
  book.addPoint(DAY_MS + 60_000);
  equities[0] = 880;
  expect(book.changeToday()).toEqual({ total: -20, units: [-20] });
});
