// Tests orders in a replay of the whole bot: lost replies, decision slots, equal orders, early cancels, and buys at the collar.

import { describe, expect, it } from 'vitest';
import type { ReplayFault } from '../../src/adapters/replay/replayExchange.ts';
import type { Order } from '../../src/model/order.ts';
import { ABSENT_HOLD_MS } from '../../src/orders/reserve/reservation.ts';
import { Strategy, type OrderInfo, type OrderOptions, type Size } from '../../src/index.ts';
import { cappedBuys } from '../../src/report/warnings/orderWarnings.ts';
import { barsOfRows, columnsOf, fillRows, MINUTE, orderRows, run, spotInstrument, type PlanOptions } from './world.ts';

type RowOf = readonly [open: number, high: number, low: number, close: number, volume?: number];
const QUIET: RowOf = [10_000, 10_010, 9990, 10_000];
const quiet = (rows: number) => Array.from({ length: rows }, () => QUIET);

/** Records the reports of its orders. */
class ReportingStrategy extends Strategy {
  reported: string[] = [];
  row = 0;
  bars0 = 0;
  order = (isBuy: boolean, size: Size, options?: OrderOptions) => (isBuy ? this.buy(size, options) : this.sell(size, options));
  exitPosition = () => this.exit();
  cancelOrder = (id: number) => this.cancel(id as never);
  open = () => this.openOrders();
  currentPosition = () => this.position();
  override onOrder({ id, lifecycle, code }: OrderInfo) {
    this.reported.push(`${id} ${lifecycle}${code === null ? '' : ` ${code}`}`);
  }
}
type Script = Readonly<Record<number, (strategy: ReportingStrategy) => unknown>>;

let lastStrategy: ReportingStrategy;
function setLastStrategy(strategy: ReportingStrategy): void {
  lastStrategy = strategy;
}
/** Returns a strategy that does the steps of a script, one a row. */
function scriptedStrategy(script: Script) {
  return class extends ReportingStrategy {
    override onBar() {
      setLastStrategy(this);
      script[this.row++]?.(this);
    }
  };
}

/** Runs a script over rows. */
async function runScript(
  script: Script,
  rows: readonly RowOf[],
  options: Partial<PlanOptions> = {},
  faultOf?: (order: Order) => ReplayFault,
) {
  const { record, engine, venue } = await run(
    { strategies: [scriptedStrategy(script)], feeds: { bars: barsOfRows(rows) }, ...options },
    { ...(faultOf && { faultOf }) },
  );
  return { record, engine, venue, reported: lastStrategy.reported, orders: orderRows(record), fills: fillRows(record) };
}

const once = (id: number, fault: ReplayFault) => (order: Order) => (order.id === id ? fault : 'none');
const BUY: Size = { base: '0.1' };

describe('a lost answer', () => {
  const script: Script = { 0: (strategy) => strategy.order(true, BUY, { limit: 99 }), 4: (strategy) => strategy.exitPosition() };
  const rows: RowOf[] = [QUIET, QUIET, [10_000, 10_000, 9890, 9950], QUIET, QUIET, QUIET, QUIET];

  it.each([0, 20_000])('a lost answer passes through unknown and leaves no trace in money, latency %i', async (latencyMs) => {
    const clean = await runScript(script, rows, { fills: { latencyMs } });
    const lost = await runScript(script, rows, { fills: { latencyMs } }, once(1, 'lostAnswer'));
    expect(clean.fills).toHaveLength(2);
    expect(lost.fills).toEqual(clean.fills);
    expect(lost.engine.ledger.cashTotal).toBe(clean.engine.ledger.cashTotal);
    expect(lost.reported.filter((line) => line.startsWith('1 '))).toEqual(['1 unknown', '1 working', '1 done']);
    expect(clean.reported.filter((line) => line.startsWith('1 '))).toEqual(['1 working', '1 done']);
    expect([...lost.record.orders.wasUnknown]).toEqual([1, 0]);
    expect(lost.engine.orders.impossibleEvents).toBe(0);
    expect(lost.engine.risk.halts.causes()).toEqual([]);
  });

  it.each([
    ['one feed', {}],
    ['two instruments', { eth: barsOfRows(quiet(6), spotInstrument('ETH')) }],
  ])('a lost answer does not call onBar a second time at the instant at which it is resolved: %s', async (_, overrides) => {
    const count = async (faultOf?: (order: Order) => ReplayFault) => {
      await runScript(
        { 1: (strategy) => strategy.order(true, BUY, { limit: 99 }) },
        quiet(6),
        { feeds: { bars: barsOfRows(quiet(6)), ...overrides } },
        faultOf,
      );
      return lastStrategy.row;
    };
    expect(await count()).toBe(6);
    expect(await count(() => 'lostAnswer')).toBe(6);
    expect(await count(() => 'lostRequest')).toBe(6);
  });

  it('a lost answer of a market order is found before it has filled', async () => {
    const { reported, fills } = await runScript(
      { 0: (strategy) => strategy.order(true, { quote: '50' }) },
      quiet(3),
      { fills: { latencyMs: 1000 } },
      () => 'lostAnswer',
    );
    expect(fills).toHaveLength(1);
    expect(reported).toEqual(['1 unknown', '1 working', '1 working', '1 done']);
  });

  it('a refused order whose reply is lost ends without effect', async () => {
    // The venue refuses an approved order only if its books differ. Here it never sees the order.
    const { orders, reported: notified } = await runScript(
      { 0: (strategy) => strategy.order(true, BUY, { limit: 99 }) },
      quiet(4),
      {},
      () => 'lostRequest',
    );
    expect(orders[0]).toMatchObject({ ending: 'noEffect', filled: 0 });
    expect(notified).toEqual(['1 unknown', '1 done']);
  });

  it('a lost answer does not keep an order from being cancelled', async () => {
    const cancelled = await runScript(
      { 0: (strategy) => strategy.order(true, BUY, { limit: 99 }), 1: (strategy) => strategy.cancelOrder(1) },
      quiet(4),
      {},
      once(1, 'lostAnswer'),
    );
    expect(cancelled.orders[0]!.ending).toBe('canceled');
    expect(cancelled.engine.reservations.openTotal).toBe(0);
  });

  it('a lost answer does not keep a buy at the collar from being swept', async () => {
    const rows2: RowOf[] = [QUIET, [10_200, 10_210, 10_190, 10_200], [10_200, 10_210, 10_190, 10_200], QUIET, QUIET];
    const { orders } = await runScript({ 0: (strategy) => strategy.order(true, BUY) }, rows2, {}, once(1, 'lostAnswer'));
    expect(orders[0]).toMatchObject({ ending: 'canceled', filled: 0 });
  });

  it('an order with a lost reply blocks its side of the symbol until it is resolved', async () => {
    const codes: (string | null)[] = [];
    class Twice extends Strategy {
      row = 0;
      override onBar() {
        if (this.row++ !== 0) return;
        this.buy(BUY, { limit: 99, tag: 'a' });
        this.buy(BUY, { limit: 98, tag: 'b' });
        this.sell(BUY, { limit: 110, tag: 'c' });
      }
      override onOrder({ code }: OrderInfo) {
        if (code !== null) codes.push(code);
      }
    }
    await run({ strategies: [Twice], feeds: { bars: barsOfRows(quiet(3)) } }, { faultOf: once(1, 'lostAnswer') });
    expect(codes).toEqual(['SIDE_UNKNOWN', 'UNKNOWN_OUTCOME']);
  });
});

describe('a lost request', () => {
  it('a lost request ends without effect, and its quantity stays reserved as an absent hold', async () => {
    const script: Script = {
      0: (strategy) => strategy.order(true, BUY, { limit: 99 }),
      1: (strategy) => strategy.order(true, BUY, { limit: 98 }),
    };
    const { engine, orders, reported } = await runScript(script, quiet(3), {}, once(1, 'lostRequest'));
    expect(reported[0]).toBe('1 unknown');
    expect(orders.map(({ ending }) => ending)).toEqual(['noEffect', 'open']);
    expect(engine.reservations.holdsAbsent).toBe(true);
    expect(engine.reservations.buyLots(0, 0)).toBe(200);
    expect(engine.reservations.openTotal).toBe(2);
  });

  it('a lost request frees the slot at once and the reservation after half an hour', async () => {
    const minutes = ABSENT_HOLD_MS / MINUTE;
    const script: Script = {
      0: (strategy) => strategy.order(true, BUY, { limit: 99, tag: 'same' }),
      1: (strategy) => strategy.order(true, BUY, { limit: 98, tag: 'same' }),
      [minutes + 1]: (strategy) => strategy.order(true, BUY, { limit: 97, tag: 'other' }),
    };
    const { engine, orders } = await runScript(script, quiet(minutes + 4), {}, once(1, 'lostRequest'));
    expect(orders.map(({ ending }) => ending)).toEqual(['noEffect', 'open', 'open']);
    expect(engine.reservations.holdsAbsent).toBe(false);
    expect(engine.reservations.buyLots(0, 0)).toBe(200);
  });

  it('a lost request of a stop leg leaves the position protected: the stop is sent again when the lost one can no longer arrive', async () => {
    const minutes = ABSENT_HOLD_MS / MINUTE;
    const low = Array.from({ length: minutes + 3 }, (): RowOf => [9890, 9900, 9870, 9880]);
    const rows: RowOf[] = [QUIET, QUIET, [10_000, 10_000, 9890, 9900], ...low];
    const { fills } = await runScript({ 0: (strategy) => strategy.order(true, BUY, { stopLoss: 99 }) }, rows, {}, once(2, 'lostRequest'));
    // The request is lost at the close of row 2. The row that closes half an hour later opens below the stop.
    expect(fills.map(({ side, minute }) => [side, minute])).toEqual([['buy', 1], ['sell', 2 + minutes]]); // prettier-ignore
  });

  it('a lost request of an exit is followed by the exit that was asked for meanwhile', async () => {
    const minutes = ABSENT_HOLD_MS / MINUTE;
    const script: Script = {
      0: (strategy) => strategy.order(true, BUY),
      2: (strategy) => strategy.exitPosition(),
      5: (strategy) => strategy.exitPosition(),
    };
    const { fills } = await runScript(script, quiet(minutes + 9), {}, once(2, 'lostRequest'));
    expect(fills.map(({ side, minute }) => [side, minute])).toEqual([['buy', 1], ['sell', 3 + minutes]]); // prettier-ignore
  });
});

describe('slots', () => {
  it('a slot holds one unfinished order, and orders without a tag have one slot for each action', async () => {
    const { orders } = await runScript(
      {
        0: (strategy) => {
          strategy.order(true, BUY, { limit: 99 });
          strategy.order(true, BUY, { limit: 98 });
          strategy.order(true, BUY, { limit: 97, tag: 'low' });
          strategy.order(true, BUY, { limit: 96, tag: 'low' });
        },
      },
      quiet(2),
    );
    expect(orders.map(({ ending, code }) => code || ending)).toEqual(['open', 'SLOT_BUSY', 'open', 'SLOT_BUSY']);
  });

  it('a slot is free again when its order has ended', async () => {
    const { orders } = await runScript(
      { 0: (strategy) => strategy.order(true, BUY), 1: (strategy) => strategy.order(true, BUY) },
      quiet(4),
    );
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'filled']);
  });

  it('two strategies may use the same slot at the same time', async () => {
    class A extends Strategy {
      override onBar() {
        this.buy(BUY, { limit: 99 });
      }
    }
    class B extends A {}
    const { record } = await run({ strategies: [A, B], feeds: { bars: barsOfRows([QUIET]) } });
    expect(orderRows(record).map(({ ending, lots }) => [ending, lots])).toEqual([['open', 100], ['open', 99]]); // prettier-ignore
  });
});

describe('equal orders', () => {
  it('equal open orders differ by one lot, so that a lost reply can be assigned', async () => {
    const placeTagged = (tag: string) => (strategy: ReportingStrategy) => strategy.order(true, BUY, { limit: 99, tag });
    const { orders } = await runScript(
      {
        0: placeTagged('a'),
        1: placeTagged('b'),
        2: placeTagged('c'),
        3: (strategy) => strategy.order(true, BUY, { limit: 98, tag: 'd' }),
      },
      quiet(4),
    );
    expect(orders.map(({ lots }) => lots)).toEqual([100, 99, 98, 100]);
  });

  it('equal open orders by amount differ by one unit', async () => {
    const script: Script = {
      0: (strategy) => {
        strategy.order(true, { quote: '50' }, { tag: 'a' });
        strategy.order(true, { quote: '50' }, { tag: 'b' });
      },
    };
    const { record } = await runScript(script, quiet(2), { fills: { latencyMs: 1000 } });
    expect([...record.orders.quoteUnits]).toEqual([5_000_000_000, 4_999_999_999]);
  });

  it('an equal order that is too small to differ by a lot is denied', async () => {
    const placeTagged = (tag: string) => (strategy: ReportingStrategy) => strategy.order(true, { base: '0.002' }, { limit: 99, tag });
    const { orders } = await runScript({ 0: placeTagged('a'), 1: placeTagged('b') }, quiet(2));
    expect(orders.map(({ code }) => code)).toEqual(['', 'FP_NOT_UNIQUE']);
  });

  it('at most 17 equal orders are open, and further ones are denied', async () => {
    const script: Script = {
      0: (strategy) => {
        for (let tag = 0; tag < 19; tag++) strategy.order(true, BUY, { limit: 99, tag: String(tag) });
      },
    };
    const { orders } = await runScript(script, quiet(2));
    expect(orders.filter(({ code }) => code === 'FP_NOT_UNIQUE')).toHaveLength(2);
    expect(new Set(orders.slice(0, 17).map(({ lots }) => lots)).size).toBe(17);
  });

  it('an order also differs by a lot from an equal one that was proven absent', async () => {
    const script: Script = {
      0: (strategy) => strategy.order(true, BUY, { limit: 99 }),
      1: (strategy) => strategy.order(true, BUY, { limit: 99 }),
    };
    const { orders } = await runScript(script, quiet(3), {}, once(1, 'lostRequest'));
    expect(orders.map(({ lots }) => lots)).toEqual([100, 99]);
  });
});

describe('a cancel', () => {
  it('a cancel that is requested before the acknowledgement of its order is sent right after it', async () => {
    const script: Script = {
      0: (strategy) => {
        strategy.order(true, BUY, { limit: 99 });
        strategy.cancelOrder(1);
      },
    };
    const { reported, orders } = await runScript(script, quiet(6), { fills: { latencyMs: 90_000 } });
    expect(reported).toEqual(['1 cancelSent', '1 done']);
    expect(orders[0]).toMatchObject({ ending: 'canceled', filled: 0 });
  });

  it('a cancel that arrives inside a row does not save the order from that row', async () => {
    const script: Script = { 0: (strategy) => strategy.order(true, BUY, { limit: 99 }), 2: (strategy) => strategy.cancelOrder(1) };
    const dipRow: RowOf = [10_000, 10_000, 9890, 9950];
    const late = await runScript(script, [QUIET, QUIET, QUIET, dipRow, QUIET], { fills: { latencyMs: 20_000 } });
    expect(late.orders[0]!.ending).toBe('filled');
    const withoutLatency = await runScript(script, [QUIET, QUIET, QUIET, dipRow, QUIET]);
    expect(withoutLatency.orders[0]!.ending).toBe('canceled');
  });

  it('a cancel that is requested twice is sent once, and a cancel of an unknown order is ignored', async () => {
    const script: Script = {
      0: (strategy) => strategy.order(true, BUY, { limit: 99 }),
      1: (strategy) => {
        strategy.cancelOrder(1);
        strategy.cancelOrder(1);
        strategy.cancelOrder(77);
      },
    };
    const { reported: notified, engine } = await runScript(script, quiet(5), { fills: { latencyMs: 20_000 } });
    expect(notified).toEqual(['1 working', '1 done']);
    expect(engine.orders.impossibleEvents).toBe(0);
  });
});

describe('a market buy by quantity', () => {
  it('a market buy by quantity is a limit at the collar that fills at the next open as taker', async () => {
    const { orders, fills } = await runScript({ 0: (strategy) => strategy.order(true, BUY) }, [QUIET, [10_099, 10_100, 9990, 10_000]]);
    expect(orders[0]).toMatchObject({ role: 'market', limit: 10_100, lots: 100, ending: 'filled' });
    expect(fills[0]).toMatchObject({ price: 10_099, isMaker: false, minute: 1 });
  });

  it('a market buy by quantity is cancelled after its row if the open is beyond the collar', async () => {
    const beyond: RowOf = [10_200, 10_210, 10_190, 10_200];
    const { orders, engine } = await runScript({ 0: (strategy) => strategy.order(true, BUY) }, [QUIET, beyond, QUIET, QUIET]);
    expect(orders[0]).toMatchObject({ ending: 'canceled', filled: 0 });
    expect(engine.reservations.openTotal).toBe(0);
  });

  it('a market buy by quantity with a cap below the open rests and fills as maker of a limit order if the row returns to the cap', async () => {
    const back: RowOf = [10_200, 10_210, 10_090, 10_150];
    const { orders, fills, record } = await runScript({ 0: (strategy) => strategy.order(true, BUY) }, [QUIET, back, QUIET]);
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
    const { orders, record } = await runScript({ 0: (strategy) => strategy.order(true, BUY) }, [
      QUIET,
      [10_200, 10_210, 10_190, 10_200],
      QUIET,
    ]);
    expect(orders[0]).toMatchObject({ role: 'limit', ending: 'canceled', code: 'CAPPED', filled: 0 });
    expect(cappedBuys(record)[0]!.text).toContain('0 filled inside the bar');
  });

  it('a market buy by quantity at or below its cap is booked as a market order, and so is a buy by amount at any price', async () => {
    const up: RowOf = [10_200, 10_210, 10_090, 10_150];
    const within = await runScript({ 0: (strategy) => strategy.order(true, BUY) }, [QUIET, [10_100, 10_110, 10_090, 10_100], QUIET]);
    const byAmount = await runScript({ 0: (strategy) => strategy.order(true, { quote: '10' }) }, [QUIET, up, QUIET]);
    for (const { orders, record } of [within, byAmount]) {
      expect(orders[0]).toMatchObject({ role: 'market', ending: 'filled', code: '' });
      expect(cappedBuys(record)).toEqual([]);
    }
  });

  it('the rest of a market buy by quantity that fills in part is cancelled', async () => {
    const { orders } = await runScript(
      { 0: (strategy) => strategy.order(true, BUY) },
      [QUIET, [10_000, 10_010, 9990, 10_000, 0.4], QUIET],
      { fills: { maxVolumeSharePpm: 100_000 } },
    );
    expect(orders[0]).toMatchObject({ ending: 'canceled', filled: 40 });
  });

  it('a market buy by quantity is not cancelled before its first row', async () => {
    const { orders, fills } = await runScript({ 0: (strategy) => strategy.order(true, BUY) }, quiet(5), { fills: { latencyMs: 90_000 } });
    expect(orders[0]!.ending).toBe('filled');
    expect(fills[0]!.minute).toBe(3);
  });
});

describe('two runs of one plan', () => {
  it('two runs of one plan with lost replies have equal results', async () => {
    const script: Script = {
      0: (strategy) => strategy.order(true, BUY, { limit: 99 }),
      2: (strategy) => strategy.order(true, { quote: '70' }),
      4: (strategy) => strategy.exitPosition(),
    };
    const firstRun = await runScript(script, quiet(8), {}, once(1, 'lostAnswer'));
    const secondRun = await runScript(script, quiet(8), {}, once(1, 'lostAnswer'));
    expect(columnsOf(secondRun.record)).toEqual(columnsOf(firstRun.record));
  });
});

it('an equal order within duplicateMs is denied with DUPLICATE, although it would be one lot smaller', async () => {
  const twice = (size: Size, options: OrderOptions = {}): Script => ({
    0: (strategy) => ['a', 'b', 'c'].forEach((tag) => strategy.order(true, size, { ...options, tag })),
    2: (strategy) => strategy.order(true, size, { ...options, tag: 'd' }),
  });
  const endings = async (script: Script) =>
    (await runScript(script, quiet(5), { risk: { duplicateMs: 90_000 } })).orders.map(({ code }) => code);
  for (const script of [twice(BUY, { limit: 99 }), twice(BUY), twice({ quote: '10' })]) {
    expect(await endings(script)).toEqual(['', 'DUPLICATE', 'DUPLICATE', '']);
  }
});

describe('a position that is worth more than a limit on one order', () => {
  const rows: RowOf[] = [QUIET, QUIET, QUIET, QUIET, QUIET, QUIET];
  const twoBuys: Script = { 0: (strategy) => strategy.order(true, BUY), 2: (strategy) => strategy.order(true, BUY) };
  it.each([
    ['maxOrderNotional', { maxOrderNotional: '12' }],
    ['maxOrderQty', { maxOrderQty: '0.1' }],
    ['maxPositionNotional', { maxPositionNotional: '21' }],
  ])('a position of several buys is closed by exit() under %s', async (_, risk) => {
    const { orders, fills } = await runScript({ ...twoBuys, 4: (strategy) => strategy.exitPosition() }, rows, { risk });
    expect(orders.map(({ code }) => code)).toEqual(['', '', '']);
    // The fees of the buys are taken in coins: 0.2 less 0.0002.
    expect(fills.map(({ lots }) => lots)).toEqual([100, 100, 199]);
  });
  it('a stop closes a position of several buys under maxOrderNotional and maxOpenOrders', async () => {
    const script: Script = {
      0: (strategy) => strategy.order(true, BUY, { stopLoss: 97 }),
      2: (strategy) => strategy.order(true, { base: '0.01' }, { limit: 50 }),
    };
    const risk = { maxOrderNotional: '11', maxOpenOrders: 1 };
    const { fills } = await runScript(script, [QUIET, QUIET, QUIET, QUIET, [10_000, 10_000, 9600, 9650], QUIET], { risk });
    expect(fills).toHaveLength(2);
  });
});
