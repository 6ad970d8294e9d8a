// Tests that the REST adapter watches an order exactly while the order manager has it open or proven absent.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { TrackedOrders, type TrackedOrder } from '../../src/adapters/exchange/order/trackedOrder.ts';
import { LIFECYCLES, ORDER_EVENTS } from '../../src/orders/lifecycle.ts';
import { OrderManager } from '../../src/orders/orderManager.ts';
import { RestWorld } from '../fixtures/restFixture.ts';
import { swarm } from '../fixtures/restSwarm.ts';

const SEED = 101;
/** Number of worlds, each with a seed of its own, and the length of each. */
const WORLD_COUNT = 8;
const MINUTES_PER_WORLD = 5;
/** The transitions that these worlds bring about. Other tests of this folder bring about the rest, such as late arrivals. */
const EXPECTED_TRANSITIONS = [
  'draft sent', 'sent acked', 'sent notSent', 'sent outcomeUnknown', 'unknown placed', 'unknown noEffect',
  'working cancelWanted', 'working filled', 'working canceled', 'cancelSent filled', 'cancelSent canceled',
]; // prettier-ignore

/** The orders of the current world, each with the collection that tracks it. */
const collectionByOrder = new Map<TrackedOrder, TrackedOrders>();
/** The transitions that have happened, as lifecycle and event. */
const transitions = new Set<string>();
const differences: string[] = [];

/** Compares what the adapter watches with what the order manager has open. */
function compareOrders(): void {
  for (const [tracked, collection] of collectionByOrder) {
    const { order, endedMs, clientOrderId, request, lifecycle } = tracked;
    const isForgotten = collection.byId(tracked.id) !== tracked;
    // After a restart a proven absence is known from the journal.
    const isOpen = lifecycle !== 'done' || (order.reason === 'noEffect' && endedMs !== Infinity);
    const isWatched = collection.openOf(request.instrumentIndex).has(tracked);
    const isDifferent = isForgotten ? isOpen : isWatched !== isOpen || Number.isNaN(endedMs) !== isOpen;
    if (isDifferent)
      differences.push(
        `${clientOrderId}: watched ${isWatched}, ended ${endedMs}, the order manager has it as ${lifecycle} ${order.reason}`,
      );
  }
}

// The test replaces methods of the prototypes, and puts them back at the end.
type Step = (this: OrderManager, order: { readonly state: number }, event: number) => boolean;
const trackedOrdersMethods: { add: (this: TrackedOrders, tracked: TrackedOrder) => void } = TrackedOrders.prototype;
const worldMethods: { passTime: (this: RestWorld, ms: number, stepMs?: number) => void } = RestWorld.prototype;
const managerMethods = OrderManager.prototype as unknown as { step: Step };
const { add: originalAdd } = trackedOrdersMethods;
const { passTime: originalPassTime } = worldMethods;
const { step: originalStep } = managerMethods;

beforeAll(() => {
  trackedOrdersMethods.add = function (tracked) {
    collectionByOrder.set(tracked, this);
    originalAdd.call(this, tracked);
  };
  managerMethods.step = function (order, event) {
    const transition = `${LIFECYCLES[order.state]} ${ORDER_EVENTS[event]}`;
    const isPossible = originalStep.call(this, order, event);
    if (isPossible) transitions.add(transition);
    return isPossible;
  };
  worldMethods.passTime = function (ms, stepMs) {
    for (let leftMs = ms; leftMs > 0; leftMs -= stepMs ?? leftMs) {
      originalPassTime.call(this, Math.min(leftMs, stepMs ?? leftMs), stepMs);
      compareOrders();
    }
  };
});
afterAll(() => {
  trackedOrdersMethods.add = originalAdd;
  worldMethods.passTime = originalPassTime;
  managerMethods.step = originalStep;
});

it('an order is watched while its lifecycle is open or its absence proven, after every step of worlds of faults', async () => {
  for (let seed = SEED; seed < SEED + WORLD_COUNT; seed++) {
    collectionByOrder.clear();
    const { broken } = await swarm(seed, MINUTES_PER_WORLD, seed % 2 === 0 ? 'futures' : 'spot');
    expect(differences.slice(0, 5), `seed ${seed}`).toEqual([]);
    expect(broken, `seed ${seed}`).toEqual([]);
  }
  expect(EXPECTED_TRANSITIONS.filter((transition) => !transitions.has(transition))).toEqual([]);
});
