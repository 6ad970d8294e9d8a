// Tests a stop at an exchange that confirms cancels late. It waits until its target has released the coins, and sells them once.

import { expect, it } from 'vitest';
import { ticks } from '../../src/base/brand.ts';
import { applyInbox } from '../../src/engine/loop/liveSteps.ts';
import type { OrderId } from '../../src/model/order.ts';
import { spotTrader } from '../fixtures/restOthers.ts';
import { RestWorld } from '../fixtures/restFixture.ts';

/** Buys 0.1 coins at 100.00, with a target at 105.00 that rests and a stop at 95.00 that the bot watches. */
async function openWithBracket(): Promise<{ world: RestWorld; entry: OrderId; target: OrderId }> {
  const world = await RestWorld.open({ service: { delays: { admissionMs: 20, visibilityMs: 120, cancelMs: 400 } } });
  const entry = enter(world, { stopLoss: ticks(9500) });
  const target = (entry + 1) as OrderId;
  world.passUntil(() => world.engine.orders.get(target)?.lifecycle === 'working', 60_000);
  return { world, entry, target };
}
/** Buys 0.1 coins at 100.00, with a target at 105.00 and `otherLegs`. Returns the id of the entry. */
function enter(world: RestWorld, otherLegs: Readonly<Record<string, number>>): OrderId {
  spotTrader(world).placeLimit('bob', 'SELL', '0.1', '100.00');
  const { engine } = world;
  const placedEntry = { id: 0 as OrderId };
  applyInbox(engine, world.queue.nowMs, () => {
    const order = engine.newOrder(0, engine.execution[0]!, 'buy');
    const legs = { takeProfit: ticks(10_500), isGuarded: true, ...otherLegs };
    placedEntry.id = engine.submit(Object.assign(order, { lots: 1000, limit: ticks(10_000), role: 'limit', slot: 'entry', ...legs }));
  });
  return placedEntry.id;
}

/** Returns role and lifecycle of each unfinished order. */
const orderStates = ({ engine }: RestWorld): readonly string[] =>
  engine.orders.active().map(({ role, lifecycle }) => `${role} ${lifecycle}`);

it('a stop is sent when the cancel of its target is confirmed, and sells the whole position', async () => {
  const { world, entry, target } = await openWithBracket();
  const { engine } = world;
  const bracket = engine.brackets.of({ instrumentIndex: 0, id: entry })!;
  applyInbox(engine, world.queue.nowMs, () => engine.bracketManager.hit(bracket, 9500));
  expect(orderStates(world)).toEqual(['takeProfit cancelSent']);
  expect(engine.bracketManager.hasWaitingStops).toBe(true);
  spotTrader(world).placeLimit('bob', 'BUY', '0.1', '94.00');
  world.passUntil(() => world.orderById(target).lifecycle === 'done', 60_000);
  expect(engine.bracketManager.hasWaitingStops).toBe(false);
  const stop = (target + 1) as OrderId;
  world.passUntil(() => engine.orders.get(stop)?.lifecycle === 'done', 60_000);
  expect(world.orderById(target).reason).toBe('canceled');
  expect(world.orderById(stop)).toMatchObject({ role: 'stopLoss', reason: 'filled', filledLots: 1000 });
  expect([world.placedCountOf(target), world.placedCountOf(stop), engine.brackets.total]).toEqual([1, 1, 0]);
});

it('a stop sells only what the target has left if the target fills while it is being cancelled', async () => {
  const { world, entry, target } = await openWithBracket();
  const { engine } = world;
  const bracket = engine.brackets.of({ instrumentIndex: 0, id: entry })!;
  // Another trader takes all of the target before the cancel has its effect.
  spotTrader(world).placeLimit('bob', 'BUY', '0.1', '105.00');
  applyInbox(engine, world.queue.nowMs, () => engine.bracketManager.hit(bracket, 9500));
  world.passUntil(() => world.orderById(target).lifecycle === 'done', 60_000);
  world.passTime(5000);
  expect(world.orderById(target).reason).toBe('filled');
  expect([engine.orders.count, engine.bracketManager.hasWaitingStops, orderStates(world)]).toEqual([target, false, []]);
});

it.each([
  ['with a stop', { stopLoss: 9500 }],
  ['without a stop', {}],
] as const)('a target that was not sent is placed again, %s', async (_, otherLegs) => {
  const world = await RestWorld.open();
  const { engine } = world;
  const entry = enter(world, otherLegs);
  // Only the request of the target finds no connection.
  const submitToExchange = world.exchange.submit.bind(world.exchange);
  world.exchange.submit = (order, seq) => {
    world.isRefused = order.role === 'takeProfit';
    submitToExchange(order, seq);
  };
  const target = (entry + 1) as OrderId;
  world.passUntil(() => engine.orders.get(target)?.reason === 'notSent', 60_000);
  world.exchange.submit = submitToExchange;
  world.isRefused = false;
  const secondTarget = (target + 1) as OrderId;
  world.passUntil(() => engine.orders.get(secondTarget)?.lifecycle === 'working', 60_000);
  expect(world.orderById(secondTarget)).toMatchObject({ role: 'takeProfit', parent: entry, limit: 10_500, side: 'sell' });
  expect([world.placedCountOf(target), world.placedCountOf(secondTarget)]).toEqual([0, 1]);
  expect(engine.brackets.total).toBe('stopLoss' in otherLegs ? 1 : 0);
});

it('a target that was not sent is not placed again once its position has ended', async () => {
  const world = await RestWorld.open();
  const { engine } = world;
  const entry = enter(world, {});
  const submitToExchange = world.exchange.submit.bind(world.exchange);
  world.exchange.submit = (order, seq) => {
    world.isRefused = order.role === 'takeProfit';
    submitToExchange(order, seq);
  };
  world.passUntil(() => engine.orders.get((entry + 1) as OrderId)?.reason === 'notSent', 60_000);
  world.exchange.submit = submitToExchange;
  world.isRefused = false;
  spotTrader(world).placeLimit('bob', 'BUY', '6', '99.00');
  const closableLots = engine.ledger.closable(0, 0, false, true);
  world.placeOrder({ side: 'sell', lots: closableLots, limit: 9900 });
  world.passUntil(() => engine.ledger.isFlat(0, 0), 9000);
  const orderCount = engine.orders.count;
  world.passTime(30_000);
  expect([engine.orders.count, engine.brackets.total, orderStates(world)]).toEqual([orderCount, 0, []]);
});
