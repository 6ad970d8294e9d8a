// Tests fifty clients that trade against each other over real sockets: no money and no order is lost, and no book is crossed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { openExchange } from '../../src/access/openExchange.ts';
import { accessSettings } from '../../src/access/settings.ts';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import type { AccountConfig } from '../../src/paperExchange/dialect/config.ts';
import { RandomClient } from './clients.ts';

/** Seconds of trade: `npm run campaign -- fiftyClients --cases 60`. */
const SECONDS = Number(process.env['ISOBAR_CASES'] ?? 2);
const SEED = Number(process.env['ISOBAR_SEED'] ?? 1);
const CLIENTS = 50;
/** How often the books are checked while the clients trade, ms. */
const CHECK_MS = 100;

/** The exchange has no rate limits. */
const NO_LIMITS = Object.fromEntries(OPS.map((op) => [endpointOf(op).limit.rateClass, null]));

/** Limits of the clients, so high that no call waits. */
const CLIENT_LIMITS = Object.fromEntries(OPS.map((op) => [endpointOf(op).limit.rateClass, { count: 1_000_000, windowMs: 100 }]));

/** Spot balances of each account at the start. */
const DEPOSITS = { USDT: '100000', BTC: '2' };

/** Returns the key of a client. */
const keyOf = (index: number) => ({ apiKey: `key-of-client-${index}`, secret: `secret-of-client-${index}` });
const accounts = Array.from({ length: CLIENTS }, (_, index): AccountConfig => {
  const permissions = { read: true, trade: true, markets: ['spot', 'futures'] } as const;
  return {
    name: `client${index}`,
    uid: String(20_000 + index),
    balances: DEPOSITS,
    futures: { balances: { USDT: '20000' } },
    keys: [{ ...keyOf(index), permissions, ips: null }],
  };
});

it(
  `${CLIENTS} clients that trade for ${SECONDS} s lose no money and no order (seed ${SEED})`,
  async () => {
    const demo = demoSettings(SEED);
    const instruments = demo.service.instruments.filter(({ base }) => base === 'BTC');
    const settings = {
      ...demo,
      prices: new Map(),
      service: { ...demo.service, instruments, accounts, limits: NO_LIMITS, maxOpenOrders: 100_000 },
    };
    const running = await runExchange(settings, { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} });
    const folder = mkdtempSync(join(tmpdir(), 'isobar-clients-'));
    const exchanges = accounts.map((_, index) => openClient(running.url, index, folder));
    const clients = exchanges.map(({ client }, index) => new RandomClient(`client${index}`, client, seededRng(SEED * 1000 + index)));
    try {
      for (const { clock } of exchanges)
        for (const market of ['spot', 'futures'] as const) await new Promise((resolve) => clock.measure(market, resolve));
      let crossedCount = 0;
      const bookCheck = setInterval(() => (crossedCount += countCrossedBooks(running)), CHECK_MS);
      const endMs = performance.now() + SECONDS * 1000;
      await Promise.all(clients.map((client) => client.trade(() => performance.now() >= endMs)));
      clearInterval(bookCheck);
      crossedCount += countCrossedBooks(running);
      await Promise.all(clients.map((client) => client.checkOrders()));
      const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
      const orderCount = sum(clients.map((client) => client.orderCount));
      const refusalCount = sum(clients.map((client) => client.refusalCount));
      const cancelCount = sum(clients.map((client) => client.cancelCount));
      // Each trade has two sides.
      const sideCount = sum(clients.map((client) => client.tradeRowCount));
      console.log(`${orderCount} orders, ${refusalCount} refused, ${cancelCount} cancels, ${sideCount} sides of trades`);
      expect(crossedCount).toBe(0);
      expect(sideCount).toBeGreaterThan(SECONDS * 50);
      for (const [coin, deposit] of Object.entries(DEPOSITS)) {
        const total = clients.reduce((coinsHeld, { amountByCoin }) => coinsHeld.plus(amountByCoin.get(coin) ?? 0), new Decimal(0));
        expect(`${coin} ${total.toFixed()}`).toBe(`${coin} ${new Decimal(deposit).times(CLIENTS).toFixed()}`);
      }
    } finally {
      for (const exchange of exchanges) await exchange.close();
      await running.close();
      rmSync(folder, { recursive: true });
    }
  },
  SECONDS * 10_000 + 60_000,
);

/** Opens the connection of a client with its own key. */
function openClient(url: string, index: number, folder: string) {
  const { apiKey, secret } = keyOf(index);
  const environment = {
    ISOBAR_API_KEY: apiKey,
    ISOBAR_API_SECRET: secret,
    ISOBAR_SPOT_URL: url,
    ISOBAR_FUTURES_URL: url,
    XDG_STATE_HOME: join(folder, String(index)),
  };
  const settings = accessSettings({}, environment);
  return openExchange({ ...settings, limits: { ...settings.limits, overrides: CLIENT_LIMITS } });
}

/** Returns the number of crossed books. Throws if money is not conserved. */
function countCrossedBooks({ service }: RunningExchange): number {
  service.spot.venue.assertConserved();
  service.futures.venue.assertConserved();
  return service.markets.filter(({ matcher: { book } }) => {
    const bid = book.best('buy');
    const ask = book.best('sell');
    return bid !== null && ask !== null && bid.price >= ask.price;
  }).length;
}
