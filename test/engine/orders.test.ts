// Tests orders in a replay of the whole bot: decision slots, equal orders, early cancels, buys at the collar, and limits on one order.

import { describe, expect, it } from 'vitest';
import { Strategy, type OrderOptions, type Size } from '../../src/index.ts';
import { cappedBuys } from '../../src/report/warnings/orderWarnings.ts';
import { barsOfRows, HUNDRED_LOTS, orderRows, QUIET_ROW, quietRows, run, type PriceRow } from './backtestFixture.ts';
import { faultOfOrder, runScript, type ReportingStrategy, type Script } from './reportingStrategy.ts';

describe('a decision slot', () => {
  it('a slot holds one unfinished order, and all buys without a tag share one slot', async () => {
    const { orders } = await runScript(
      {
        0: (strategy) => {
          strategy.order('buy', HUNDRED_LOTS, { limit: 99 });
          strategy.order('buy', HUNDRED_LOTS, { limit: 98 });
          strategy.order('buy', HUNDRED_LOTS, { limit: 97, tag: 'low' });
          strategy.order('buy', HUNDRED_LOTS, { limit: 96, tag: 'low' });
        },
      },
      quietRows(2),
    );
    expect(orders.map(({ ending, code }) => code || ending)).toEqual(['open', 'SLOT_BUSY', 'open', 'SLOT_BUSY']);
  });

  it('a slot is free again when its order has ended', async () => {
    const { orders } = await runScript(
      { 0: (strategy) => strategy.order('buy', HUNDRED_LOTS), 1: (strategy) => strategy.order('buy', HUNDRED_LOTS) },
      quietRows(4),
    );
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'filled']);
  });

  it('two strategies may use the same slot at the same time', async () => {
    class Buyer extends Strategy {
      override onBar() {
        this.buy(HUNDRED_LOTS, { limit: 99 });
      }
    }
    class OtherBuyer extends Buyer {}
    const { record } = await run({ strategies: [Buyer, OtherBuyer], feeds: { bars: barsOfRows([QUIET_ROW]) } });
    expect(orderRows(record).map(({ ending, lots }) => [ending, lots])).toEqual([['open', 100], ['open', 99]]); // prettier-ignore
  });
});

describe('equal orders', () => {
  it('equal open orders differ by one lot, so that a lost reply can be assigned', async () => {
    const placeTagged = (tag: string) => (strategy: ReportingStrategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99, tag });
    const { orders } = await runScript(
      {
        0: placeTagged('a'),
        1: placeTagged('b'),
        2: placeTagged('c'),
        3: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 98, tag: 'd' }),
      },
      quietRows(4),
    );
    expect(orders.map(({ lots }) => lots)).toEqual([100, 99, 98, 100]);
  });

  it('equal open orders by amount differ by one unit', async () => {
    const script: Script = {
      0: (strategy) => {
        strategy.order('buy', { quote: '50' }, { tag: 'a' });
        strategy.order('buy', { quote: '50' }, { tag: 'b' });
      },
    };
    const { record } = await runScript(script, quietRows(2), { fills: { latencyMs: 1000 } });
    expect([...record.orders.quoteUnits]).toEqual([5_000_000_000, 4_999_999_999]);
  });

  it('an equal order that is too small to differ by a lot is denied', async () => {
    const placeTagged = (tag: string) => (strategy: ReportingStrategy) => strategy.order('buy', { base: '0.002' }, { limit: 99, tag });
    const { orders } = await runScript({ 0: placeTagged('a'), 1: placeTagged('b') }, quietRows(2));
    expect(orders.map(({ code }) => code)).toEqual(['', 'FP_NOT_UNIQUE']);
  });

  it('at most 17 equal orders are open, and further ones are denied', async () => {
    const script: Script = {
      0: (strategy) => {
        for (let tag = 0; tag < 19; tag++) strategy.order('buy', HUNDRED_LOTS, { limit: 99, tag: String(tag) });
      },
    };
    const { orders } = await runScript(script, quietRows(2));
    expect(orders.filter(({ code }) => code === 'FP_NOT_UNIQUE')).toHaveLength(2);
    expect(new Set(orders.slice(0, 17).map(({ lots }) => lots)).size).toBe(17);
  });

  it('an order also differs by a lot from an equal one that was proven absent', async () => {
    const script: Script = {
      0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }),
      1: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }),
    };
    const { orders } = await runScript(script, quietRows(3), {}, faultOfOrder(1, 'lostRequest'));
    expect(orders.map(({ lots }) => lots)).toEqual([100, 99]);
  });
});

describe('a cancel', () => {
  it('a cancel that is requested before the acknowledgement of its order is sent right after it', async () => {
    const script: Script = {
      0: (strategy) => {
        strategy.order('buy', HUNDRED_LOTS, { limit: 99 });
        strategy.cancelOrder(1);
      },
    };
    const { reported, orders } = await runScript(script, quietRows(6), { fills: { latencyMs: 90_000 } });
    expect(reported).toEqual(['1 cancelSent', '1 done']);
    expect(orders[0]).toMatchObject({ ending: 'canceled', filled: 0 });
  });

  it('a cancel that arrives inside a row does not save the order from that row', async () => {
    const script: Script = {
      0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }),
      2: (strategy) => strategy.cancelOrder(1),
    };
    const dipRow: PriceRow = [10_000, 10_000, 9890, 9950];
    const late = await runScript(script, [QUIET_ROW, QUIET_ROW, QUIET_ROW, dipRow, QUIET_ROW], { fills: { latencyMs: 20_000 } });
    expect(late.orders[0]!.ending).toBe('filled');
    const withoutLatency = await runScript(script, [QUIET_ROW, QUIET_ROW, QUIET_ROW, dipRow, QUIET_ROW]);
    expect(withoutLatency.orders[0]!.ending).toBe('canceled');
  });

  it('a second cancel of an order and a cancel of an unknown order are ignored', async () => {
    const script: Script = {
      0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }),
      1: (strategy) => {
        strategy.cancelOrder(1);
        strategy.cancelOrder(1);
        strategy.cancelOrder(77);
      },
    };
    const { reported, engine } = await runScript(script, quietRows(5), { fills: { latencyMs: 20_000 } });
    expect(reported).toEqual(['1 working', '1 done']);
    expect(engine.orders.impossibleEvents).toBe(0);
  });
});

describe('a market buy by quantity', () => {
  it('a market buy by quantity is a limit at the collar that fills at the next open as taker', async () => {
    const { orders, fills } = await runScript({ 0: (strategy) => strategy.order('buy', HUNDRED_LOTS) }, [
      QUIET_ROW,
      [10_099, 10_100, 9990, 10_000],
    ]);
    expect(orders[0]).toMatchObject({ role: 'market', limit: 10_100, lots: 100, ending: 'filled' });
    expect(fills[0]).toMatchObject({ price: 10_099, isMaker: false, minute: 1 });
  });

  it('a market buy by quantity is cancelled after its row if the open is beyond the collar', async () => {
    const beyond: PriceRow = [10_200, 10_210, 10_190, 10_200];
    const { orders, engine } = await runScript({ 0: (strategy) => strategy.order('buy', HUNDRED_LOTS) }, [
      QUIET_ROW,
      beyond,
      QUIET_ROW,
      QUIET_ROW,
    ]);
    expect(orders[0]).toMatchObject({ ending: 'canceled', filled: 0 });
    expect(engine.reservations.openOrdersTotal).toBe(0);
  });

  it('a market buy by quantity with a cap below the open rests, and fills as a maker if the row returns to the cap', async () => {
    const back: PriceRow = [10_200, 10_210, 10_090, 10_150];
    const { orders, fills, record } = await runScript({ 0: (strategy) => strategy.order('buy', HUNDRED_LOTS) }, [
      QUIET_ROW,
      back,
      QUIET_ROW,
    ]);
    expect(fills[0]).toMatchObject({ price: 10_100, isMaker: true, minute: 2 });
    expect(orders[0]).toMatchObject({ role: 'limit', limit: 10_100, ending: 'filled', code: 'CAPPED' });
    expect(cappedBuys(record)).toEqual([
      {
        code: 'ORDER_CAPPED_BUY',
        text: '1 market buy by quantity opened above the price cap (fills.collar) and rested as a limit order, 1 filled inside the bar as maker; a size in quote or equity is a plain market order without a cap',
        file: null,
        line: null,
      },
    ]);
  });

  it('a market buy by quantity with a cap that finds no seller is cancelled and booked as a limit order', async () => {
    const above: PriceRow = [10_200, 10_210, 10_190, 10_200];
    const { orders, record } = await runScript({ 0: (strategy) => strategy.order('buy', HUNDRED_LOTS) }, [QUIET_ROW, above, QUIET_ROW]);
    expect(orders[0]).toMatchObject({ role: 'limit', ending: 'canceled', code: 'CAPPED', filled: 0 });
    expect(cappedBuys(record)[0]!.text).toContain('0 filled inside the bar');
  });

  it('a market buy is booked as a market order: by quantity at or below its cap, by amount at any price', async () => {
    const up: PriceRow = [10_200, 10_210, 10_090, 10_150];
    const within = await runScript({ 0: (strategy) => strategy.order('buy', HUNDRED_LOTS) }, [
      QUIET_ROW,
      [10_100, 10_110, 10_090, 10_100],
      QUIET_ROW,
    ]);
    const byAmount = await runScript({ 0: (strategy) => strategy.order('buy', { quote: '10' }) }, [QUIET_ROW, up, QUIET_ROW]);
    for (const { orders, record } of [within, byAmount]) {
      expect(orders[0]).toMatchObject({ role: 'market', ending: 'filled', code: '' });
      expect(cappedBuys(record)).toEqual([]);
    }
  });

  it('the rest of a market buy by quantity that fills in part is cancelled', async () => {
    const { orders } = await runScript(
      { 0: (strategy) => strategy.order('buy', HUNDRED_LOTS) },
      [QUIET_ROW, [10_000, 10_010, 9990, 10_000, 0.4], QUIET_ROW],
      { fills: { maxVolumeSharePpm: 100_000 } },
    );
    expect(orders[0]).toMatchObject({ ending: 'canceled', filled: 40 });
  });

  it('a market buy by quantity is not cancelled before its first row', async () => {
    const { orders, fills } = await runScript({ 0: (strategy) => strategy.order('buy', HUNDRED_LOTS) }, quietRows(5), {
      fills: { latencyMs: 90_000 },
    });
    expect(orders[0]!.ending).toBe('filled');
    expect(fills[0]!.minute).toBe(3);
  });
});

it('an equal order within duplicateMs is denied with DUPLICATE, although it would be one lot smaller', async () => {
  /** Three equal orders at once, and a fourth one two minutes later, which is longer than duplicateMs. */
  const fourEqualOrders = (size: Size, options: OrderOptions = {}): Script => ({
    0: (strategy) => ['a', 'b', 'c'].forEach((tag) => strategy.order('buy', size, { ...options, tag })),
    2: (strategy) => strategy.order('buy', size, { ...options, tag: 'd' }),
  });
  const codesOf = async (script: Script) =>
    (await runScript(script, quietRows(5), { risk: { duplicateMs: 90_000 } })).orders.map(({ code }) => code);
  for (const script of [fourEqualOrders(HUNDRED_LOTS, { limit: 99 }), fourEqualOrders(HUNDRED_LOTS), fourEqualOrders({ quote: '10' })]) {
    expect(await codesOf(script)).toEqual(['', 'DUPLICATE', 'DUPLICATE', '']);
  }
});

describe('a position that is worth more than a limit on one order', () => {
  const twoBuys: Script = { 0: (strategy) => strategy.order('buy', HUNDRED_LOTS), 2: (strategy) => strategy.order('buy', HUNDRED_LOTS) };
  it.each([
    ['maxOrderNotional', { maxOrderNotional: '12' }],
    ['maxOrderQty', { maxOrderQty: '0.1' }],
    ['maxPositionNotional', { maxPositionNotional: '21' }],
  ])('a position of several buys is closed by exit() under %s', async (_, risk) => {
    const { orders, fills } = await runScript({ ...twoBuys, 4: (strategy) => strategy.exitPosition() }, quietRows(6), { risk });
    expect(orders.map(({ code }) => code)).toEqual(['', '', '']);
    // The fees of the buys are taken in coins: 0.2 less 0.0002.
    expect(fills.map(({ lots }) => lots)).toEqual([100, 100, 199]);
  });
  it('a stop closes a position of several buys under maxOrderNotional and maxOpenOrders', async () => {
    const script: Script = {
      0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { stopLoss: 97 }),
      2: (strategy) => strategy.order('buy', { base: '0.01' }, { limit: 50 }),
    };
    const risk = { maxOrderNotional: '11', maxOpenOrders: 1 };
    const { fills } = await runScript(script, [QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9600, 9650], QUIET_ROW], {
      risk,
    });
    expect(fills).toHaveLength(2);
  });
});
