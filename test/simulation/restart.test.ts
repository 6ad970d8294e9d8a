// Tests a bot that is killed after any event of a random history: it restarts from the journal with the same state, and sends nothing.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lots, Ticks, Units } from '../../src/base/brand.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import { STATE } from '../../src/orders/lifecycle.ts';
import type { BotOrder } from '../../src/orders/botOrder.ts';
import { followUnknown } from '../../src/engine/router/restore.ts';
import { fillOf } from '../fixtures/fills.ts';
import { recordsOf } from '../fixtures/journalFixture.ts';
import { beliefOf, NOW_MS, openBot, type RestartBot } from '../fixtures/restartFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

/** What can happen in a random history: acts of the strategy, reports of the exchange, and halts. */
const STEP_KINDS = [
  'buy',
  'sell',
  'stop',
  'acked',
  'refused',
  'unknown',
  'noEffect',
  'placed',
  'fill',
  'cancel',
  'canceled',
  'replace',
  'amend',
  'arrivedLate',
  'halt',
] as const;
/** One random step. `orderIndex` picks an open order, and `percent` varies sizes and prices. */
const stepArbitrary = fc.record({
  kind: fc.constantFrom(...STEP_KINDS),
  orderIndex: fc.nat({ max: 4 }),
  percent: fc.integer({ min: 1, max: 100 }),
});
type HistoryStep = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

let lastTradeId = 0;

/** Submits a limit order. Its size, limit and stop depend on `percent`. */
function submitOrder({ engine }: RestartBot, { kind, percent }: HistoryStep, slot?: string): void {
  const order = engine.newOrder(0, engine.execution[0]!, kind === 'sell' ? 'sell' : 'buy');
  order.slot = slot ?? `slot ${order.id}`;
  order.role = 'limit';
  order.lots = Math.max(2, kind === 'sell' ? Math.floor((engine.ledger.lots(0, 0) * percent) / 100) : percent * 20) as Lots;
  order.limit = (10_000 - (kind === 'sell' ? 0 : percent)) as Ticks;
  if (kind === 'stop') Object.assign(order, { stopLoss: 9000 + percent, isGuarded: true });
  engine.submit(order);
}

/** Applies one step of the strategy, the exchange or risk. A step that is impossible now does nothing. */
function applyStep(bot: RestartBot, step: HistoryStep): void {
  const { engine } = bot;
  const { kind, orderIndex, percent } = step;
  if (kind === 'buy' || kind === 'sell' || kind === 'stop') return submitOrder(bot, step);
  if (kind === 'halt') return percent < 50 ? engine.raiseHalt('GAP', 0, 'a list at its limit') : engine.clearHalt('GAP', 0);
  if (kind === 'arrivedLate') {
    const id = [...engine.orders.provenAbsent.keys()][orderIndex] as OrderId | undefined;
    if (id !== undefined) engine.arrivedLate(id, `v${id}` as VenueOrderId, engine.nowMs);
    return;
  }
  if (kind === 'amend') return amend(bot, step);
  const order = engine.orders.active()[orderIndex];
  if (order) applyOrderStep(bot, step, order);
}

/** Amends a bracket entry or an open order. */
function amend({ engine }: RestartBot, { orderIndex, percent }: HistoryStep): void {
  const order = engine.orders.active()[orderIndex];
  const id = engine.brackets.list(0)[orderIndex]?.entryId ?? order?.id;
  const change = { stop: 80 + percent / 10, ...(percent % 5 === 0 ? { limit: 99 } : {}) };
  const isBracketLeg = order !== undefined && order.id === id && order.parent !== 0;
  // A bracket leg is left out, because amending one throws.
  if (id !== undefined && !isBracketLeg) engine.runs[0]!.amend(id as OrderId, change);
}

/** Applies a step that belongs to one open order. */
function applyOrderStep(bot: RestartBot, step: HistoryStep, order: BotOrder): void {
  const { engine } = bot;
  const { kind, percent } = step;
  const isOpen = order.state === STATE.working || order.state === STATE.cancelSent;
  const openLots = order.lots - order.filledLots;
  if (kind === 'acked' && order.state < STATE.working) engine.acked(order.id, `v${order.id}` as VenueOrderId, engine.nowMs);
  if (kind === 'refused' && order.state < STATE.working) engine.refused(order.id, '-2010');
  if (kind === 'unknown' && order.state === STATE.sent) engine.outcomeUnknown(order.id);
  if (kind === 'noEffect' && order.state === STATE.unknown) engine.outcomes.resolve(order.id, null);
  if (kind === 'placed' && order.state === STATE.unknown) engine.outcomes.resolve(order.id, `v${order.id}` as VenueOrderId);
  if (kind === 'cancel') engine.orders.cancel(order, engine.nowMs);
  if (kind === 'replace' && order.parent === 0) {
    engine.orders.cancel(order, engine.nowMs);
    submitOrder(bot, step, order.slot);
  }
  if (kind === 'canceled' && isOpen) engine.ended(order.id, 'canceled', engine.nowMs);
  if (kind === 'fill' && isOpen) {
    const lots = Math.min(openLots, Math.max(1, Math.ceil((order.lots * percent) / 100)));
    const notional = lots * order.limit * 1000;
    const fee = order.side === 'buy' ? lots : lots * 7;
    const feeInBase = order.side === 'buy';
    engine.filled(order.id, fillOf({ tradeId: ++lastTradeId, price: order.limit, lots, notional, fee, feeInBase, timeMs: engine.nowMs }));
  }
}

describe('a restart', () => {
  it('a restarted bot restores orders, positions and halts twice in a row, and sends nothing', () => {
    const history = fc.array(stepArbitrary, { minLength: 1, maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(fc.tuple(history, history), fc.nat({ max: 20 * 60_000 }), (histories, pauseMs) => {
        let disk = new SimulatedDisk();
        let nowMs = NOW_MS;
        let bot = openBot(disk, nowMs);
        for (const steps of histories) {
          for (const step of steps) {
            bot.engine.instant.set((nowMs += 50));
            bot.engine.queue.runDue(nowMs);
            applyStep(bot, step);
            disk.run();
          }
          disk = disk.afterKill('', 0);
          nowMs += pauseMs;
          const restarted = openBot(disk, nowMs);
          expectSameState(restarted, bot);
          bot = restarted;
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('a late arrival after a restart', () => {
  const ORDER_ID = 1 as OrderId;
  const proveAbsent = ({ engine }: RestartBot): void => {
    engine.outcomeUnknown(ORDER_ID);
    engine.outcomes.resolve(ORDER_ID, null);
  };
  it.each<[string, (bot: RestartBot) => void]>([
    ['an order that was proven absent', proveAbsent],
    ['a refused order', ({ engine }) => engine.refused(ORDER_ID, '-2010')],
  ])('the late arrival of %s after a restart is recognised, cancelled, and halts its symbol', (_, endOrder) => {
    const disk = new SimulatedDisk();
    const bot = openBot(disk, NOW_MS);
    submitOrder(bot, { kind: 'buy', orderIndex: 0, percent: 5 });
    endOrder(bot);
    disk.run();
    const { engine, exchange } = openBot(disk.afterKill('', 0), NOW_MS);
    engine.arrivedLate(ORDER_ID, 'v1' as VenueOrderId, NOW_MS);
    expect(exchange.cancelled).toEqual([ORDER_ID]);
    expect(engine.risk.halts.causes().map(({ code }) => code)).toEqual(['LATE_LANDING']);
    expect(engine.reservations.buyLots(0, 0)).toBe(100);
  });
});

describe('a take-profit that waits for the end of its entry, under a limit of one open order', () => {
  const ENTRY = 1 as OrderId;
  /** Restarts a bot that was killed when 120 of the 200 lots of an entry with a take-profit had filled, in two parts. */
  const restartWithPartEntry = (
    overrides: Partial<Pick<BotOrder, 'stopLoss' | 'quoteUnits' | 'lots' | 'ladder'>>,
    maxOpenOrders = 1,
  ): RestartBot => {
    const disk = new SimulatedDisk();
    const { engine } = openBot(disk, NOW_MS, undefined, { maxOpenOrders: 1 });
    const order = engine.newOrder(0, engine.execution[0]!, 'buy');
    const terms = overrides.quoteUnits === undefined ? { role: 'limit', lots: 200, limit: 9900 } : { role: 'market', limit: 0 };
    Object.assign(order, terms, { takeProfit: 10_100, isGuarded: true, ...overrides });
    engine.submit(order);
    engine.acked(ENTRY, 'v1' as VenueOrderId, NOW_MS);
    for (const lots of [50, 70]) engine.filled(ENTRY, filledAt(9900, lots, NOW_MS));
    disk.run();
    return openBot(disk.afterKill('', 0), NOW_MS + 1, undefined, { maxOpenOrders });
  };
  /** Returns role, parent, lots and limit of each open order. */
  const openOrders = ({ engine }: RestartBot) => engine.orders.active().map(({ role, parent, lots, limit }) => [role, parent, lots, limit]);

  it.each<[string, Parameters<typeof restartWithPartEntry>[0]]>([
    ['by quantity', {}],
    ['by quantity, with a stop', { stopLoss: 9000 as Ticks }],
    ['by amount', { quoteUnits: 2_000_000_000 as Units, lots: 0 as Lots }],
  ])('the take-profit is sent when the restarted bot gets the end of an entry %s', (_, overrides) => {
    const bot = restartWithPartEntry(overrides);
    expect(bot.exchange.submitted).toEqual([]);
    bot.engine.ended(ENTRY, 'canceled', NOW_MS + 2);
    expect(openOrders(bot)).toEqual([['takeProfit', ENTRY, 120, 10_100]]);
    expect(bot.engine.brackets.total).toBe(overrides.stopLoss === undefined ? 0 : 1);
  });

  it('the take-profit includes later fills of the entry, and is not sent a second time', () => {
    const bot = restartWithPartEntry({});
    const { engine, disk } = bot;
    engine.filled(ENTRY, filledAt(9900, 80, NOW_MS + 2));
    expect(openOrders(bot)).toEqual([['takeProfit', ENTRY, 200, 10_100]]);
    disk.run();
    const restarted = openBot(disk.afterKill('', 0), NOW_MS + 3, undefined, { maxOpenOrders: 1 });
    expect([openOrders(restarted).length, restarted.exchange.submitted]).toEqual([1, []]);
  });

  const LADDER = [
    { at: 10_100 as Ticks, sharePpm: 500_000 },
    { at: 10_200 as Ticks, sharePpm: 300_000 },
    { at: 10_300 as Ticks, sharePpm: 200_000 },
  ];
  /** Returns limit and lots of each take-profit order. */
  const targetLots = (bot: RestartBot) => {
    const orders = openOrders(bot);
    for (const [role, parent] of orders) expect([role, parent]).toEqual(['takeProfit', ENTRY]);
    return orders.map(([, , lots, limit]) => [limit, lots]);
  };
  const withLadder = { ladder: LADDER, stopLoss: 9000 as Ticks };
  it('a take-profit of several targets is sent for the filled lots when the entry ends', () => {
    const bot = restartWithPartEntry(withLadder, 9);
    expect(bot.exchange.submitted).toEqual([]);
    bot.engine.ended(ENTRY, 'canceled', NOW_MS + 2);
    expect(targetLots(bot)).toEqual([[10_100, 100], [10_200, 20]]); // prettier-ignore
  });
  it('a take-profit of several targets is sent for all lots when the entry fills', () => {
    const bot = restartWithPartEntry(withLadder, 9);
    bot.engine.filled(ENTRY, filledAt(9900, 80, NOW_MS + 2));
    expect(targetLots(bot)).toEqual([[10_100, 100], [10_200, 60], [10_300, 40]]); // prettier-ignore
  });
  it('a take-profit of several targets divides the filled lots of an entry by amount', () => {
    const bot = restartWithPartEntry({ ...withLadder, quoteUnits: 2_000_000_000 as Units, lots: 0 as Lots }, 9);
    bot.engine.ended(ENTRY, 'canceled', NOW_MS + 2);
    expect(targetLots(bot)).toEqual([[10_100, 60], [10_200, 36], [10_300, 24]]); // prettier-ignore
  });

  it('the take-profit is not sent once the position is closed', () => {
    const bot = restartWithPartEntry({}, 2);
    bot.engine.filled(sellAll(bot), filledAt(10_000, 120, NOW_MS + 2));
    bot.engine.ended(ENTRY, 'canceled', NOW_MS + 3);
    expect([openOrders(bot), bot.engine.brackets.total]).toEqual([[], 0]);
  });
});

/** Returns a fill without a fee. `price` in ticks. */
const filledAt = (price: number, lots: number, timeMs: number) =>
  fillOf({ tradeId: ++lastTradeId, price, lots, notional: lots * price * 1000, fee: 0, timeMs });

/** Sends an order of the strategy that sells the 120 lots of a part entry. Returns its id. */
function sellAll({ engine }: RestartBot): OrderId {
  const order = engine.newOrder(0, engine.execution[0]!, 'sell');
  order.role = 'limit';
  order.slot = 'by hand';
  order.lots = 120 as Lots;
  order.limit = 10_000 as Ticks;
  return engine.submit(order);
}

describe('halts in the journal', () => {
  it('halts that a person must clear survive a restart, and the journal records who cleared them', () => {
    const disk = new SimulatedDisk();
    const bot = openBot(disk, NOW_MS);
    bot.engine.raiseHalt('ALIEN', null, 'order 7 is foreign');
    bot.engine.raiseHalt('GAP', 0, 'a list at its limit');
    bot.engine.risk.halts.raise({ kind: 'strategy', strategy: 0 }, 'KILLED', 'OPERATOR', 'by hand', NOW_MS);
    bot.engine.risk.halts.raise({ kind: 'market', market: 'spot' }, 'CANCEL_ONLY', 'OPERATOR', 'by hand', NOW_MS);
    bot.engine.clearHalt('GAP', 0);
    disk.run();
    const restarted = openBot(disk.afterKill('', 0), NOW_MS + 1);
    expect(restarted.engine.risk.halts.causes()).toMatchObject(
      bot.engine.risk.halts.causes().map(({ scope, state, code, why }) => ({ scope, state, code, why })),
    );
    restarted.engine.risk.resume({ kind: 'account' }, 'ALIEN', 'mara', NOW_MS + 2);
    const { halts } = restarted.fixture.state;
    expect([...halts.keys()].toSorted()).toEqual(['account ALIEN', 'market spot OPERATOR', 'strategy 0 OPERATOR']);
    const records = recordsOf(settledDisk(restarted));
    expect(records.findLast(({ k }) => k === 'RESUME')).toMatchObject({ scope: 'account', code: 'ALIEN', who: 'mara' });
  });
});

/** Returns the disk of a bot once all its writes have ended. */
function settledDisk({ disk }: RestartBot): SimulatedDisk {
  disk.run();
  return disk;
}

/** Expects the restarted bot to believe the same as before and to have sent nothing. Orders without a reply are unknown now. */
function expectSameState(restarted: RestartBot, before: RestartBot): void {
  const { engine, exchange } = restarted;
  const { halts: haltsBefore, ...beliefBefore } = beliefOf(before.engine);
  const { halts: haltsAfter, ...beliefAfter } = beliefOf(engine);
  expect(beliefAfter).toEqual(beliefBefore);
  const unknown = engine.orders.active().filter(({ state }) => state === STATE.unknown);
  // An order whose reply was still awaited now has an unknown outcome, so its symbol is halted.
  expect(haltsAfter.some(([code]) => code === 'UNKNOWN_OUTCOME')).toBe(unknown.length > 0);
  const otherHalts = (causes: readonly string[][]) => causes.filter(([code]) => code !== 'UNKNOWN_OUTCOME');
  expect(otherHalts(haltsAfter)).toEqual(otherHalts(haltsBefore));
  expect([exchange.submitted, exchange.cancelled]).toEqual([[], []]);
  followUnknown(engine);
  expect(exchange.reads).toEqual(unknown.map(({ id }) => [id, 'openOrders']));
  engine.ledger.assertReconciled();
}
