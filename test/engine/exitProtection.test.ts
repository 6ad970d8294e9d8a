// Tests that a position gets its stop back if the order that should close it does not: denied, refused, lost, capped or cancelled.

import { describe, expect, it, test } from 'vitest';
import { applyInbox } from '../../src/engine/loop/liveSteps.ts';
import { Strategy } from '../../src/index.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import { levelOf } from '../../src/orders/stops/brackets.ts';
import { fillOf } from '../fixtures/fills.ts';
import { openBot } from '../fixtures/restartFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';
import {
  barsOfRows,
  fillRows,
  HUNDRED_LOTS,
  NO_FEES,
  orderRows,
  QUIET_ROW,
  quietRows,
  run,
  START_MS,
  type PriceRow,
} from './backtestFixture.ts';
import { entryStrategy, type EntryStrategy, runEntry } from './bracketEntries.ts';

const CAPPED = { fills: { maxVolumeSharePpm: 100_000 } };

/** An order of another strategy that rests inside the collar of the exit. */
interface Bid {
  readonly limit: number;
  readonly fromRow: number;
  readonly toRow: number;
}
/** Returns a strategy that places the bid at one row and cancels it at another. */
function bidder({ limit, fromRow, toRow }: Bid) {
  return class Bidder extends Strategy {
    row = 0;
    override onBar() {
      if (this.row === fromRow) this.buy({ base: '0.01' }, { limit });
      if (this.row++ === toRow) this.openOrders().forEach(({ id }) => this.cancel(id));
    }
  };
}

/** Runs the strategy beside a bid, which makes risk deny its exits. Returns its orders and its fills. */
async function besideBid(strategy: ReturnType<typeof entryStrategy>, rows: readonly PriceRow[], bid: Bid, terms = {}) {
  const feeds = { bars: barsOfRows([QUIET_ROW, ...rows]) };
  const { record, engine } = await run({
    strategies: [strategy, bidder(bid)],
    feeds,
    fees: NO_FEES,
    risk: { selfTrade: 'deny' },
    fills: terms,
  });
  const allOrders = orderRows(record);
  const orders = allOrders.filter((_, index) => record.orders.strategy[index] === 0);
  const fills = fillRows(record).map(({ order, price, lots, minute }) => [allOrders[order - 1]!.role, price, lots, minute]);
  return { orders, fills, engine };
}

describe('an exit that risk denies', () => {
  const FALL: PriceRow[] = [...quietRows(5), [10_000, 10_000, 9800, 9850], QUIET_ROW];

  it('the stop still closes the position', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }, { 3: (strategy) => strategy.exitPosition() });
    const { orders, fills } = await besideBid(script, FALL, { limit: 99.5, fromRow: 1, toRow: 4 });
    expect(orders.map(({ role, code }) => [role, code])).toEqual([['market', ''], ['market', 'SELF_TRADE'], ['stopLoss', '']]); // prettier-ignore
    expect(fills).toEqual([['market', 10_000, 100, 1], ['stopLoss', 9900, 100, 7]]); // prettier-ignore
  });

  it('a trailing stop keeps the level that it had reached', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { trailing: 2 }, { 4: (strategy) => strategy.exitPosition() });
    const high = Array.from({ length: 4 }, (): PriceRow => [10_200, 10_210, 10_190, 10_200]);
    const rows: PriceRow[] = [QUIET_ROW, [10_200, 10_300, 10_150, 10_200], ...high, [10_150, 10_150, 10_000, 10_050], QUIET_ROW];
    const { fills } = await besideBid(script, rows, { limit: 101.5, fromRow: 3, toRow: 5 });
    expect(fills.at(-1)).toEqual(['trailing', 10_100, 100, 8]);
  });

  it('when risk denies target(0) and the exit that follows it, the stop is back', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }, { 3: (strategy) => strategy.targetSize({ base: 0 }) });
    const { orders, fills } = await besideBid(script, FALL, { limit: 99.5, fromRow: 1, toRow: 4 });
    expect(orders.map(({ code }) => code)).toEqual(['', 'SELF_TRADE', 'SELF_TRADE', '']);
    expect(fills.at(-1)).toEqual(['stopLoss', 9900, 100, 7]);
  });

  it('an entry that fills while the exit waits for its cancel has its own stop', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }, {
      3: (strategy) => strategy.enter({ base: '0.05' }, { limit: 99.85, stopLoss: 98.5, tag: 'more' }),
      6: (strategy) => strategy.exitPosition(),
    }); // prettier-ignore
    const dipRow: PriceRow = [10_000, 10_000, 9980, 10_000];
    const rows: PriceRow[] = [...quietRows(7), dipRow, ...quietRows(4), [10_000, 10_000, 9800, 9850], ...quietRows(3)];
    const { orders, fills } = await besideBid(script, rows, { limit: 99.5, fromRow: 1, toRow: 9 }, { latencyMs: 90_000 });
    expect(orders.map(({ code }) => code)).toEqual(['', '', 'SELF_TRADE', '', '']);
    expect(fills.filter(([role]) => role === 'stopLoss').map(([, price, lots]) => [price, lots])).toEqual([[9900, 100], [9850, 50]]); // prettier-ignore
  });

  it('an exit that closeAt has made due is repeated at each bar until it closes the position', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 90 }, { 0: (strategy) => strategy.closePositionAt(START_MS + 4 * 60_000) });
    const { orders, fills, engine } = await besideBid(script, quietRows(12), { limit: 99.5, fromRow: 1, toRow: 6 });
    expect(orders.map(({ code }) => code)).toEqual(['', ...Array.from({ length: 4 }, () => 'SELF_TRADE'), '']);
    expect(fills).toEqual([['market', 10_000, 100, 1], ['market', 10_000, 100, 8]]); // prettier-ignore
    expect([engine.brackets.total, engine.brackets.aside.count, engine.timers.due()]).toEqual([0, 0, []]);
  });

  it.each<[string, (strategy: EntryStrategy) => void]>([
    ['is called off', (strategy) => strategy.closePositionAt(null)],
    ['is called for a later time', (strategy) => strategy.closePositionAt(START_MS + 3_600_000)],
  ])('a closeAt that is being repeated ends when it %s', async (_, action) => {
    const script = entryStrategy(
      HUNDRED_LOTS,
      { stopLoss: 90 },
      { 0: (strategy) => strategy.closePositionAt(START_MS + 4 * 60_000), 5: action },
    );
    const { orders, engine } = await besideBid(script, quietRows(12), { limit: 99.5, fromRow: 1, toRow: 6 });
    expect(orders.map(({ code }) => code)).toEqual(['', 'SELF_TRADE', 'SELF_TRADE', 'SELF_TRADE']);
    expect(engine.brackets.list(0).map((bracket) => [bracket.lots, levelOf(bracket)])).toEqual([[100, 9000]]);
  });
});

describe('an exit that is capped by the volume', () => {
  const thin: PriceRow = [10_000, 10_010, 9990, 10_000, 0.4];
  const rows: PriceRow[] = [
    [10_000, 10_010, 9990, 10_000, 10],
    QUIET_ROW,
    thin,
    ...quietRows(2),
    [10_000, 10_000, 9800, 9850, 10],
    QUIET_ROW,
  ];

  it('the remainder of the position has its stop again', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }, { 2: (strategy) => strategy.exitPosition() });
    const { fills } = await runEntry(script, rows, CAPPED);
    expect(fills.map(({ role, price, lots, minute }) => [role, price, lots, minute])).toEqual([
      ['market', 10_000, 100, 1],
      ['market', 10_000, 40, 3],
      ['stopLoss', 9900, 60, 7],
    ]);
  });

  it('with two entries, the stop nearest to the price protects the remainder first', async () => {
    const script = entryStrategy({ base: '0.05' }, { stopLoss: 95 }, {
      1: (strategy) => strategy.enter({ base: '0.05' }, { stopLoss: 99, tag: 'more' }),
      3: (strategy) => strategy.exitPosition(),
    }); // prettier-ignore
    const { engine } = await runEntry(script, [rows[0]!, rows[0]!, QUIET_ROW, thin, ...quietRows(3)], CAPPED);
    expect(engine.brackets.list(0).map((bracket) => [bracket.lots, levelOf(bracket)])).toEqual([[50, 9900], [10, 9500]]); // prettier-ignore
  });

  it('lots that another entry has filled meanwhile do not get the stop of the closed lots', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 99 }, {
      3: (strategy) => strategy.enter({ base: '0.05' }, { tag: 'more' }),
      4: (strategy) => strategy.exitPosition(),
    }); // prettier-ignore
    const { fills, engine } = await runEntry(script, quietRows(14), { fills: { latencyMs: 90_000 } });
    expect(fills.map(({ lots }) => lots)).toEqual([100, 50, 100]);
    expect([engine.brackets.total, engine.brackets.aside.count]).toEqual([0, 0]);
  });

  it('closeAt sells the remainder with the next bars', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 90 }, { 0: (strategy) => strategy.closePositionAt(START_MS + 3 * 60_000) });
    const { fills } = await runEntry(script, [rows[0]!, QUIET_ROW, thin, thin, thin, thin], CAPPED);
    expect(fills.map(({ lots, minute }) => [lots, minute])).toEqual([[100, 1], [40, 3], [40, 4], [20, 5]]); // prettier-ignore
  });

  it('closeAt does not close a position that was opened since', async () => {
    const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 90 }, {
      0: (strategy) => strategy.closePositionAt(START_MS + 3 * 60_000),
      3: (strategy) => strategy.sellSize({ base: '0.06' }, { tag: 'rest' }),
    }); // prettier-ignore
    class Again extends script {
      override onFill() {
        if (this.currentPosition().isFlat) this.enter({ base: '0.02' }, { stopLoss: 98, tag: 'again' });
      }
    }
    const { fills, engine } = await runEntry(
      Again,
      [rows[0]!, QUIET_ROW, thin, [10_000, 10_010, 9990, 10_000, 10], ...quietRows(6)],
      CAPPED,
    );
    expect(fills.map(({ lots }) => lots)).toEqual([100, 40, 60, 20]);
    expect(engine.brackets.list(0).map((bracket) => [bracket.lots, levelOf(bracket)])).toEqual([[20, 9800]]);
  });
});

test('with selfTrade: deny, an exit waits for the cancel of an own order that it would trade with', async () => {
  const script = entryStrategy(HUNDRED_LOTS, { stopLoss: 90 }, {
    2: (strategy) => strategy.enter({ base: '0.01' }, { limit: 99.5, tag: 'more' }),
    6: (strategy) => strategy.exitPosition(),
  }); // prettier-ignore
  const { fills, orders } = await runEntry(script, quietRows(14), { fills: { latencyMs: 90_000 }, risk: { selfTrade: 'deny' } });
  expect(orders.map(({ side, ending, code }) => [side, ending, code])).toEqual([
    ['buy', 'filled', ''],
    ['buy', 'canceled', ''],
    ['sell', 'filled', ''],
  ]);
  expect(fills.map(({ lots }) => lots)).toEqual([100, 100]);
});

describe('at an exchange', () => {
  const NOW_MS = Date.UTC(2026, 0, 5) + 60_000;
  /** A live engine with a long of 100 lots whose stop is at 90.00. */
  function longWithStop() {
    const bot = openBot(new SimulatedDisk(), NOW_MS);
    const { engine } = bot;
    const strategy = engine.runs[0]!;
    let nowMs = NOW_MS;
    const afterMs = (delayMs: number, action: () => void) => applyInbox(engine, (nowMs += delayMs), action);
    const fill = (id: OrderId, lots: number) =>
      afterMs(1, () => engine.filled(id, fillOf({ lots, price: 10_000, timeMs: nowMs, tradeId: nowMs })));
    const stops = () => engine.brackets.list(0).map((bracket) => [bracket.lots, levelOf(bracket)]);
    const id = strategy.order(true, { base: '0.1' }, { stopLoss: 90 });
    afterMs(1, () => engine.acked(id, 'v1' as VenueOrderId, nowMs));
    fill(id, 100);
    expect(stops()).toEqual([[100, 9000]]);
    const exit = (): OrderId => strategy.exit(undefined)!;
    return { ...bot, strategy, afterMs, fill, stops, exit };
  }

  it.each<[string, (bot: ReturnType<typeof longWithStop>, id: OrderId) => void, number]>([
    ['refused', ({ engine, afterMs }, id) => afterMs(1, () => engine.refused(id, '-1021')), 100],
    ['not sent', ({ engine, afterMs }, id) => afterMs(1, () => engine.notSent(id, 'ECONNREFUSED')), 100],
    [
      'proven absent',
      ({ engine, afterMs }, id) => {
        afterMs(1, () => engine.outcomeUnknown(id));
        afterMs(1, () => void engine.outcomes.resolve(id, null));
      },
      100,
    ],
    [
      'cancelled with a remainder',
      ({ engine, afterMs, fill }, id) => {
        afterMs(1, () => engine.acked(id, 'v2' as VenueOrderId, NOW_MS));
        fill(id, 30);
        afterMs(1, () => engine.ended(id, 'canceled', NOW_MS + 10));
      },
      70,
    ],
    [
      'expired with a remainder',
      ({ engine, afterMs, fill }, id) => {
        afterMs(1, () => engine.acked(id, 'v2' as VenueOrderId, NOW_MS));
        fill(id, 30);
        afterMs(1, () => engine.ended(id, 'expired', NOW_MS + 10));
      },
      70,
    ],
  ])('the stop of a position whose exit is %s is back', (_, end, lots) => {
    const bot = longWithStop();
    const id = bot.exit();
    expect([bot.stops(), bot.engine.brackets.aside.count]).toEqual([[], 1]);
    end(bot, id);
    expect([bot.stops(), bot.engine.brackets.aside.count]).toEqual([[[lots, 9000]], 0]);
  });

  it('the stop has ended once the exit has filled', () => {
    const { engine, exit, fill, stops } = longWithStop();
    fill(exit(), 100);
    expect([stops(), engine.brackets.aside.count, engine.ledger.isFlat(0, 0)]).toEqual([[], 0, true]);
  });

  it('the stop that is back does not protect what another order has opened meanwhile', () => {
    const { engine, afterMs, fill, exit, stops, strategy } = longWithStop();
    const id = exit();
    afterMs(1, () => engine.acked(id, 'v2' as VenueOrderId, NOW_MS));
    fill(id, 30);
    const more = strategy.order(true, { base: '0.05' }, { tag: 'more' });
    afterMs(1, () => engine.acked(more, 'v3' as VenueOrderId, NOW_MS));
    fill(more, 50);
    afterMs(1, () => engine.ended(id, 'canceled', NOW_MS + 10));
    expect([stops(), engine.ledger.closable(0, 0, false, true)]).toEqual([[[70, 9000]], 120]);
  });

  it('the stop is back when the strategy cancels its own exit', () => {
    const { engine, afterMs, exit, stops, strategy } = longWithStop();
    const id = exit();
    afterMs(1, () => engine.acked(id, 'v2' as VenueOrderId, NOW_MS));
    strategy.cancel(id);
    expect(stops()).toEqual([]);
    afterMs(1, () => engine.ended(id, 'canceled', NOW_MS + 10));
    expect(stops()).toEqual([[100, 9000]]);
  });

  it('a stop that the price has passed meanwhile is sent with the next row', () => {
    const { engine, exchange, afterMs, exit } = longWithStop();
    const id = exit();
    afterMs(1, () => engine.refused(id, '-1021'));
    engine.brackets.triggerAtOpen(0, 8900, engine.bracketManager.onHit);
    expect(exchange.submitted).toEqual([1, 2, 3]);
    expect(engine.orders.active().map(({ role, side, lots }) => [role, side, lots])).toEqual([['stopLoss', 'sell', 100]]);
  });
});
