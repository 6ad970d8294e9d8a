// Tests the headroom: the used exposure without a new order against figures by hand, up to the limit at which the rules deny.

import { expect, test } from 'vitest';
import { FuturesFixture } from '../../../test/fixtures/futuresFixture.ts';
import { inverseContract } from '../../../test/fixtures/futuresVenue.ts';
import { RiskFixture, USDT } from '../../../test/fixtures/riskFixture.ts';
import { Decimal } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { notionalOf } from '../../model/value.ts';

/** Returns the value of lots at a price, in units rounded up, from decimals alone. */
function unitsOf(instrument: Instrument, lots: number, ticks: number): number {
  const qty = new Decimal(lots).div(10 ** instrument.quantityDigits);
  const price = new Decimal(ticks).div(10 ** instrument.priceDigits);
  return notionalOf(instrument, qty, price)
    .mul(10 ** instrument.contract!.marginDigits)
    .ceil()
    .toNumber();
}

test('the headroom of spot counts a holding at the mark, an open buy at its worst price with its fee, and no sale', () => {
  const fixture = new RiskFixture();
  fixture.hold(7, 0, 1);
  fixture.send({ lots: 5, limit: 1200 });
  fixture.send({ lots: 3, side: 'sell', instrumentIndex: 1, limit: 1500 });
  fixture.marks[1] = 1100;
  const buy = 5 * 1200 * 1000;
  const holding = 7 * 1100 * 1000;
  expect(fixture.risk.headroom()).toEqual({
    gross: buy + holding,
    equity: 200 * USDT + holding - buy / 1000,
    notional: [buy, holding],
  });
});

test('the headroom of an inverse contract counts a short and an open sell with more coins at a lower price', () => {
  const instrument = inverseContract();
  const fixture = new FuturesFixture({ instruments: [instrument], mark: 20_000, cash: 1e12 });
  fixture.hold(-40);
  fixture.send({ lots: 60, side: 'sell', limit: 16_000 });
  const notionalAtMark = (mark: number) => {
    fixture.marks[0] = mark;
    return fixture.risk.headroom().notional[0]!;
  };
  for (const mark of [10_000, 16_000, 20_000, 25_000]) {
    const worstUnits = unitsOf(instrument, 40, mark) + unitsOf(instrument, 60, Math.min(16_000, mark));
    expect(notionalAtMark(mark)).toBe(worstUnits);
  }
  expect(notionalAtMark(10_000)).toBeGreaterThan(notionalAtMark(20_000));
  expect(fixture.risk.headroom().gross).toBe(notionalAtMark(20_000));
});

test('the headroom agrees with the rules: the largest exposure that they pass is the last one within the limit', () => {
  const fixture = new FuturesFixture({ limits: { maxPositionNotional: '0.6' } });
  const { instrument } = fixture.draft({});
  const max = Math.round(0.6 * 10 ** instrument.quoteDigits);
  let lots = 0;
  while (fixture.code({ lots: 1, limit: 1000 }) === null) lots++;
  const used = fixture.risk.headroom().notional[0]!;
  expect(used).toBe(unitsOf(instrument, lots, 1000));
  expect([used <= max, used + unitsOf(instrument, 1, 1000) > max]).toEqual([true, true]);
});

test('the headroom is unknown if the mark of a holding is missing', () => {
  const fixture = new RiskFixture();
  fixture.hold(7, 0, 1);
  fixture.marks[1] = NaN;
  const { gross, equity, notional } = fixture.risk.headroom();
  expect([gross, equity, notional[1]].some(Number.isFinite)).toBe(false);
  expect(notional[0]).toBe(0);
});
