// Tests what the operator says of an order: under which id it is at the exchange, or that the exchange does not know it any more.

import { afterEach, expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { LiveControl } from '../../src/tasks/bot/liveControl.ts';
import type { ActAnswer, OperatorDecision } from '../../src/tasks/control/botControl.ts';
import { atEveryCall, type PlantedFault } from '../fixtures/plantedFaults.ts';
import { KilledLifetime } from '../fixtures/killedLifetime.ts';

let lifetime: KilledLifetime;
afterEach(async () => lifetime.close());

/** Places a limit far below the price, once. */
class RestsOnce extends Strategy {
  barCount = 0;
  override onBar() {
    this.barCount++;
    if (this.barCount === 1) this.buy({ base: '0.3' }, { limit: this.bars.close.value * 0.5, tag: 'rest' });
  }
}

/** Error code of an order that does not exist. */
const NO_SUCH_ORDER = -2013;

const setFaults = (...schedule: readonly PlantedFault[]): void => lifetime.world.exchange.faulty.faults.setSchedule({ seed: 1, schedule });
/** The orders of the bot, with their states. */
const orderStates = (): readonly string[] => lifetime.bot!.bot.deps.engine.orders.active().map(({ lifecycle }) => lifecycle);

/** Starts a bot and lets it place its order. */
async function placeOrder(...faults: readonly PlantedFault[]): Promise<{ readonly cid: string; readonly venueId: string }> {
  lifetime = await KilledLifetime.open({ strategies: [RestsOnce], bars: 4 });
  await lifetime.start();
  setFaults(...faults);
  const { service } = lifetime.world.exchange;
  await lifetime.world.time.stepTo(service.barMatching!.nextMs);
  await lifetime.until(() => orderStates().some((lifecycle) => lifecycle === 'working' || lifecycle === 'unknown'));
  const [order] = service.sides.spot!.unendedOrders();
  return { cid: order!.clientOrderId!, venueId: order!.id };
}

/** Decides on the order, and returns the answer. */
async function resolveOrder(id: string, outcome: 'placed' | 'noEffect', venueId: string | null = null): Promise<ActAnswer> {
  const control = new LiveControl({ ...lifetime.bot!, loopDelayP99Ms: () => null });
  const decision: OperatorDecision = { what: 'resolve', id, outcome, venueId, why: 'looked at the exchange' };
  const answers: ActAnswer[] = [];
  void Promise.resolve(control.decide(decision, 'test')).then((answer) => answers.push(answer));
  await lifetime.until(() => answers.length > 0);
  return answers[0]!;
}

test('an order of unknown outcome is resolved by its own id at the exchange alone', { timeout: 600_000 }, async () => {
  const lostReply = atEveryCall('NET.respDrop', 'spot.newOrder');
  const { cid, venueId } = await placeOrder(lostReply, atEveryCall('GW.code', 'spot.openOrders', { code: -1000 }));
  expect(orderStates()).toEqual(['unknown']);
  expect(await resolveOrder(cid, 'placed', '12345')).toEqual({
    done: false,
    message: `${cid}: the exchange shows no order 12345 of BTCUSDT`,
  });
  expect(orderStates()).toEqual(['unknown']);
  expect(await resolveOrder(cid, 'placed', venueId)).toEqual({ done: true, message: `${cid} counts as placed` });
  expect(orderStates()).toEqual(['working']);
});

test('an acknowledged order that the exchange does not know any more is ended by the operator', { timeout: 600_000 }, async () => {
  const { cid } = await placeOrder();
  expect(await resolveOrder(cid, 'noEffect')).toMatchObject({
    done: false,
    message: expect.stringContaining('the exchange has it as order'),
  });
  setFaults(
    atEveryCall('GW.code', 'spot.queryOrder', { code: NO_SUCH_ORDER }),
    atEveryCall('READ.truncate', 'spot.openOrders', { rows: 0 }),
  );
  const { bot } = lifetime.bot!;
  const hasHalted = (): boolean => bot.deps.engine.risk.halts.causes().some(({ code }) => code === 'STATUS');
  await lifetime.until(hasHalted, 4 * 3_600_000);
  expect(orderStates()).toEqual(['working']);
  expect(await resolveOrder(cid, 'noEffect')).toEqual({
    done: true,
    message: `${cid} counts as cancelled: the exchange does not know it any more`,
  });
  expect(orderStates()).toEqual([]);
});
