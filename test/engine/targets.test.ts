// Several targets in one order: which lots each closes, what the stop still covers, and what a list may not say.
// test/campaigns/orderForms.test.ts compares random scripts with a naive reference.

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { OrderOptions, TargetShare } from '../../src/index.ts';
import { nearestOf, rungsOfFill } from '../../src/orders/stops/ladder.ts';
import { ticks } from '../../src/base/brand.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { at as acting, FREE, ordersOf, quiet, type Api } from './strategyApi.ts';
import { barsOfRows, fillRows, orderRows, planFor, type PlanOptions } from './world.ts';

type Prices = [number, number, number, number, number?];
const QUIET: Prices = [10_000, 10_010, 9990, 10_000];
const THREE: readonly TargetShare[] = [
  { at: '105', share: 0.5 },
  { at: '110', share: 0.3 },
  { at: '120', share: 0.2 },
];
const order =
  (options: OrderOptions, base = '0.1', isBuy = true) =>
  (own: Api, row: number) =>
    row === 0 && own.order(isBuy, { base }, options);

/** Role, price and lots of each fill after that of the entry. */
async function legsOf(options: OrderOptions, rows: Prices[], base = '0.1', more: Partial<PlanOptions> = {}) {
  const done = await ordersOf(order(options, base), { ...FREE, ...more }, barsOfRows(rows));
  return done.fills.filter(({ order: id }) => id > 1).map(({ order: id, price, lots }) => [done.orders[id - 1]!.role, price, lots]);
}

describe('an order with several targets', () => {
  it('closes a share at each target, and the rest by its stop', async () => {
    const legs = await legsOf({ targets: THREE, stopLoss: 90 }, [
      QUIET,
      QUIET,
      [10_000, 10_600, 10_000, 10_600],
      [10_600, 10_600, 8900, 8900],
      QUIET,
    ]);
    expect(legs).toEqual([['takeProfit', 10_500, 50], ['stopLoss', 9000, 50]]); // prettier-ignore
    const two = await legsOf({ targets: THREE, stopLoss: 90 }, [
      QUIET,
      QUIET,
      [10_000, 11_100, 10_000, 10_600],
      [10_600, 10_600, 8900, 8900],
      QUIET,
    ]);
    expect(two).toEqual([['takeProfit', 10_500, 50], ['takeProfit', 11_000, 30], ['stopLoss', 9000, 20]]); // prettier-ignore
  });
  it('closes the whole position in one row that reaches all targets; a row that also reaches the stop fills the stop', async () => {
    expect(await legsOf({ targets: THREE, stopLoss: 90 }, [QUIET, QUIET, [10_000, 12_100, 10_000, 12_000], QUIET])).toEqual([
      ['takeProfit', 10_500, 50], ['takeProfit', 11_000, 30], ['takeProfit', 12_000, 20]]); // prettier-ignore
    expect(await legsOf({ targets: THREE, stopLoss: 90 }, [QUIET, QUIET, [10_000, 12_100, 8900, 12_000], QUIET])).toEqual([
      ['stopLoss', 9000, 100]]); // prettier-ignore
  });
  it('rounds shares down to lots and gives the rest to the last target, whose share may be omitted', async () => {
    const up: Prices[] = [QUIET, QUIET, [10_000, 13_000, 10_000, 12_000], QUIET];
    const thirds = [{ at: 105, share: 1 / 3 }, { at: 110, share: '0.3333' }, { at: 120 }]; // prettier-ignore
    expect((await legsOf({ targets: thirds }, up, '0.011')).map(([, , lots]) => lots)).toEqual([3, 3, 5]);
    const equal = [105, 110, 120].map((at) => ({ at: new Decimal(at), share: 1 / 3 }));
    expect((await legsOf({ targets: equal }, up, '0.011')).map(([, , lots]) => lots)).toEqual([3, 3, 5]);
  });
  it('leaves the lots that no target has to the stop alone', async () => {
    const legs = await legsOf({ targets: [{ at: 105, share: '0.25' }], stopLoss: 90 }, [QUIET, QUIET, [10_000, 13_000, 10_000, 12_000], [12_000, 12_000, 8000, 8000], QUIET]); // prettier-ignore
    expect(legs).toEqual([['takeProfit', 10_500, 25], ['stopLoss', 9000, 75]]); // prettier-ignore
  });
  it('gives filled lots to its targets in their order, also when a row has less volume than the order', async () => {
    const rows: Prices[] = [
      QUIET,
      [10_000, 10_010, 9990, 10_000, 0.06],
      [10_000, 10_010, 9990, 10_000, 0.04],
      [10_000, 12_100, 10_000, 12_000],
      QUIET,
    ];
    expect(await legsOf({ targets: THREE, limit: 101 }, rows, '0.1', { fills: { maxVolumeSharePpm: 1_000_000 } })).toEqual([
      ['takeProfit', 10_500, 50], ['takeProfit', 11_000, 10], ['takeProfit', 11_000, 20], ['takeProfit', 12_000, 20]]); // prettier-ignore
  });
  it('rounds target prices like the prices of closing orders', async () => {
    const up: Prices[] = [QUIET, QUIET, [10_000, 13_000, 10_000, 12_000], QUIET];
    expect(await legsOf({ targets: [{ at: '105.001', share: 0.5 }, { at: 110.01 }] }, up)).toEqual([
      ['takeProfit', 10_501, 50], ['takeProfit', 11_001, 50]]); // prettier-ignore
  });
  it('by amount places its targets when it has ended, because its lots are known only then', async () => {
    // The row of the entry reaches the first of them too.
    const rows: Prices[] = [QUIET, [10_000, 10_600, 9990, 10_000], [10_000, 12_100, 10_000, 12_000], QUIET];
    const buy = (own: Api, row: number) => row === 0 && own.order(true, { quote: '11' }, { targets: THREE });
    const { fills } = await ordersOf(buy, FREE, barsOfRows(rows));
    expect(fills.map(({ minute, lots }) => [minute, lots])).toEqual([[1, 110], [2, 55], [3, 33], [3, 22]]); // prettier-ignore
  });
  it('places its targets at its end when too many orders are open; the stop keeps the lots of targets that exceed the limit', async () => {
    const rows: Prices[] = [QUIET, QUIET, [10_000, 12_100, 10_000, 12_000], [12_000, 12_000, 8900, 8900], QUIET];
    const more = { risk: { maxOpenOrders: 2 } };
    expect(await legsOf({ targets: THREE, stopLoss: 90 }, rows, '0.1', more)).toEqual([
      ['takeProfit', 10_500, 50], ['takeProfit', 11_000, 30], ['stopLoss', 9000, 20]]); // prettier-ignore
    const parts: Prices[] = [QUIET, [10_000, 10_010, 9990, 10_000, 0.06], [10_000, 10_010, 9990, 10_000, 0.04], ...rows.slice(2)];
    const fills = { fills: { maxVolumeSharePpm: 1_000_000 } };
    expect(await legsOf({ targets: THREE, limit: 101, stopLoss: 90 }, parts, '0.1', { ...more, ...fills })).toEqual([
      ['takeProfit', 10_500, 50], ['takeProfit', 11_000, 30], ['stopLoss', 9000, 20]]); // prettier-ignore
  });
  it('is closed by an exit, which cancels the targets first', async () => {
    const act = (own: Api, row: number) => {
      if (row === 0) own.order(true, { base: '0.1' }, { targets: THREE });
      if (row === 3) own.api.exit();
    };
    const done = await ordersOf(act, FREE, barsOfRows([QUIET, QUIET, [10_000, 10_600, 10_000, 10_600], QUIET, QUIET, QUIET]));
    expect(done.fills.map(({ lots }) => lots)).toEqual([100, 50, 50]);
    expect(done.orders.map(({ ending }) => ending)).toEqual(['filled', 'filled', 'canceled', 'canceled', 'filled']);
  });
  it('accepts another list by amend while it works, and none once it has filled', async () => {
    const act = (own: Api, row: number) => {
      if (row === 0) own.order(true, { base: '0.1' }, { limit: 99, targets: THREE });
      if (row === 1) own.api.amend(1, { targets: [{ at: 106, share: 0.25 }, { at: 107 }] }); // prettier-ignore
      if (row === 4) own.api.amend(2, { targets: THREE });
    };
    const rows: Prices[] = [QUIET, QUIET, [9990, 10_000, 9800, 9990], [10_000, 12_000, 10_000, 10_000], QUIET];
    const done = await ordersOf(act, FREE, barsOfRows(rows.slice(0, 4)));
    expect(done.fills.map(({ lots, price }) => [lots, price])).toEqual([[100, 9900], [25, 10_600], [75, 10_700]]); // prettier-ignore
    const late = (own: Api, row: number) => {
      if (row === 0) own.order(true, { base: '0.1' }, { stopLoss: 90 });
      if (row === 2) own.api.amend(1, { targets: THREE });
    };
    await expect(ordersOf(late, FREE, quiet(4))).rejects.toThrow('this.amend(1, { targets }), but the order has filled');
  });
  it('of a contract closes a share of a short at each target, and the rest by its stop', async () => {
    const strategy = acting((own, row) => row === 0 && own.order(false, { base: 11 }, { stopLoss: 1100, targets: [{ at: 950, share: 0.5 }, { at: 900 }] })); // prettier-ignore
    const rows = [QUIET, QUIET, [10_000, 10_000, 9400, 9500], [9500, 11_100, 9500, 11_000], QUIET].map((row) => row.slice(0, 4) as never);
    const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
    const plan = planFor({
      strategies: [strategy],
      feeds: { bars: barsOfRows(rows, linearContract()) },
      ...FREE,
      cash: { USDT: '100000' },
      futures,
    });
    const world = await prepareBacktest(plan, {});
    world.loop(world.engine);
    const record = runRecordOf(plan, world, false);
    const roles = orderRows(record).map(({ role }) => role);
    expect(fillRows(record).map(({ order: id, price, lots }) => [roles[id - 1], price, lots])).toEqual([
      ['market', 10_000, 11], ['takeProfit', 9500, 5], ['stopLoss', 11_000, 6]]); // prettier-ignore
  });
});

describe('an invalid list of targets', () => {
  const thrown = async (targets: unknown, more: object = {}): Promise<string> => {
    try {
      await ordersOf(order({ targets, ...more } as never), FREE, quiet(3));
      return 'nothing';
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
    [Array.from({ length: 11 }, (_, k) => ({ at: 105 + k, share: 0.01 })), '11 targets'],
  ] as const)('%j: %s', async (targets, words) => {
    expect(await thrown(targets)).toContain(words);
  });
  it('an order with targets and takeProfit is refused', async () => {
    expect(await thrown(THREE, { takeProfit: 105 })).toContain('an order with takeProfit and targets');
  });
  it.each([
    [[{ at: 99, share: 0.5 }, { at: 105 }], 'TARGET_SIDE'],
    [[{ at: 105, share: 0.5 }, { at: '105.00' }], 'TARGETS_EQUAL'],
    [[{ at: 105, share: 0.5 }, { at: NaN }], 'BAD_INPUT'],
    [[{ at: 105, share: 0.5 }, { at: 'x' }], 'BAD_INPUT'],
  ] as const)('denies the order for prices that are: %j %s', async (targets, code) => {
    const { orders } = await ordersOf(order({ targets }), FREE, quiet(3));
    expect([orders[0]!.ending, orders[0]!.code]).toEqual(['denied', code]);
  });
});

it('the lots that a fill gives to targets depend only on the lots filled before it, and no lot is lost', () => {
  const rng = seededRng(5);
  const below = (count: number) => Math.floor(rng.next() * count);
  for (let turn = 0; turn < 2000; turn++) {
    const count = 1 + below(5);
    const cuts = Array.from({ length: count }, () => 1 + below(1_000_000 / count));
    const ladder = cuts.map((sharePpm, rung) => ({
      at: ticks(100 + rung),
      sharePpm: turn % 2 > 0 && rung === count - 1 ? 1_000_000 - cuts.slice(0, -1).reduce((a, b) => a + b, 0) : sharePpm,
    }));
    const lots = 1 + below(1000);
    const cut = below(lots + 1);
    const of = (from: number, to: number, min = 1) => {
      const sums = new Map<number, number>();
      for (const { at, lots: part } of rungsOfFill(ladder, lots, from, to, min)) sums.set(at, (sums.get(at) ?? 0) + part);
      return sums;
    };
    const whole = of(0, lots);
    const [first, second] = [of(0, cut), of(cut, lots)];
    for (const { at } of ladder) expect((first.get(at) ?? 0) + (second.get(at) ?? 0), `turn ${turn}`).toBe(whole.get(at) ?? 0);
    const total = [...whole.values()].reduce((a, b) => a + b, 0);
    const share = ladder.reduce((sum, { sharePpm }) => sum.plus(sharePpm), new Decimal(0)).div(1_000_000);
    if (share.eq(1)) expect(total).toBe(lots);
    expect(new Decimal(lots).times(share).minus(total).abs().lt(count)).toBe(true);
    // Nothing below the smallest order, and no more is lost by it than that.
    const sized = of(0, lots, 40);
    for (const part of sized.values()) expect(part).toBeGreaterThanOrEqual(40);
    const kept = [...sized.values()].reduce((a, b) => a + b, 0);
    expect(kept === total || (kept === 0 && total < 40 * count)).toBe(true);
  }
  expect(nearestOf([{ at: ticks(3), sharePpm: 1 }, { at: ticks(2), sharePpm: 1 }], true)).toBe(2); // prettier-ignore
});
