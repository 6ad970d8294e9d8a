// Tests planted faults of reads, disk and process over real sockets, at an exchange with a folder.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { exchangeToKill, keyOf } from '../fixtures/exchangeToKill.ts';
import { ExchangeKiller } from '../fixtures/killExchange.ts';
import { SignedClient } from './signedFetch.ts';

const root = mkdtempSync(join(tmpdir(), 'isobar-kept-faults-'));
afterAll(() => rmSync(root, { recursive: true }));

/** The body of a call of the control port. */
type JsonFields = Readonly<Record<string, unknown>>;

/** Calls the control port. */
async function controlCall(url: string | null, path: string, body: JsonFields): Promise<Response> {
  return fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}
/** Plants faults in place of the earlier ones. */
const scheduleFaults = async (exchange: { readonly controlUrl: string | null }, ...schedule: readonly JsonFields[]): Promise<void> => {
  const answer = await controlCall(exchange.controlUrl, '/faults', { seed: 1, schedule });
  if (!answer.ok) throw new Error(await answer.text());
};

/** Places a buy of 0.01 coins. Returns the reply. */
const placeOrder = async (url: string, price: string): Promise<string> =>
  new SignedClient(url, keyOf(0)).post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: '0.01', price });
/** Returns the list of open orders as text. */
const openOrders = async (url: string): Promise<string> => new SignedClient(url, keyOf(0)).get('/sapi/v1/openOrders?symbol=BTCUSDT');
/** Returns the order ids in a reply, in its order. */
const orderIdsIn = (text: string): readonly string[] => [...text.matchAll(/"orderId":"?(\d+)/g)].map((match) => match[1]!);

/** Returns the settings of an exchange on which only the orders of the test trade. */
const settingsWithoutPrices = () => ({ ...exchangeToKill(1, 1), prices: new Map<never, never>() });
/** Returns the options of an exchange that keeps its data in a folder. */
const optionsWithFolder = (name: string) => ({ host: '127.0.0.1', port: 0, controlPort: 0, crash: () => {}, data: join(root, name) });

describe('reads', () => {
  let exchange: RunningExchange;
  let allIds: readonly string[];
  beforeAll(async () => {
    exchange = await runExchange(settingsWithoutPrices(), optionsWithFolder('reads'));
    for (const price of ['100', '101', '102']) await placeOrder(exchange.url, price);
    allIds = orderIdsIn(await openOrders(exchange.url));
    expect(allIds).toHaveLength(3);
  });
  afterAll(async () => exchange.close());

  it.each([
    ['READ.truncate', { rows: 1 }, () => allIds.slice(0, 1)],
    ['READ.duplicate', {}, () => [allIds[0], ...allIds]],
    ['READ.reverse', {}, () => allIds.toReversed()],
  ] as const)('the fault %s changes one list, and the next list is complete', async (point, params, expected) => {
    await scheduleFaults(exchange, { point, op: 'spot.openOrders', nth: 1, params });
    expect(orderIdsIn(await openOrders(exchange.url))).toEqual(expected());
    expect(orderIdsIn(await openOrders(exchange.url))).toEqual(allIds);
  });

  it('READ.remove and READ.replace change a field in every row', async () => {
    await scheduleFaults(exchange, { point: 'READ.remove', op: 'spot.openOrders', nth: 1, params: { field: 'clientOrderId' } });
    expect(await openOrders(exchange.url)).not.toContain('clientOrderId');
    await scheduleFaults(exchange, {
      point: 'READ.replace',
      op: 'spot.openOrders',
      nth: 1,
      params: { field: 'status', value: 'SUSPENDED' },
    });
    expect((await openOrders(exchange.url)).match(/"status":"SUSPENDED"/g)).toHaveLength(3);
  });

  it('under READ.lag reads show the state before the order for the given time', async () => {
    await controlCall(exchange.controlUrl, '/clock', { pause: true });
    await scheduleFaults(exchange, { point: 'READ.lag', op: 'spot.newOrder', nth: 1, params: { ms: 900 } });
    await placeOrder(exchange.url, '103');
    expect(orderIdsIn(await openOrders(exchange.url))).toEqual(allIds);
    await controlCall(exchange.controlUrl, '/clock', { stepMs: 899 });
    expect(orderIdsIn(await openOrders(exchange.url))).toEqual(allIds);
    await controlCall(exchange.controlUrl, '/clock', { stepMs: 1 });
    expect(orderIdsIn(await openOrders(exchange.url))).toHaveLength(4);
    await controlCall(exchange.controlUrl, '/clock', { pause: false });
  });

  it('an invalid schedule of faults is rejected with a reason', async () => {
    const errorText = async (row: JsonFields): Promise<string> =>
      (await controlCall(exchange.controlUrl, '/faults', { schedule: [row] })).text();
    expect(await errorText({ point: 'DISK.sync', op: 'spot.ping', nth: 1, params: { error: 'EIO' } })).toContain('no op for DISK.sync');
    expect(await errorText({ point: 'PROC.kill', nth: 1, params: { step: 'later' } })).toContain('before, written, lasting');
    expect(await errorText({ point: 'READ.remove', nth: 1, params: { field: 3 } })).toContain('params.field');
  });
});

describe('the disk', () => {
  it.each([
    ['DISK.write', { error: 'ENOSPC', bytes: 10 }],
    ['DISK.sync', { error: 'EIO' }],
  ])('after the fault %s neither the request of the failed write nor a later one is answered', async (point, params) => {
    const failures: string[] = [];
    const settings = settingsWithoutPrices();
    const options = { ...optionsWithFolder(point), failed: (why: string) => void failures.push(why) };
    const exchange = await runExchange(settings, options);
    await placeOrder(exchange.url, '100');
    await scheduleFaults(exchange, { point, nth: 1, params });
    await expect(placeOrder(exchange.url, '101')).rejects.toThrow();
    await expect(openOrders(exchange.url)).rejects.toThrow();
    expect(failures).toEqual([expect.stringContaining(params.error)]);
    await exchange.close();
    const restarted = await runExchange(settings, options);
    expect(await openOrders(restarted.url)).toMatch(/"price":100[,}]/);
    // A write that fails in the middle leaves a torn tail; a failed sync does not.
    expect(restarted.tornWrite === null).toBe(point === 'DISK.sync');
    await restarted.close();
  });

  it('under DISK.slow replies wait for the disk', async () => {
    const exchange = await runExchange(settingsWithoutPrices(), optionsWithFolder('slow'));
    await placeOrder(exchange.url, '100');
    await scheduleFaults(exchange, { point: 'DISK.slow', nth: 1, params: { ms: 150 } });
    const startMs = performance.now();
    await placeOrder(exchange.url, '101');
    expect(performance.now() - startMs).toBeGreaterThan(140);
    await exchange.close();
  });
});

describe('the process', () => {
  let killer: ExchangeKiller;
  beforeAll(() => (killer = new ExchangeKiller()));
  afterAll(() => killer.remove());

  it('a process that is killed at a write has answered earlier requests, and not the request of that write', async () => {
    const firstRun = killer.start(1);
    const { url, controlUrl } = await firstRun.addresses;
    const answered = orderIdsIn(await placeOrder(url, '100'));
    await controlCall(controlUrl, '/crash', { at: { record: 1 } });
    await expect(placeOrder(url, '101')).rejects.toThrow();
    await firstRun.ended;
    const secondRun = killer.start(1);
    const { url: secondUrl, controlUrl: secondControlUrl } = await secondRun.addresses;
    // The record was written, so the order may exist. Its reply was not sent.
    expect(orderIdsIn(await openOrders(secondUrl))).toEqual(expect.arrayContaining(answered as string[]));
    await scheduleFaults({ controlUrl: secondControlUrl }, { point: 'PROC.kill', nth: 1, params: { step: 'before' } });
    await expect(placeOrder(secondUrl, '102')).rejects.toThrow();
    await secondRun.ended;
    const thirdRun = killer.start(1);
    const text = await openOrders((await thirdRun.addresses).url);
    expect(text).not.toContain('"price":102');
    expect(text).toContain('"price":100');
    await thirdRun.kill();
    expect(existsSync(killer.folder)).toBe(true);
  });
});
