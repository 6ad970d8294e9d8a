// Tests every member of the position and account resources (specification 2.2) against a computation in decimals.

import { Decimal } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { ByHand } from '../../../test/fixtures/contractsByHand.ts';
import { futuresIntent, inverseContract, linearContract, openFutures, trade } from '../../../test/fixtures/futuresVenue.ts';
import { accountView, positionView } from './resources.ts';

const DEPOSIT = 10_000_000_000;
const LEVERAGE = 8;
const MARK_TICKS = 405_555;
const RATE = 250_000_000;

describe.each(
  (['linear', 'inverse'] as const).flatMap((kind) =>
    [true, false].flatMap((isLong) =>
      [true, false].map((isCross) => ({
        kind,
        isLong,
        isCross,
        name: `${kind} ${isLong ? 'long' : 'short'} ${isCross ? 'cross' : 'isolated'}`,
      })),
    ),
  ),
)('$name', ({ kind, isLong, isCross }) => {
  const contract = kind === 'linear' ? linearContract() : inverseContract();
  const manual = new ByHand(contract);
  const { openTakerFeePpm, closeTakerFeePpm, marginCoin } = contract.contract!;
  const sign = isLong ? 1 : -1;

  // Opened: 120 at 400,003 and 60 at 398,001. Closed: 50 at 402,345. Funding of 0.025 % at 401,000. A closing and an opening order wait.
  const { venue, seen } = openFutures([contract], { deposit: DEPOSIT, opening: { leverage: LEVERAGE, isCross, isNet: false } });
  const [openingSide, closingSide] = isLong ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
  trade(venue, contract, openingSide, 120, 400_003, 1000);
  trade(venue, contract, openingSide, 60, 398_001, 2000);
  trade(venue, contract, closingSide, 50, 402_345, 3000, { closes: true });
  venue.fund(contract, 401_000, RATE, 4000);
  const distantLimit = isLong ? 500_000 : 300_000;
  venue.place(0, 91, futuresIntent(contract, closingSide, 30, { closes: true, limit: distantLimit }), 5000);
  const restingLimit = isLong ? 399_000 : 403_000;
  venue.place(0, 92, futuresIntent(contract, openingSide, 10, { limit: restingLimit }), 5000);
  venue.setMark(contract, MARK_TICKS);

  const opened = manual.value(120, 400_003).add(manual.value(60, 398_001));
  const closedValue = manual.round(opened.mul(50).div(180), Decimal.ROUND_HALF_UP);
  const entry = opened.sub(closedValue);
  const realised = manual.profit(isLong, closedValue, manual.value(50, 402_345));
  const fees = manual
    .fee(manual.value(120, 400_003), openTakerFeePpm)
    .add(manual.fee(manual.value(60, 398_001), openTakerFeePpm))
    .add(manual.fee(manual.value(50, 402_345), closeTakerFeePpm));
  const funding = manual.round(manual.value(130, 401_000).mul('0.00025'), Decimal.ROUND_HALF_UP).mul(-sign);
  const margins = manual.margin(manual.value(120, 400_003), LEVERAGE).add(manual.margin(manual.value(60, 398_001), LEVERAGE));
  const initial = margins.sub(manual.round(margins.mul(50).div(180), Decimal.ROUND_DOWN));
  const margin = isCross ? initial : initial.add(funding);
  const unrealised = manual.profit(isLong, entry, manual.value(130, MARK_TICKS));
  // The opening order counts at its worst price: a linear short at the higher of limit and last price, an inverse long at the lower one.
  const lastPrice = 402_345;
  const linearWorst = isLong ? restingLimit : Math.max(restingLimit, lastPrice);
  const inverseWorst = isLong ? Math.min(restingLimit, lastPrice) : restingLimit;
  const worstPrice = kind === 'linear' ? linearWorst : inverseWorst;
  const worstValue = manual.value(10, worstPrice);
  const locked = manual.margin(worstValue, LEVERAGE).add(manual.round(worstValue.mul(openTakerFeePpm).div(1e6), Decimal.ROUND_UP));
  const free = manual.cent
    .mul(DEPOSIT)
    .add(realised)
    .sub(fees)
    .add(isCross ? funding : 0)
    .sub(initial)
    .sub(locked);
  // The average is computed from prices, not from rounded values, and reductions do not change it.
  const [first, second] = [new Decimal(400_003), new Decimal(398_001)];
  const average = (
    kind === 'linear'
      ? first.mul(120).add(second.mul(60)).div(180)
      : new Decimal(180).div(first.pow(-1).mul(120).add(second.pow(-1).mul(60)))
  ).toNumber();

  const position = positionView(venue, venue.wallets.position(0, 0, isLong), contract);
  test.each<[keyof typeof position, unknown]>([
    ['instrument', contract],
    ['id', 1],
    ['isLong', isLong],
    ['isCross', isCross],
    ['leverage', LEVERAGE],
    ['lots', 130],
    ['canCloseLots', 100],
    ['holdUnits', manual.units(margin)],
    ['openTicks', average],
    ['averageTicks', average],
    ['realisedUnits', manual.units(realised)],
    ['unrealisedUnits', manual.units(unrealised)],
    ['feeUnits', manual.units(fees)],
    ['fundingUnits', manual.units(funding)],
    ['maintenancePpm', 5000],
    ['marginRate', margin.add(unrealised).div(manual.value(130, MARK_TICKS)).toNumber()],
    ['openedMs', 1000],
    ['changedMs', 3000],
  ])('the member %s of the position resource equals the computation in decimals', (member, expected) => {
    if (typeof expected === 'number' && !Number.isInteger(expected)) expect(Number(position[member])).toBeCloseTo(expected, 9);
    else expect(position[member]).toBe(expected);
  });
  test('liquidationTicks of the position resource is the first price at which margin plus profit is the maintenance margin', () => {
    const backing = isCross ? free.add(locked).add(margin) : margin;
    const isLiquidated = (ticks: number) => {
      const value = manual.value(130, ticks);
      return backing.add(manual.profit(isLong, entry, value)).lte(manual.maintenance(value));
    };
    const { liquidationTicks } = position;
    if (liquidationTicks === 0 || liquidationTicks === Infinity) expect(isLiquidated(isLong ? 1 : 2 ** 40)).toBe(false);
    else expect([isLiquidated(liquidationTicks), isLiquidated(liquidationTicks + sign)]).toEqual([true, false]);
  });
  test('the position resource has no other member', () => {
    expect(Object.keys(position)).toHaveLength(19);
  });

  const account = accountView(venue, 0, marginCoin);
  const zero = manual.cent.mul(0);
  const profitAndMargin = unrealised.add(margin);
  test.each<[keyof typeof account, unknown]>([
    ['asset', marginCoin],
    ['normalUnits', manual.units(free)],
    ['lockedUnits', manual.units(locked)],
    ['isolatedMarginUnits', manual.units(isCross ? zero : margin)],
    ['crossMarginUnits', manual.units(isCross ? margin : zero)],
    ['achievedUnits', manual.units(realised)],
    ['unrealisedUnits', manual.units(unrealised)],
    ['crossEquityUnits', manual.units(free.add(locked).add(isCross ? profitAndMargin : zero))],
    ['isolatedEquityUnits', manual.units(isCross ? zero : profitAndMargin)],
  ])('the member %s of the account resource equals the computation in decimals', (member, expected) => {
    expect(account[member]).toBe(expected);
  });
  test('the account resource has the open positions, and no other member', () => {
    expect(account.positions).toEqual([venue.wallets.position(0, 0, isLong)]);
    expect(Object.keys(account)).toHaveLength(10);
  });

  test('the closing order, the reduction and the funding are reported as the histories show them', () => {
    expect(venue.find(0, 3)).toMatchObject({
      status: 'FILLED',
      filledLots: 50,
      filledUnits: manual.units(manual.value(50, 402_345)),
      closes: true,
    });
    expect(seen.reductions).toEqual([
      {
        index: 0,
        lots: 50,
        profitUnits: manual.units(realised),
        feeUnits: manual.units(manual.fee(manual.value(50, 402_345), closeTakerFeePpm)),
      },
    ]);
    expect(seen.funding).toEqual([{ account: 0, index: 0, units: manual.units(funding), timeMs: 4000 }]);
    venue.assertConserved();
  });
});

test('a flat position shows no average price and no liquidation price', () => {
  const contract = linearContract();
  const { venue } = openFutures([contract]);
  const view = positionView(venue, venue.wallets.position(0, 0, true), contract);
  expect([view.lots, view.openTicks, view.averageTicks, view.liquidationTicks]).toEqual([0, NaN, NaN, 0]);
  expect(accountView(venue, 0, 'USDT')).toMatchObject({ positions: [], unrealisedUnits: 0, crossEquityUnits: DEPOSIT });
});
