// Tests brackets together with other orders of the strategy: an exit, a resting order, and a target that the strategy cancels.

import { describe, expect, it } from 'vitest';
import { HUNDRED_LOTS, QUIET_ROW, quietRows, type PriceRow } from './backtestFixture.ts';
import { entryStrategy, EntryStrategy, runEntry } from './bracketEntries.ts';

describe('exit', () => {
  it('exit drops the legs and sells the position once the target is cancelled', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 99, takeProfit: 101 }, { 2: (strategy) => strategy.exitPosition() });
    const { fills, orders, engine } = await runEntry(script, [QUIET_ROW, QUIET_ROW, QUIET_ROW, [9000, 12_000, 8000, 9000]]);
    expect(fills.map(({ role, price, minute }) => [role, price, minute])).toEqual([
      ['market', 10_000, 1],
      ['market', 10_000, 3],
    ]);
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled', 'filled']);
    expect(engine.brackets.total).toBe(0);
  });

  it('exit with latency waits for the cancel of the target and then for the sale', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 99, takeProfit: 101 }, { 3: (strategy) => strategy.exitPosition() });
    const { fills, orders } = await runEntry(script, [QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW], {
      fills: { latencyMs: 20_000 },
    });
    expect(fills.map(({ minute }) => minute)).toEqual([2, 6]);
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled', 'filled']);
  });

  it('a second exit during the first one closes what an entry has filled since, and drops the stop of that entry', async () => {
    const script = entryStrategy(HUNDRED_LOTS, {}, {
      3: (strategy) => strategy.enter({ base: '0.05' }, { stopLoss: 99, tag: 'more' }),
      4: (strategy) => strategy.exitPosition(),
      6: (strategy) => strategy.exitPosition(),
    }); // prettier-ignore
    const { fills, engine } = await runEntry(script, quietRows(12), { fills: { latencyMs: 90_000 } });
    expect(fills.map(({ role, lots }) => [role, lots])).toEqual([
      ['market', 100],
      ['market', 50],
      ['market', 100],
      ['market', 50],
    ]);
    expect(engine.ledger.isFlat(0, 0)).toBe(true);
    expect(engine.brackets.total).toBe(0);
  });

  it('exit that waits for a cancel also sells what an entry buys meanwhile, and a target of that entry does not prevent it', async () => {
    const script = entryStrategy({ base: '0.2' }, {}, {
      3: (strategy) => strategy.sellSize({ base: '0.1' }, { limit: 110, tag: 'rest' }),
      6: (strategy) => strategy.enter({ base: '0.1' }, { stopLoss: 99, takeProfit: 101, tag: 'more' }),
      7: (strategy) => strategy.exitPosition(),
    }); // prettier-ignore
    const rows: PriceRow[] = [...quietRows(12), [10_200, 10_210, 10_190, 10_200], [9950, 9950, 9800, 9850], QUIET_ROW];
    const { fills, orders, engine } = await runEntry(script, rows, { fills: { latencyMs: 90_000 } });
    expect(fills.map(({ role, lots, minute }) => [role, lots, minute])).toEqual([
      ['market', 200, 3],
      ['market', 100, 9],
      ['market', 300, 12],
    ]);
    expect(orders.map(({ role, ending }) => [role, ending])).toEqual([
      ['market', 'filled'],
      ['limit', 'canceled'],
      ['market', 'filled'],
      ['market', 'filled'],
    ]);
    expect(engine.brackets.total).toBe(0);
  });

  it('exit cancels a triggered stop that waits for volume, and the lots that it cannot sell have their stop again', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }, { 2: (strategy) => strategy.exitPosition() });
    const rows: PriceRow[] = [
      [10_000, 10_010, 9990, 10_000, 10],
      [10_000, 10_000, 9890, 9950, 0],
      [9950, 9960, 9940, 9950, 0.4],
      [9800, 9800, 9800, 9800, 10],
    ];
    const { fills, engine } = await runEntry(script, rows, { fills: { maxVolumeSharePpm: 100_000 } });
    expect(fills.map(({ role, lots, minute }) => [role, lots, minute])).toEqual([
      ['market', 100, 1],
      ['market', 40, 3],
      ['stopLoss', 60, 4],
    ]);
    expect(engine.brackets.total).toBe(0);
  });
});

describe('an order of the strategy that waits for a better price', () => {
  const sellAbove = { 1: (strategy: EntryStrategy) => strategy.sellSize(HUNDRED_LOTS, { limit: 110, tag: 'above' }) };
  const FALL: readonly PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9800, 9800], [9700, 9700, 9700, 9700]];

  it('a resting order of the strategy is cancelled for the stop of the lots that it would sell', async () => {
    const { fills, orders } = await runEntry(entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }, sellAbove), FALL);
    expect(fills.map(({ role, price, minute }) => [role, price, minute])).toEqual([
      ['market', 10_000, 1],
      ['stopLoss', 9900, 4],
    ]);
    expect(orders.map(({ role, ending }) => [role, ending])).toEqual([
      ['market', 'filled'],
      ['limit', 'canceled'],
      ['stopLoss', 'filled'],
    ]);
  });

  it('a resting order of the strategy whose cancel takes time is cancelled for the stop, which is sent with the first row after it', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }, { 2: sellAbove[1] });
    const { fills } = await runEntry(script, [...FALL, [9600, 9600, 9600, 9600]], { fills: { latencyMs: 1000 } });
    expect(fills.map(({ role, price, minute }) => [role, price, minute])).toEqual([
      ['market', 10_000, 2],
      ['stopLoss', 9600, 5],
    ]);
  });

  it('an order of the strategy that waits for a better price stays if the remaining lots are enough for the stop', async () => {
    const half = { 1: (strategy: EntryStrategy) => strategy.sellSize({ base: '0.05' }, { limit: 110 }) };
    const { orders } = await runEntry(
      entryStrategy(
        HUNDRED_LOTS,
        {},
        { ...half, 0: (strategy: EntryStrategy) => strategy.enter({ base: '0.05' }, { stopLoss: 99, tag: 'other' }) },
      ),
      FALL,
    );
    expect(orders.map(({ role, ending }) => [role, ending])).toEqual([
      ['market', 'filled'],
      ['market', 'filled'],
      ['limit', 'open'],
      ['stopLoss', 'filled'],
    ]);
  });
});

describe('the cancel of a target that the strategy asks for', () => {
  const withLatency = { fills: { latencyMs: 20_000 } };
  const target = { takeProfit: 101 };
  /** In row 2 the bot holds the position. The strategy acts at its close, and the cancel arrives inside row 3. */
  const up: PriceRow = [10_000, 10_150, 9990, 10_000];

  it.each([
    ['exit', (strategy: EntryStrategy) => void strategy.exitPosition()],
    ['cancel', (strategy: EntryStrategy) => strategy.cancelAll()],
  ])(
    'the cancel of a target that the strategy asks for takes the latency by %s, as that of a limit order does: the target fills meanwhile',
    async (_, cancelTarget) => {
      const { fills } = await runEntry(
        entryStrategy(HUNDRED_LOTS, target, { 2: cancelTarget }),
        [QUIET_ROW, QUIET_ROW, up, QUIET_ROW, QUIET_ROW],
        withLatency,
      );
      expect(fills.map(({ role, price, minute }) => [role, price, minute])).toEqual([
        ['market', 10_000, 2],
        ['takeProfit', 10_100, 4],
      ]);
    },
  );

  it('an exit follows the cancel of a target once the cancel has acted, with the latency of an order', async () => {
    const { fills, orders } = await runEntry(
      entryStrategy(HUNDRED_LOTS, target, { 2: (strategy) => void strategy.exitPosition() }),
      [QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW],
      withLatency,
    );
    // The cancel acts after row 3, in which it arrives. The sale arrives 20 s into row 4, so it can fill from row 5 on.
    expect(fills.map(({ role, minute }) => [role, minute])).toEqual([['market', 2], ['market', 5]]); // prettier-ignore
    expect(orders.map(({ role, ending }) => [role, ending])).toEqual([
      ['market', 'filled'],
      ['takeProfit', 'canceled'],
      ['market', 'filled'],
    ]);
  });

  it('the cancel of a target that the strategy asks for is not an obstacle to the stop that triggers before it has arrived', async () => {
    const down: PriceRow = [10_000, 10_000, 9890, 9900];
    // The entry fills at the open of row 3. Its target is cancelled at that row's close, and the cancel arrives in row 5. Row 4 reaches the
    // stop.
    const script = entryStrategy(HUNDRED_LOTS, { ...target, stopLoss: 99 }, { 3: (strategy) => strategy.cancelAll() });
    const { fills, engine } = await runEntry(script, [QUIET_ROW, QUIET_ROW, QUIET_ROW, down, QUIET_ROW, QUIET_ROW], {
      fills: { latencyMs: 90_000 },
    });
    expect(fills.map(({ role, price, minute }) => [role, price, minute])).toEqual([
      ['market', 10_000, 3],
      ['stopLoss', 9900, 5],
    ]);
    expect(engine.orders.impossibleEvents).toBe(0);
  });
});
