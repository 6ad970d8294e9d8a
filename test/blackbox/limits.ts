// Checks part 8 of the specification: rates in a sliding window on the exchange's clock, bans, and the largest lists.

import { expect } from 'vitest';
import type { Sending } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import type { World } from './world.ts';

/** Requests in two seconds, as part 8 has them; the futures' and those of batches are not shown there, and are what services publish. */
const COUNTS: Readonly<Record<string, number>> = {
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
const OTHERS = 20;
/** Limits that the specification does not show are set: so every call has one that can be broken. */
export const OWN_LIMITS = Object.fromEntries(
  ['spot.public', 'futures.public', 'spot.testNewOrder'].map((name) => [name, { count: OTHERS, windowMs: WINDOW_MS }]),
);

/** Counts up to the limit, one beyond it, and the same again when the window has passed, to the ms. */
export async function checkRate(world: World, endpoint: Endpoint, from: string): Promise<void> {
  const { op, isSigned } = endpoint;
  const count = COUNTS[op] ?? OTHERS;
  // Private calls count on the key, whatever the address is; public ones on the address.
  const sending: Sending = isSigned ? { as: 'busy', from } : { from };
  const fill = async (): Promise<void> => {
    const replies = await Promise.all(Array.from({ length: count }, () => world.call(endpoint, {}, sending)));
    expect(
      replies.filter(({ status }) => status === 429),
      `${op}: the first ${count}`,
    ).toEqual([]);
  };
  const isFull = async (what: string): Promise<void> => {
    const reply = await world.fails(endpoint, {}, -1003, what, sending);
    expect(reply.status, what).toBe(429);
  };
  await fill();
  await isFull('one more');
  const other = await world.call(endpoint, {}, isSigned ? { as: 'alice', from } : { from: '127.0.3.1' });
  expect(other.status, `${op}: whoever has not called yet`).not.toBe(429);
  await world.exchange.step(WINDOW_MS - 1);
  await isFull('1 ms before the window has passed');
  await world.exchange.step(1);
  await fill();
  await isFull('one more, again');
  await world.exchange.step(WINDOW_MS);
}

/** A client that continues after 429 is banned: for every call, for a time that doubles. */
export async function checkBan(world: World, endpoints: readonly Endpoint[]): Promise<void> {
  const account = endpoints.find(({ op }) => op === 'spot.account')!;
  const ping = endpoints.find(({ op }) => op === 'spot.ping')!;
  const from = '127.0.2.1';
  const go = (as = 'busy') => world.call(account, {}, { as, from });
  for (const banMs of [300_000, 600_000]) {
    for (let index = 0; index < 20; index++) expect((await go()).status, `call ${index}`).toBe(200);
    for (let index = 0; index < 20; index++) expect((await go()).status, `call ${index} beyond the limit`).toBe(429);
    for (const endpoint of endpoints) {
      const reply = await world.fails(endpoint, {}, -1003, 'while banned', { from });
      expect(reply.status, endpoint.op).toBe(418);
    }
    expect((await go('alice')).status, 'another key from there').toBe(418);
    expect((await world.call(account, {}, { as: 'alice' })).status, 'from elsewhere').toBe(200);
    await world.exchange.step(banMs - 1);
    expect((await world.call(ping, {}, { from })).status, '1 ms before its end').toBe(418);
    await world.exchange.step(1);
    expect((await world.call(ping, {}, { from })).status, 'at its end').toBe(200);
  }
}

/** A public call counts on the address, with a right key on the key, and with a wrong one on the address again. */
export async function checkWhom(world: World, ping: Endpoint): Promise<void> {
  const from = '127.0.2.2';
  const many = async (sending: Sending): Promise<number> => {
    const replies = await Promise.all(Array.from({ length: OTHERS + 1 }, () => world.call(ping, {}, { from, ...sending })));
    return replies.filter(({ code }) => code === -1003).length;
  };
  expect(await many({}), 'without a key').toBe(1);
  expect(await many({ as: 'busy' }), 'with a right key').toBe(1);
  expect(await many({ as: 'busy', from: '127.0.2.3' }), 'with that key from elsewhere').toBe(OTHERS + 1);
  expect(await many({ as: 'busy', secret: 'wrong' }), 'with a wrong signature').toBe(OTHERS + 1);
}
