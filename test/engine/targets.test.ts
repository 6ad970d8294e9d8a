// Tests an order with several targets: the lots of each target, the lots of the stop, and invalid lists.
// test/campaigns/orderForms.test.ts compares random scripts with a naive reference.

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { OrderOptions, TargetShare } from '../../src/index.ts';
import { nearestOf, rungsOfFill } from '../../src/orders/stops/ladder.ts';
import { ticks } from '../../src/base/brand.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { buyAtFirstBar, strategyOf, WITHOUT_FEES, ordersOf, quietBars, type CallableStrategy } from './callableStrategy.ts';
import { barsOfRows, fillRows, orderRows, planFor, QUIET_ROW, type PlanOptions, type PriceRow } from './backtestFixture.ts';

/** A half, three tenths and a fifth of the order. */
const THREE_TARGETS: readonly TargetShare[] = [
  { at: '105', share: 0.5 },
  { at: '110', share: 0.3 },
  { at: '120', share: 0.2 },
];

/** Returns role, price and lots of each fill after that of the entry. An order of 0.1 has 100 lots. It fills at row 1. */
async function legFills(options: OrderOptions, rows: PriceRow[], base = '0.1', planOptions: Partial<PlanOptions> = {}) {
  const { fills, orders } = await ordersOf(buyAtFirstBar({ base }, options), { ...WITHOUT_FEES, ...planOptions }, barsOfRows(rows));
  const legs = fills.filter(({ order: id }) => id > 1);
  return legs.map(({ order: id, price, lots }) => [orders[id - 1]!.role, price, lots]);
}

describe('an order with several targets', () => {
  it('an order with several targets closes a share at each target that is reached, and the rest by its stop', async () => {
    // Row 2 reaches the target at 105, row 3 the stop at 90.
    const legsAfterOneTarget = await legFills({ targets: THREE_TARGETS, stopLoss: 90 }, [
      QUIET_ROW,
      QUIET_ROW,
      [10_000, 10_600, 10_000, 10_600],
      [10_600, 10_600, 8900, 8900],
      QUIET_ROW,
    ]);
    // prettier-ignore
    expect(legsAfterOneTarget).toEqual([['takeProfit', 10_500, 50], ['stopLoss', 9000, 50]]);
    // Row 2 reaches the targets at 105 and 110.
    const legsAfterTwoTargets = await legFills({ targets: THREE_TARGETS, stopLoss: 90 }, [
      QUIET_ROW,
      QUIET_ROW,
      [10_000, 11_100, 10_000, 10_600],
      [10_600, 10_600, 8900, 8900],
      QUIET_ROW,
    ]);
    // prettier-ignore
    expect(legsAfterTwoTargets).toEqual([['takeProfit', 10_500, 50], ['takeProfit', 11_000, 30], ['stopLoss', 9000, 20]]);
  });
  it('a row that reaches all targets closes the whole position at its targets', async () => {
    expect(
      await legFills({ targets: THREE_TARGETS, stopLoss: 90 }, [QUIET_ROW, QUIET_ROW, [10_000, 12_100, 10_000, 12_000], QUIET_ROW]),
    ).toEqual([
      ['takeProfit', 10_500, 50],
      ['takeProfit', 11_000, 30],
      ['takeProfit', 12_000, 20],
    ]);
  });
  it('a row that reaches all targets and the stop closes the whole position by the stop', async () => {
    const legs = await legFills({ targets: THREE_TARGETS, stopLoss: 90 }, [
      QUIET_ROW,
      QUIET_ROW,
      [10_000, 12_100, 8900, 12_000],
      QUIET_ROW,
    ]);
    expect(legs).toEqual([['stopLoss', 9000, 100]]);
  });
  it('shares of targets are rounded down to lots, and the last target, whose share may be omitted, gets the rest', async () => {
    const risingRows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_000, 13_000, 10_000, 12_000], QUIET_ROW];
    const thirds = [{ at: 105, share: 1 / 3 }, { at: 110, share: '0.3333' }, { at: 120 }]; // prettier-ignore
    expect((await legFills({ targets: thirds }, risingRows, '0.011')).map(([, , lots]) => lots)).toEqual([3, 3, 5]);
    const equal = [105, 110, 120].map((at) => ({ at: new Decimal(at), share: 1 / 3 }));
    expect((await legFills({ targets: equal }, risingRows, '0.011')).map(([, , lots]) => lots)).toEqual([3, 3, 5]);
  });
  it('lots without a target are closed by the stop', async () => {
    const rows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_000, 13_000, 10_000, 12_000], [12_000, 12_000, 8000, 8000], QUIET_ROW];
    const legs = await legFills({ targets: [{ at: 105, share: '0.25' }], stopLoss: 90 }, rows);
    // prettier-ignore
    expect(legs).toEqual([['takeProfit', 10_500, 25], ['stopLoss', 9000, 75]]);
  });
  it('lots of an order that fills in parts go to its targets in their order', async () => {
    // Row 1 fills 60 lots: 50 for the first target and 10 for the second. Row 2 fills the other 40.
    const rows: PriceRow[] = [
      QUIET_ROW,
      [10_000, 10_010, 9990, 10_000, 0.06],
      [10_000, 10_010, 9990, 10_000, 0.04],
      [10_000, 12_100, 10_000, 12_000],
      QUIET_ROW,
    ];
    expect(await legFills({ targets: THREE_TARGETS, limit: 101 }, rows, '0.1', { fills: { maxVolumeSharePpm: 1_000_000 } })).toEqual([
      ['takeProfit', 10_500, 50],
      ['takeProfit', 11_000, 10],
      ['takeProfit', 11_000, 20],
      ['takeProfit', 12_000, 20],
    ]);
  });
  it('target prices of a long are rounded up to ticks', async () => {
    const risingRows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_000, 13_000, 10_000, 12_000], QUIET_ROW];
    expect(await legFills({ targets: [{ at: '105.001', share: 0.5 }, { at: 110.01 }] }, risingRows)).toEqual([
      ['takeProfit', 10_501, 50],
      ['takeProfit', 11_001, 50],
    ]);
  });
  it('an order by amount places its targets only after it has ended, because its lots are not known before', async () => {
    // The row of the entry also reaches the first target.
    const rows: PriceRow[] = [QUIET_ROW, [10_000, 10_600, 9990, 10_000], [10_000, 12_100, 10_000, 12_000], QUIET_ROW];
    const buy = (strategy: CallableStrategy, row: number) =>
      row === 0 && strategy.order('buy', { quote: '11' }, { targets: THREE_TARGETS });
    const { fills } = await ordersOf(buy, WITHOUT_FEES, barsOfRows(rows));
    expect(fills.map(({ minute, lots }) => [minute, lots])).toEqual([[1, 110], [2, 55], [3, 33], [3, 22]]); // prettier-ignore
  });
  it('a target that exceeds the limit of open orders is not placed, and the stop closes its lots', async () => {
    const rows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_000, 12_100, 10_000, 12_000], [12_000, 12_000, 8900, 8900], QUIET_ROW];
    const twoOpenOrders = { risk: { maxOpenOrders: 2 } };
    expect(await legFills({ targets: THREE_TARGETS, stopLoss: 90 }, rows, '0.1', twoOpenOrders)).toEqual([
      ['takeProfit', 10_500, 50],
      ['takeProfit', 11_000, 30],
      ['stopLoss', 9000, 20],
    ]);
    // The same with an entry that fills in two parts.
    const rowsOfTwoParts: PriceRow[] = [
      QUIET_ROW,
      [10_000, 10_010, 9990, 10_000, 0.06],
      [10_000, 10_010, 9990, 10_000, 0.04],
      ...rows.slice(2),
    ];
    const fills = { fills: { maxVolumeSharePpm: 1_000_000 } };
    expect(
      await legFills({ targets: THREE_TARGETS, limit: 101, stopLoss: 90 }, rowsOfTwoParts, '0.1', { ...twoOpenOrders, ...fills }),
    ).toEqual([
      ['takeProfit', 10_500, 50],
      ['takeProfit', 11_000, 30],
      ['stopLoss', 9000, 20],
    ]);
  });
  it('an exit cancels the targets and closes the position', async () => {
    const script = (strategy: CallableStrategy, row: number) => {
      if (row === 0) strategy.order('buy', { base: '0.1' }, { targets: THREE_TARGETS });
      if (row === 3) strategy.api.exit();
    };
    const { fills, orders } = await ordersOf(
      script,
      WITHOUT_FEES,
      barsOfRows([QUIET_ROW, QUIET_ROW, [10_000, 10_600, 10_000, 10_600], QUIET_ROW, QUIET_ROW, QUIET_ROW]),
    );
    expect(fills.map(({ lots }) => lots)).toEqual([100, 50, 50]);
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'filled', 'canceled', 'canceled', 'filled']);
  });
  it('amend replaces the targets of a working order', async () => {
    const script = (strategy: CallableStrategy, row: number) => {
      if (row === 0) strategy.order('buy', { base: '0.1' }, { limit: 99, targets: THREE_TARGETS });
      if (row === 1) strategy.api.amend(1, { targets: [{ at: 106, share: 0.25 }, { at: 107 }] }); // prettier-ignore
      if (row === 4) strategy.api.amend(2, { targets: THREE_TARGETS });
    };
    const rows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [9990, 10_000, 9800, 9990], [10_000, 12_000, 10_000, 10_000], QUIET_ROW];
    const { fills } = await ordersOf(script, WITHOUT_FEES, barsOfRows(rows.slice(0, 4)));
    expect(fills.map(({ lots, price }) => [lots, price])).toEqual([[100, 9900], [25, 10_600], [75, 10_700]]); // prettier-ignore
  });
  it('amend of targets is rejected once the order has filled', async () => {
    const amendLate = (strategy: CallableStrategy, row: number) => {
      if (row === 0) strategy.order('buy', { base: '0.1' }, { stopLoss: 90 });
      if (row === 2) strategy.api.amend(1, { targets: THREE_TARGETS });
    };
    await expect(ordersOf(amendLate, WITHOUT_FEES, quietBars(4))).rejects.toThrow('this.amend(1, { targets }), but the order has filled');
  });
  it('a short of a contract closes a share at each target, and the rest by its stop', async () => {
    const targets = [{ at: 950, share: 0.5 }, { at: 900 }];
    const sellOnce = strategyOf((strategy, row) => row === 0 && strategy.order('sell', { base: 11 }, { stopLoss: 1100, targets }));
    const rows = [QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9400, 9500], [9500, 11_100, 9500, 11_000], QUIET_ROW].map(
      (row) => row.slice(0, 4) as never,
    );
    const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
    const plan = planFor({
      strategies: [sellOnce],
      feeds: { bars: barsOfRows(rows, linearContract()) },
      ...WITHOUT_FEES,
      cash: { USDT: '100000' },
      futures,
    });
    const prepared = await prepareBacktest(plan, {});
    prepared.loop(prepared.engine);
    const record = runRecordOf(plan, prepared, false);
    const roles = orderRows(record).map(({ role }) => role);
    expect(fillRows(record).map(({ order: id, price, lots }) => [roles[id - 1], price, lots])).toEqual([
      ['market', 10_000, 11],
      ['takeProfit', 9500, 5],
      ['stopLoss', 11_000, 6],
    ]);
  });
});

describe('an invalid list of targets', () => {
  const errorMessageOf = async (targets: unknown, otherOptions: object = {}): Promise<string> => {
    try {
      await ordersOf(buyAtFirstBar({ base: '0.1' }, { targets, ...otherOptions } as never), WITHOUT_FEES, quietBars(3));
      return 'no error';
    } catch (error) {
      return (error as Error).message;
    }
  };
  it.each([
    [[], 'targets is empty'],
    ['105', 'targets is a string instead of a list'],
    [null, 'targets is null instead of a list'],
    [[{ share: 0.5 }], 'targets[0] has no price'],
    [[105], 'targets[0] has no price'],
    [[{ at: 105 }, { at: 110 }], 'targets[0] has no share'],
    [[{ at: 105, share: 0 }], 'targets[0].share is 0'],
    [[{ at: 105, share: -0.1 }], 'targets[0].share is -0.1'],
    [[{ at: 105, share: NaN }], 'targets[0].share is NaN'],
    [[{ at: 105, share: '1e-7' }], 'targets[0].share is 1e-7'],
    [
      [
        { at: 105, share: 0.7 },
        { at: 110, share: 0.4 },
      ],
      'the shares of its targets sum to 1.1',
    ],
    [[{ at: 105, share: 1 }, { at: 110 }], 'targets[1] has nothing left to close'],
    [[{ at: 105, shares: 1 }], 'targets[0].shares does not exist'],
    [Array.from({ length: 11 }, (_, index) => ({ at: 105 + index, share: 0.01 })), '11 targets'],
  ] as const)('the list of targets %j is rejected: %s', async (targets, message) => {
    expect(await errorMessageOf(targets)).toContain(message);
  });
  it('an order with targets and takeProfit is rejected', async () => {
    expect(await errorMessageOf(THREE_TARGETS, { takeProfit: 105 })).toContain('an order with takeProfit and targets');
  });
  it.each([
    [[{ at: 99, share: 0.5 }, { at: 105 }], 'TARGET_SIDE'],
    [[{ at: 105, share: 0.5 }, { at: '105.00' }], 'TARGETS_EQUAL'],
    [[{ at: 105, share: 0.5 }, { at: NaN }], 'BAD_INPUT'],
    [[{ at: 105, share: 0.5 }, { at: 'x' }], 'BAD_INPUT'],
  ] as const)('an order with targets %j is denied with %s', async (targets, code) => {
    const { orders } = await ordersOf(buyAtFirstBar({ base: '0.1' }, { targets }), WITHOUT_FEES, quietBars(3));
    expect([orders[0]!.ending, orders[0]!.code]).toEqual(['denied', code]);
  });
});

type Ladder = Parameters<typeof rungsOfFill>[0];

/** Returns the lots that each target gets when the filled lots of an order rise from `from` to `to`. */
function lotsByTarget(ladder: Ladder, orderLots: number, from: number, to: number, minLots = 1): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const { targetTicks, lots } of rungsOfFill(ladder, orderLots, from, to, minLots))
    sums.set(targetTicks, (sums.get(targetTicks) ?? 0) + lots);
  return sums;
}
const sumOf = (lots: Iterable<number>) => [...lots].reduce((sum, count) => sum + count, 0);

it('random ladders: an order that fills in two parts gives each target the lots of one fill, and loses none', () => {
  const rng = seededRng(5);
  const below = (count: number) => Math.floor(rng.next() * count);
  for (let turn = 0; turn < 2000; turn++) {
    const targetCount = 1 + below(5);
    const sharesPpm = Array.from({ length: targetCount }, () => 1 + below(1_000_000 / targetCount));
    // Every second ladder closes the whole position.
    if (turn % 2 > 0) sharesPpm[targetCount - 1] = 1_000_000 - sumOf(sharesPpm.slice(0, -1));
    const ladder = sharesPpm.map((sharePpm, index) => ({ at: ticks(100 + index), sharePpm }));
    const lots = 1 + below(1000);
    const firstPart = below(lots + 1);

    const oneFill = lotsByTarget(ladder, lots, 0, lots);
    const firstFill = lotsByTarget(ladder, lots, 0, firstPart);
    const secondFill = lotsByTarget(ladder, lots, firstPart, lots);
    for (const { at } of ladder) {
      expect((firstFill.get(at) ?? 0) + (secondFill.get(at) ?? 0), `turn ${turn}`).toBe(oneFill.get(at) ?? 0);
    }

    // All targets together get the sum of their shares, less than one lot for each target away from it.
    const totalLots = sumOf(oneFill.values());
    const totalShare = new Decimal(sumOf(sharesPpm)).div(1_000_000);
    if (totalShare.eq(1)) expect(totalLots).toBe(lots);
    expect(new Decimal(lots).times(totalShare).minus(totalLots).abs().lt(targetCount)).toBe(true);

    // With a minimum of 40 lots no target gets less. Lots are dropped only if all of them are fewer than 40 for each target.
    const withMinimum = lotsByTarget(ladder, lots, 0, lots, 40);
    for (const targetLots of withMinimum.values()) expect(targetLots).toBeGreaterThanOrEqual(40);
    const keptLots = sumOf(withMinimum.values());
    expect(keptLots === totalLots || (keptLots === 0 && totalLots < 40 * targetCount)).toBe(true);
  }
});

it('the nearest target of a long is the lowest of its list', () => {
  const ladder = [
    { at: ticks(3), sharePpm: 1 },
    { at: ticks(2), sharePpm: 1 },
  ];
  expect(nearestOf(ladder, true)).toBe(2);
});
