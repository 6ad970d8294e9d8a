// Checks part 8 of the specification: rates in a sliding window on the exchange's clock, bans, and the largest lists.

import { expect } from 'vitest';
import type { SendOptions } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import type { World } from './world.ts';

/** Requests in two seconds by part 8 of the specification. It gives none for batches, so that number is the one that services publish. */
const SPECIFIED_COUNTS: Readonly<Record<string, number>> = {
  'spot.newOrder': 100,
  'spot.cancelOrder': 100,
  'spot.batchCancel': 50,
  'spot.queryOrder': 20,
  'spot.openOrders': 20,
  'spot.myTrades': 20,
  'spot.account': 20,
  'spot.batchOrders': 50,
};
const WINDOW_MS = 2000;
/** The limit of every call that part 8 does not mention. */
const OTHER_COUNT = 20;
/** Length of the first ban of an address, ms. The second one is twice as long. */
const FIRST_BAN_MS = 300_000;
/** Number of refused calls after which the exchange bans the address. */
const CALLS_BEFORE_BAN = 20;
/** Limits for calls without a limit in the specification, so that every call has a limit to test. */
export const OWN_LIMITS = Object.fromEntries(
  ['spot.public', 'futures.public', 'spot.testNewOrder'].map((name) => [name, { count: OTHER_COUNT, windowMs: WINDOW_MS }]),
);

/** Checks that calls up to the limit pass, one more fails, and calls pass again when the window has ended, to the millisecond. */
export async function checkRate(world: World, endpoint: Endpoint, from: string): Promise<void> {
  const { op, isSigned } = endpoint;
  const count = SPECIFIED_COUNTS[op] ?? OTHER_COUNT;
  // The limit counts private calls by key, and public calls by address.
  const sendOptions: SendOptions = isSigned ? { as: 'busy', from } : { from };
  const callUpToLimit = async (): Promise<void> => {
    const replies = await Promise.all(Array.from({ length: count }, () => world.call(endpoint, {}, sendOptions)));
    expect(
      replies.filter(({ status }) => status === 429),
      `${op}: the first ${count} calls`,
    ).toEqual([]);
  };
  const expectRefused = async (description: string): Promise<void> => {
    const reply = await world.expectFailure(endpoint, {}, { code: -1003, description, sendOptions });
    expect(reply.status, description).toBe(429);
  };
  await callUpToLimit();
  await expectRefused('one more');
  const otherCaller = await world.call(endpoint, {}, isSigned ? { as: 'alice', from } : { from: '127.0.3.1' });
  expect(otherCaller.status, `${op}: a caller who has not called yet`).not.toBe(429);
  await world.exchange.stepClock(WINDOW_MS - 1);
  await expectRefused('1 ms before the window has passed');
  await world.exchange.stepClock(1);
  await callUpToLimit();
  await expectRefused('one more, again');
  await world.exchange.stepClock(WINDOW_MS);
}

/** Checks that a client that continues after status 429 is banned from every call, and that the second ban is twice as long. */
export async function checkBan(world: World, endpoints: readonly Endpoint[]): Promise<void> {
  const account = endpoints.find(({ op }) => op === 'spot.account')!;
  const ping = endpoints.find(({ op }) => op === 'spot.ping')!;
  const from = '127.0.2.1';
  const callFrom = (as = 'busy') => world.call(account, {}, { as, from });
  for (const banMs of [FIRST_BAN_MS, 2 * FIRST_BAN_MS]) {
    for (let call = 1; call <= OTHER_COUNT; call++) expect((await callFrom()).status, `call ${call}`).toBe(200);
    for (let call = 1; call <= CALLS_BEFORE_BAN; call++) expect((await callFrom()).status, `call ${call} beyond the limit`).toBe(429);
    for (const endpoint of endpoints) {
      const reply = await world.expectFailure(endpoint, {}, { code: -1003, description: 'while banned', sendOptions: { from } });
      expect(reply.status, endpoint.op).toBe(418);
    }
    expect((await callFrom('alice')).status, 'another key from there').toBe(418);
    expect((await world.call(account, {}, { as: 'alice' })).status, 'from elsewhere').toBe(200);
    await world.exchange.stepClock(banMs - 1);
    expect((await world.call(ping, {}, { from })).status, '1 ms before its end').toBe(418);
    await world.exchange.stepClock(1);
    expect((await world.call(ping, {}, { from })).status, 'at its end').toBe(200);
  }
}

/** Checks that a public call counts for its address, and for its key if it is validly signed. */
export async function checkRateKey(world: World, ping: Endpoint): Promise<void> {
  const from = '127.0.2.2';
  const refusedCount = async (sendOptions: SendOptions): Promise<number> => {
    const replies = await Promise.all(Array.from({ length: OTHER_COUNT + 1 }, () => world.call(ping, {}, { from, ...sendOptions })));
    return replies.filter(({ code }) => code === -1003).length;
  };
  expect(await refusedCount({}), 'without a key').toBe(1);
  expect(await refusedCount({ as: 'busy' }), 'with a right key').toBe(1);
  expect(await refusedCount({ as: 'busy', from: '127.0.2.3' }), 'with that key from elsewhere').toBe(OTHER_COUNT + 1);
  expect(await refusedCount({ as: 'busy', secret: 'wrong' }), 'with a wrong signature').toBe(OTHER_COUNT + 1);
}
