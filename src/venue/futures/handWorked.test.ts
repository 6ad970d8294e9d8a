// Tests margin, profit, funding, fees and liquidation against a second computation in decimals, to the last unit.

import { Decimal } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { ByHand, ExactDecimal } from '../../../test/fixtures/contractsByHand.ts';
import { inverseContract, linearContract, openFutures, trade } from '../../../test/fixtures/futuresVenue.ts';
import type { Side } from '../../model/order.ts';
import { accountView, positionView } from './resources.ts';

const DEPOSIT = 10_000_000_000;
const LEVERAGE = 10;
const combinations = (['linear', 'inverse'] as const).flatMap((kind) =>
  [true, false].flatMap((isLong) => [true, false].flatMap((isCross) => [true, false].map((isNet) => ({ kind, isLong, isCross, isNet })))),
);
const namedCombinations = combinations.map((of) => ({
  ...of,
  name: `${of.kind} ${of.isLong ? 'long' : 'short'} ${of.isCross ? 'cross' : 'isolated'} ${of.isNet ? 'net' : 'two-way'}`,
}));

describe.each(namedCombinations)('$name', ({ kind, isLong, isCross, isNet }) => {
  const instrument = kind === 'linear' ? linearContract() : inverseContract();
  const manual = new ByHand(instrument);
  const [entry, exit]: readonly Side[] = isLong ? ['buy', 'sell'] : ['sell', 'buy'];
  const open = () => openFutures([instrument], { deposit: DEPOSIT, opening: { leverage: LEVERAGE, isCross, isNet } });
  const positionOf = (venue: ReturnType<typeof open>['venue']) => venue.wallets.position(0, 0, isLong);
  const { openTakerFeePpm, closeTakerFeePpm } = instrument.contract!;

  test('two opening fills give the entry value, margin, fees and average price of a computation by hand', () => {
    const { venue } = open();
    trade(venue, instrument, entry!, 137, 400_003, 1000);
    trade(venue, instrument, entry!, 41, 412_345, 2000);
    const first = manual.value(137, 400_003);
    const second = manual.value(41, 412_345);
    const fees = manual.fee(first, openTakerFeePpm).add(manual.fee(second, openTakerFeePpm));
    const margin = manual.margin(first, LEVERAGE).add(manual.margin(second, LEVERAGE));
    const position = positionOf(venue);
    expect(position).toMatchObject({
      isLong,
      isCross,
      lots: 178,
      leverage: LEVERAGE,
      entryUnits: manual.units(first.add(second)),
      marginUnits: manual.units(margin),
      feeUnits: manual.units(fees),
      openedMs: 1000,
      changedMs: 2000,
    });
    const { normalUnits, lockedUnits } = accountView(venue, 0, instrument.contract!.marginCoin);
    expect(normalUnits).toBe(DEPOSIT - manual.units(margin.add(fees)));
    expect(lockedUnits).toBe(0);
    // Computed from the prices, because the value of an inverse contract is rounded.
    const inverse = new Decimal(137).div(400_003).add(new Decimal(41).div(412_345));
    const average = kind === 'linear' ? new Decimal(137 * 400_003 + 41 * 412_345).div(178) : new Decimal(178).div(inverse);
    expect(positionView(venue, position, instrument).averageTicks).toBeCloseTo(average.toNumber(), 6);
  });

  test('closing a part and then the rest gives the profit, released margin and balance of a computation by hand', () => {
    const { venue, seen } = open();
    trade(venue, instrument, entry!, 137, 400_003, 1000);
    trade(venue, instrument, exit!, 40, 407_771, 2000, { closes: true });
    const first = manual.value(137, 400_003);
    const closedValue = manual.round(first.mul(40).div(137), Decimal.ROUND_HALF_UP);
    const profit = manual.profit(isLong, closedValue, manual.value(40, 407_771));
    const freedMargin = manual.round(manual.margin(first, LEVERAGE).mul(40).div(137), Decimal.ROUND_DOWN);
    expect(positionOf(venue)).toMatchObject({
      lots: 97,
      entryUnits: manual.units(first.sub(closedValue)),
      marginUnits: manual.units(manual.margin(first, LEVERAGE).sub(freedMargin)),
      realisedUnits: manual.units(profit),
    });
    expect(seen.reductions.at(-1)).toMatchObject({ lots: 40, profitUnits: manual.units(profit) });

    trade(venue, instrument, exit!, 97, 391_113, 3000, { closes: true });
    const lastProfit = manual.profit(isLong, first.sub(closedValue), manual.value(97, 391_113));
    const fees = manual
      .fee(first, openTakerFeePpm)
      .add(manual.fee(manual.value(40, 407_771), closeTakerFeePpm))
      .add(manual.fee(manual.value(97, 391_113), closeTakerFeePpm));
    const { normalUnits, achievedUnits } = accountView(venue, 0, instrument.contract!.marginCoin);
    expect(achievedUnits).toBe(manual.units(profit.add(lastProfit)));
    expect(normalUnits).toBe(DEPOSIT + manual.units(profit.add(lastProfit).sub(fees)));
    expect(positionOf(venue)).toMatchObject({ lots: 0, entryUnits: 0, marginUnits: 0 });
    venue.assertConserved();
  });

  test('unrealised profit, equity and margin rate at a mark equal a computation by hand', () => {
    const { venue } = open();
    trade(venue, instrument, entry!, 250, 400_000, 1000);
    venue.setMark(instrument, 403_217);
    const first = manual.value(250, 400_000);
    const marked = manual.value(250, 403_217);
    const unrealised = manual.units(manual.profit(isLong, first, marked));
    const margin = manual.units(manual.margin(first, LEVERAGE));
    const fee = manual.units(manual.fee(first, openTakerFeePpm));
    const view = accountView(venue, 0, instrument.contract!.marginCoin);
    expect(view.unrealisedUnits).toBe(unrealised);
    expect(view.crossEquityUnits).toBe(isCross ? DEPOSIT - fee + unrealised : DEPOSIT - fee - margin);
    expect(view.isolatedEquityUnits).toBe(isCross ? 0 : margin + unrealised);
    expect(view[isCross ? 'crossMarginUnits' : 'isolatedMarginUnits']).toBe(margin);
    expect(positionView(venue, positionOf(venue), instrument).marginRate).toBeCloseTo((margin + unrealised) / manual.units(marked), 12);
  });

  test('funding that is received or paid equals a computation by hand', () => {
    const { venue, seen } = open();
    trade(venue, instrument, entry!, 250, 400_000, 1000);
    const margin = positionOf(venue).marginUnits;
    const free = accountView(venue, 0, instrument.contract!.marginCoin).normalUnits;
    // +0.037409 %, then -0.0002 %.
    venue.fund(instrument, 401_234, 374_090_000, 2000);
    venue.fund(instrument, 399_999, -2_000_000, 3000);
    const share = (ticks: number, rate: string) => manual.round(manual.value(250, ticks).mul(rate), Decimal.ROUND_HALF_UP);
    const sign = isLong ? -1 : 1;
    const first = share(401_234, '0.00037409').mul(sign);
    const second = share(399_999, '0.000002').mul(-sign);
    expect(seen.funding.map(({ units }) => units)).toEqual([manual.units(first), manual.units(second)]);
    const moved = manual.units(first.add(second));
    expect(positionOf(venue).fundingUnits).toBe(moved);
    expect(positionOf(venue).marginUnits).toBe(isCross ? margin : margin + moved);
    expect(accountView(venue, 0, instrument.contract!.marginCoin).normalUnits).toBe(isCross ? free + moved : free);
    venue.assertConserved();
  });

  test('a position is liquidated at the first mark that leaves at most its maintenance margin, and not a tick earlier', () => {
    // The account has a tenth more than the margin of its position.
    const first = manual.value(250, 400_000);
    const deposit = manual.units(manual.margin(first, LEVERAGE).mul('1.1').toDecimalPlaces(4));
    const { venue, seen } = openFutures([instrument], { deposit, opening: { leverage: LEVERAGE, isCross, isNet } });
    trade(venue, instrument, entry!, 250, 400_000, 1000);
    venue.setMark(instrument, 400_000);
    const fee = manual.fee(first, openTakerFeePpm);
    const backing = isCross ? manual.cent.mul(deposit).sub(fee) : manual.margin(first, LEVERAGE);
    const isLiquidated = (ticks: number): boolean => {
      const value = manual.value(250, ticks);
      return backing.add(manual.profit(isLong, first, value)).lte(manual.maintenance(value));
    };
    const limit = venue.liquidationTicks(positionOf(venue));
    const step = isLong ? 1 : -1;
    expect(isLiquidated(limit)).toBe(true);
    expect(isLiquidated(limit + step)).toBe(false);

    const near = limit + step;
    venue.markRow(instrument, 400_000, Math.max(400_000, near), Math.min(400_000, near), near);
    venue.settleMarks(2000);
    expect(seen.liquidations).toEqual([]);
    venue.markRow(instrument, near, Math.max(near, limit), Math.min(near, limit), near);
    venue.settleMarks(3000);
    const value = manual.value(250, limit);
    const liquidationFee = manual.round(value.mul(2000).div(1e6), Decimal.ROUND_UP);
    const remainder = backing.add(manual.profit(isLong, first, value));
    const feePaid = Decimal.min(liquidationFee, Decimal.max(0, remainder));
    expect(seen.liquidations).toHaveLength(1);
    expect(seen.liquidations[0]).toMatchObject({
      price: limit,
      lots: 250,
      wasLong: isLong,
      fee: manual.units(new ExactDecimal(feePaid)),
      covered: 0,
    });
    const { normalUnits } = accountView(venue, 0, instrument.contract!.marginCoin);
    const otherCash = isCross ? new ExactDecimal(0) : manual.cent.mul(deposit).sub(fee).sub(backing);
    expect(normalUnits).toBe(manual.units(otherCash.add(remainder).sub(feePaid)));
    expect(venue.wallets.insurance[0]).toBe(manual.units(new ExactDecimal(feePaid)));
    venue.assertConserved();
  });

  test('after a gap beyond the margin, the account ends at zero and the insurance account covers the rest', () => {
    const first = manual.value(250, 400_000);
    const deposit = manual.units(manual.margin(first, LEVERAGE).mul('1.1').toDecimalPlaces(4));
    const { venue, seen } = openFutures([instrument], { deposit, opening: { leverage: LEVERAGE, isCross, isNet } });
    trade(venue, instrument, entry!, 250, 400_000, 1000);
    const gap = isLong ? 300_000 : 560_000;
    venue.markRow(instrument, gap, gap, gap, gap);
    venue.settleMarks(2000);
    const fee = manual.fee(first, openTakerFeePpm);
    const backing = isCross ? manual.cent.mul(deposit).sub(fee) : manual.margin(first, LEVERAGE);
    const remainingFunds = backing.add(manual.profit(isLong, first, manual.value(250, gap)));
    expect(remainingFunds.isNegative()).toBe(true);
    expect(seen.liquidations[0]).toMatchObject({ price: gap, fee: 0, covered: manual.units(remainingFunds.neg()) });
    expect(venue.wallets.insurance[0]).toBe(manual.units(remainingFunds));
    const { normalUnits } = accountView(venue, 0, instrument.contract!.marginCoin);
    expect(normalUnits).toBe(isCross ? 0 : manual.units(manual.cent.mul(deposit).sub(fee).sub(backing)));
    venue.assertConserved();
  });
});
