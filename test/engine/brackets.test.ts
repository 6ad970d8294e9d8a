// Tests the fills of brackets on single rows: at the open, inside a row, over gaps, in parts and with each kind of fee.

import { describe, expect, it } from 'vitest';
import { type Size } from '../../src/index.ts';
import { spotBooks } from '../fixtures/spotBooks.ts';
import { HUNDRED_LOTS, QUIET_ROW, type PriceRow } from './backtestFixture.ts';
import { entryStrategy, runEntry } from './bracketEntries.ts';

describe('an entry filled at the open', () => {
  it('an entry filled at the open is stopped in the same row if the row reaches both stop and target', async () => {
    const { fills, orders } = await runEntry(entryStrategy(HUNDRED_LOTS, { stopLoss: 99, takeProfit: 101 }), [
      [10_000, 10_200, 9800, 10_000],
      QUIET_ROW,
    ]);
    expect(fills).toEqual([
      { role: 'market', price: 10_000, lots: 100, isMaker: false, minute: 1 },
      { role: 'stopLoss', price: 9900, lots: 100, isMaker: false, minute: 2 },
    ]);
    expect(orders.map(({ role, ending }) => [role, ending])).toEqual([
      ['market', 'filled'],
      ['takeProfit', 'canceled'],
      ['stopLoss', 'filled'],
    ]);
  });

  it('an entry filled at the open takes its profit in the same row as maker, and the stop is cancelled', async () => {
    const rows: PriceRow[] = [[10_000, 10_101, 9950, 10_050], [9000, 9000, 9000, 9000]]; // prettier-ignore
    const { fills } = await runEntry(entryStrategy(HUNDRED_LOTS, { stopLoss: 99, takeProfit: 101 }), rows);
    expect(fills.map(({ role, price, isMaker }) => [role, price, isMaker])).toEqual([
      ['market', 10_000, false],
      ['takeProfit', 10_100, true],
    ]);
  });

  it('a target fills only at a price beyond it, not at the target itself', async () => {
    const { fills } = await runEntry(entryStrategy(HUNDRED_LOTS, { takeProfit: 101 }), [[10_000, 10_100, 9950, 10_050], QUIET_ROW]);
    expect(fills).toHaveLength(1);
  });

  it('an entry filled at an open beyond its target sells at that open as taker', async () => {
    const { fills } = await runEntry(entryStrategy(HUNDRED_LOTS, { takeProfit: 100.5 }), [[10_060, 10_080, 9950, 10_050]]);
    expect(fills.map(({ role, price, isMaker }) => [role, price, isMaker])).toEqual([
      ['market', 10_060, false],
      ['takeProfit', 10_060, false],
    ]);
  });

  it('an entry filled at the open below its own stop is sold at that open', async () => {
    const { fills } = await runEntry(entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }), [[9850, 9950, 9800, 9900]]);
    expect(fills.map(({ role, price, minute }) => [role, price, minute])).toEqual([
      ['market', 9850, 1],
      ['stopLoss', 9850, 1],
    ]);
  });
});

describe('an entry filled inside the row', () => {
  const dip = entryStrategy(HUNDRED_LOTS, { limit: 99.5, stopLoss: 99, takeProfit: 100.5 });

  it('an entry filled inside the row is stopped by the same row, though the row has also passed the target', async () => {
    const { fills } = await runEntry(dip, [[10_000, 10_100, 9890, 10_000]]);
    expect(fills).toEqual([
      { role: 'limit', price: 9950, lots: 100, isMaker: true, minute: 2 },
      { role: 'stopLoss', price: 9900, lots: 100, isMaker: false, minute: 2 },
    ]);
  });

  it('an entry filled inside the row does not take its profit on the same row, but on the next', async () => {
    const { fills } = await runEntry(dip, [[10_000, 10_100, 9940, 10_000], [10_000, 10_060, 9980, 10_000]]); // prettier-ignore
    expect(fills.map(({ role, price, minute }) => [role, price, minute])).toEqual([
      ['limit', 9950, 2],
      ['takeProfit', 10_050, 3],
    ]);
  });
});

describe('a trailing stop of an entry filled inside the row', () => {
  // The row falls from 110 to 90 and closes at 92. The limit at 91 fills on the way.
  const FALL: PriceRow = [11_000, 11_000, 9000, 9200];
  const dip = entryStrategy(HUNDRED_LOTS, { limit: 91, trailing: 5 });

  it('a trailing stop of an entry filled inside the row does not follow the high of that row, which may lie before the entry', async () => {
    const rows: PriceRow[] = [FALL, [9200, 9300, 9100, 9250], [9250, 9300, 8700, 8700]];
    const { fills } = await runEntry(dip, rows);
    // The best prices that are certain: the close of 92, then 93 of the next row.
    expect(fills.map(({ price, minute }) => [price, minute])).toEqual([[9100, 2], [8800, 4]]); // prettier-ignore
  });

  it('a trailing stop of an entry filled inside the row follows the close of that row, which is certain to lie after the entry', async () => {
    const rows: PriceRow[] = [
      [11_000, 11_000, 9000, 10_000],
      [10_000, 10_000, 9400, 9450],
    ];
    const { fills } = await runEntry(dip, rows);
    expect(fills.map(({ price, minute }) => [price, minute])).toEqual([[9100, 2], [9500, 3]]); // prettier-ignore
  });

  it('a trailing stop of an entry filled at the open follows the whole row', async () => {
    const rows: PriceRow[] = [
      [10_000, 11_000, 9900, 10_900],
      [10_900, 10_900, 10_400, 10_400],
    ];
    const { fills } = await runEntry(entryStrategy(HUNDRED_LOTS, { trailing: 5 }), rows);
    expect(fills.map(({ price, minute }) => [price, minute])).toEqual([[10_000, 1], [10_500, 3]]); // prettier-ignore
  });
});

describe('a stop', () => {
  it('a stop that the row opens beyond fills at the open', async () => {
    const { fills } = await runEntry(entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }), [QUIET_ROW, [9700, 9800, 9650, 9700]]);
    expect(fills[1]).toEqual({ role: 'stopLoss', price: 9700, lots: 100, isMaker: false, minute: 2 });
  });

  it('a stop pays slippage on top of its level', async () => {
    const rows: PriceRow[] = [QUIET_ROW, [10_000, 10_000, 9890, 9900]];
    const { fills } = await runEntry(entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }), rows, { fills: { slippageTicks: 3 } });
    expect(fills.map(({ price }) => price)).toEqual([10_003, 9897]);
  });

  it('a stop has no latency, and its target is cancelled before it is sent', async () => {
    const rows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9890, 9900], [9000, 12_000, 9000, 9000]];
    const { fills, orders } = await runEntry(entryStrategy(HUNDRED_LOTS, { stopLoss: 99, takeProfit: 110 }), rows, {
      fills: { latencyMs: 20_000 },
    });
    expect(fills.map(({ role, price, minute }) => [role, price, minute])).toEqual([
      ['market', 10_000, 2],
      ['stopLoss', 9900, 4],
    ]);
    expect(orders.map(({ role, ending }) => [role, ending])).toEqual([
      ['market', 'filled'],
      ['takeProfit', 'canceled'],
      ['stopLoss', 'filled'],
    ]);
  });

  it('a stop that risk denies is tried again at the next row', async () => {
    // The entry is the one order of its minute, so the stop of the second row is sent in the next minute.
    const rows: PriceRow[] = [QUIET_ROW, [10_000, 10_000, 9890, 9900], [9880, 9900, 9870, 9890], QUIET_ROW];
    const { fills, orders } = await runEntry(entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }), rows, { risk: { maxOrdersPerMinute: 1 } });
    expect(fills[1]!.role).toBe('stopLoss');
    expect(orders.filter(({ role }) => role === 'stopLoss').at(-1)!.ending).toBe('filled');
  });

  it('a stop that a row has too little volume for continues at the next row', async () => {
    const rows: PriceRow[] = [
      [10_000, 10_010, 9990, 10_000, 10],
      [10_000, 10_000, 9890, 9900, 0.4],
      [9880, 9900, 9870, 9890, 10],
    ];
    const { fills, engine } = await runEntry(entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }), rows, {
      fills: { maxVolumeSharePpm: 100_000 },
    });
    expect(fills.map(({ role, price, lots }) => [role, price, lots])).toEqual([
      ['market', 10_000, 100],
      ['stopLoss', 9900, 40],
      ['stopLoss', 9880, 60],
    ]);
    expect(engine.brackets.total).toBe(0);
  });

  it('a stop does not outlive the position that another order has closed', async () => {
    const script = entryStrategy(
      HUNDRED_LOTS,
      { stopLoss: 99 },
      { 2: (strategy) => strategy.sellSize(HUNDRED_LOTS), 4: (strategy) => strategy.enter({ base: '0.3' }) },
    );
    const { fills, engine } = await runEntry(script, [QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW, [9000, 9000, 9000, 9000]]);
    expect(fills.map(({ role, lots }) => [role, lots])).toEqual([['market', 100], ['market', 100], ['market', 300]]); // prettier-ignore
    expect(engine.ledger.lots(0, 0)).toBe(300);
  });
});

describe('two equal stops that trigger on a row without volume', () => {
  const enterTwice = (size: Size) =>
    entryStrategy(size, { stopLoss: 99, tag: 'a' }, { 1: (strategy) => strategy.enter(size, { stopLoss: 99, tag: 'b' }) });
  const rows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [9950, 9950, 9890, 9900, 0], [9890, 9900, 9880, 9890, 0], [9880, 9900, 9870, 9890, 10]];
  const capped = { fills: { maxVolumeSharePpm: 100_000 } };

  it('of two equal stops that trigger at once the second is one lot smaller, because no two open orders may be equal', async () => {
    const { fills, orders, engine } = await runEntry(enterTwice(HUNDRED_LOTS), rows, capped);
    expect(orders.map(({ role, lots, ending }) => [role, lots, ending]).slice(2)).toEqual([
      ['stopLoss', 100, 'filled'],
      ['stopLoss', 99, 'filled'],
    ]);
    expect(fills.slice(2).map(({ price, minute }) => [price, minute])).toEqual([[9880, 5], [9880, 5]]); // prettier-ignore
    expect(engine.brackets.total).toBe(0);
  });

  it('two equal stops of the smallest size that trigger on a row without volume are sent in turn, at the same price', async () => {
    const { fills, orders, engine } = await runEntry(enterTwice({ base: '0.002' }), rows, capped);
    expect(orders.filter(({ ending }) => ending === 'denied').map(({ code }) => code)).toEqual(['FP_NOT_UNIQUE', 'FP_NOT_UNIQUE']);
    expect(fills.slice(2)).toEqual([
      { role: 'stopLoss', price: 9880, lots: 2, isMaker: false, minute: 5 },
      { role: 'stopLoss', price: 9880, lots: 2, isMaker: false, minute: 5 },
    ]);
    expect(engine.ledger.isFlat(0, 0)).toBe(true);
    expect(engine.brackets.total).toBe(0);
  });

  it('two equal stops without a volume cap both fill completely', async () => {
    const { fills } = await runEntry(enterTwice({ base: '0.002' }), rows);
    expect(fills.slice(2).map(({ price, lots, minute }) => [price, lots, minute])).toEqual([[9900, 2, 4], [9900, 2, 4]]); // prettier-ignore
  });
});

describe('a trailing stop', () => {
  it('a trailing stop follows the best price of rows that have closed, never of the row itself', async () => {
    const rows: PriceRow[] = [
      [10_000, 10_000, 10_000, 10_000],
      // Up to 103 and down to 101.5. The low is more than the distance below the high, but the row does not trigger its own stop.
      [10_000, 10_300, 10_150, 10_200],
      // The stop is now at 103 - 1.
      [10_250, 10_260, 10_190, 10_200],
    ];
    const { fills } = await runEntry(entryStrategy(HUNDRED_LOTS, { trailing: 1 }), rows);
    expect(fills[1]).toEqual({ role: 'trailing', price: 10_200, lots: 100, isMaker: false, minute: 4 });
  });

  it('a trailing stop follows the entry price until a row has closed', async () => {
    const { fills } = await runEntry(entryStrategy(HUNDRED_LOTS, { trailing: 1 }), [[10_000, 10_500, 9890, 9950]]);
    expect(fills[1]).toMatchObject({ role: 'trailing', price: 9900, minute: 2 });
  });

  it('a fixed stop that is nearer than the trailing stop triggers first', async () => {
    const { fills } = await runEntry(entryStrategy(HUNDRED_LOTS, { trailing: 5, stopLoss: 99 }), [QUIET_ROW, [10_000, 10_010, 9800, 9850]]);
    expect(fills[1]).toMatchObject({ role: 'stopLoss', price: 9900 });
  });
});

describe('an entry that fills in parts', () => {
  const limit = entryStrategy(HUNDRED_LOTS, { limit: 100, stopLoss: 99, takeProfit: 101 });
  const capped = { fills: { maxVolumeSharePpm: 100_000 } };
  const part = (high = 10_010): PriceRow => [10_000, high, 9990, 10_000, 0.4];

  it('the stop of an entry that fills in parts covers the filled lots', async () => {
    const { engine, orders } = await runEntry(limit, [part(), part()], capped);
    expect(engine.brackets.of({ instrumentIndex: 0, id: 1 })?.lots).toBe(80);
    expect(orders.filter(({ role }) => role === 'takeProfit').map(({ lots }) => lots)).toEqual([40, 39]); // one lot less, because no two open orders may be equal
    expect(engine.orders.get(1 as never)?.filledLots).toBe(80);
  });

  it('a stop of an entry that has filled in part closes the filled lots and cancels the rest of the entry', async () => {
    const { fills, orders } = await runEntry(limit, [part(), part(), [9950, 9950, 9800, 9850, 100], QUIET_ROW], capped);
    expect(fills.map(({ role, lots }) => [role, lots])).toEqual([
      ['limit', 40],
      ['limit', 40],
      ['limit', 20],
      ['stopLoss', 100],
    ]);
    expect(orders.filter(({ role }) => role === 'takeProfit').every(({ ending }) => ending === 'canceled')).toBe(true);
  });

  it('an open beyond the stop of an entry that has filled in part cancels the rest of the entry', async () => {
    const { fills, orders } = await runEntry(
      entryStrategy(HUNDRED_LOTS, { limit: 100, stopLoss: 99.8 }),
      [
        [9950, 9960, 9900, 9950, 0.4],
        [9900, 9910, 9890, 9900],
      ],
      capped,
    );
    // The entry has used the volume of the first row, so the stop fills at the next open.
    expect(fills.map(({ role, lots, minute }) => [role, lots, minute])).toEqual([['limit', 40, 1], ['stopLoss', 40, 2]]); // prettier-ignore
    expect(orders[0]).toMatchObject({ ending: 'canceled', filled: 40 });
  });
});

describe('a target under a limit of one open order', () => {
  const oneOpenOrder = { risk: { maxOpenOrders: 1 } };
  const UP: PriceRow = [10_000, 10_200, 9990, 10_000];
  const rolesAndLots = ({ fills }: Awaited<ReturnType<typeof runEntry>>) => fills.map(({ role, lots }) => [role, lots]);

  it.each([
    ['quantity', { base: '0.1' }],
    ['amount', { quote: '10' }],
    ['amount that is not a whole number of lots', { quote: '10.05' }],
    ['a share of equity', { equity: '0.00010001' }],
  ])('with at most one open order, the target of an entry by %s is sent after the last fill of the entry', async (_, size) => {
    const result = await runEntry(entryStrategy(size, { takeProfit: 101 }), [QUIET_ROW, UP, QUIET_ROW], oneOpenOrder);
    expect(rolesAndLots(result)).toEqual([['market', 100], ['takeProfit', 100]]); // prettier-ignore
    expect(result.orders.map(({ ending }) => ending)).toEqual(['filled', 'filled']);
    expect(result.engine.brackets.total).toBe(0);
  });

  it.each([
    ['in parts', { base: '0.1' }, { limit: 100 }, 100],
    ['as far as its row has volume', { quote: '10.05' }, {}, 40],
  ])('with at most one open order, the target of an entry that fills %s is sent once for all lots', async (_, size, options, filled) => {
    const script = entryStrategy(size, { takeProfit: 101, ...options });
    const thin: PriceRow = [10_000, 10_010, 9990, 10_000, 0.4];
    const result = await runEntry(script, [thin, thin, thin, UP, QUIET_ROW], { ...oneOpenOrder, fills: { maxVolumeSharePpm: 100_000 } });
    expect(rolesAndLots(result).at(-1)).toEqual(['takeProfit', filled]);
    expect(result.orders).toHaveLength(2);
    expect(result.engine.brackets.total).toBe(0);
  });

  it('with at most one open order, a half filled entry keeps its stop, and its target is sent after the cancel of the entry', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { limit: 100, takeProfit: 101, stopLoss: 99 }, { 2: (strategy) => strategy.cancelAll() });
    const thin: PriceRow = [10_000, 10_010, 9990, 10_000, 0.4];
    const capped = { ...oneOpenOrder, fills: { maxVolumeSharePpm: 100_000 } };
    const up = await runEntry(script, [thin, [10_050, 10_060, 10_040, 10_050], UP], capped);
    expect(rolesAndLots(up)).toEqual([['limit', 40], ['takeProfit', 40]]); // prettier-ignore
    const down = await runEntry(script, [thin, [9990, 9990, 9800, 9900, 0], [9800, 9900, 9700, 9800]], capped);
    expect(rolesAndLots(down)).toEqual([['limit', 40], ['stopLoss', 40]]); // prettier-ignore
    expect(down.orders.some(({ role }) => role === 'takeProfit')).toBe(false);
  });

  it('with at most one open order, an exit that ends the entry prevents its target', async () => {
    const thin: PriceRow = [10_000, 10_010, 9990, 10_000, 0.4];
    const script = entryStrategy(HUNDRED_LOTS, { limit: 100, takeProfit: 101 }, { 1: (strategy) => strategy.exitPosition() });
    const result = await runEntry(script, [thin, QUIET_ROW, UP], { ...oneOpenOrder, fills: { maxVolumeSharePpm: 100_000 } });
    expect(rolesAndLots(result)).toEqual([['limit', 40], ['market', 40]]); // prettier-ignore
    expect(result.engine.brackets.total).toBe(0);
  });
});

describe('fees in the coin received', () => {
  const fees = { makerPpm: 1000, takerPpm: 1000 };

  it('fees in the received coin leave dust that counts as flat, and the legs sell whole lots', async () => {
    const flatStates: boolean[] = [];
    const script = entryStrategy(
      HUNDRED_LOTS,
      { takeProfit: 101, stopLoss: 99 },
      {
        2: (strategy) => flatStates.push(strategy.currentPosition().isFlat),
        3: (strategy) => flatStates.push(strategy.currentPosition().isFlat),
      },
    );
    const { fills, engine } = await runEntry(script, [QUIET_ROW, [10_000, 10_200, 9950, 10_000], QUIET_ROW], { fees });
    expect(fills.map(({ role, lots }) => [role, lots])).toEqual([['market', 100], ['takeProfit', 99]]); // prettier-ignore
    expect(spotBooks(engine).dust(0, 0)).toBe(900);
    expect(flatStates).toEqual([true, true]);
    expect(engine.brackets.total).toBe(0);
  });

  it('fees in the quote asset leave no dust', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { takeProfit: 101 });
    const { fills, engine } = await runEntry(script, [QUIET_ROW, [10_000, 10_200, 9950, 10_000]], { fees: { ...fees, in: 'quote' } });
    expect(fills.map(({ lots }) => lots)).toEqual([100, 100]);
    expect(spotBooks(engine).base(0, 0)).toBe(0);
  });
});
