// Tests an exchange with a folder: how it continues after a restart, what it rejects, and what it does not keep in memory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { synthesizeBars } from '../../src/adapters/catalog/generate/generate.ts';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange } from '../../src/paperExchange/process/runExchange.ts';
import type { ExchangeSettings, InstrumentPrices } from '../../src/paperExchange/process/file/settings.ts';
import { lots, ticks, units } from '../../src/base/brand.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { ticksOf } from '../../src/model/bars/bars.ts';
import type { InstrumentId } from '../../src/model/instrument.ts';
import { SERVICE_DEFAULTS } from '../../src/paperExchange/dialect/config.ts';
import { truthOfMarkets } from '../../src/paperExchange/faults/truth.ts';
import type { OwnTrade } from '../../src/paperExchange/orders/userOrder.ts';
import { PROFILES } from '../../src/paperExchange/dialect/profile.ts';
import { KeptFixture } from '../fixtures/keptFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';
import { FuturesFixture, TRADERS, TRIGGER_STATUS } from './futuresFixture.ts';
import { ACCOUNTS, BTC, codeOf, ServiceFixture, ETH, START_MS } from './serviceFixture.ts';

/** Takes the place of a callback that never has to run, such as the sync of an exchange whose writes do not matter. */
const never = (): void => {};
/** Delays of the exchange, so that orders and cancels are still in progress when it ends. */
const DELAYS_MS = { admissionMs: 20, visibilityMs: 120, cancelMs: 60 };

/** Runs the exchange until its newest change is durable, ends it without a stop, and returns its files. */
function filesAfterCrash(requests: (fixture: KeptFixture) => void, overrides = {}): SimulatedDisk {
  const disk = new SimulatedDisk();
  const fixture = new KeptFixture(disk, disk.soon, overrides);
  requests(fixture);
  fixture.storeWriter.whenDurable(() => {});
  disk.run();
  return disk.afterPowerLoss({ next: () => 0 });
}

describe('a restarted exchange', () => {
  it('a restarted exchange completes delayed orders and cancels', () => {
    const ids: string[] = [];
    const files = filesAfterCrash(
      (fixture) => {
        ids.push(fixture.placeLimit('alice', 'BUY', '0.1', '1000'));
        fixture.passTime(500);
        fixture.post('/sapi/v1/cancel', { symbol: 'BTCUSDT', orderId: ids[0] });
        ids.push(fixture.placeLimit('bob', 'SELL', '0.1', '1100'));
      },
      { delays: DELAYS_MS },
    );
    const restarted = new KeptFixture(files, never, { delays: DELAYS_MS });
    restarted.passTime(500);
    expect(restarted.queryOrder(ids[0]!)['status']).toBe('CANCELED');
    expect(restarted.balance('alice', 'USDT').locked).toBe('0');
    expect(restarted.queryOrder(ids[1]!, 'bob')['status']).toBe('NEW');
    expect(restarted.getPublic('/sapi/v1/depth?symbol=BTCUSDT').body).toContain('1100');
  });

  it('a restarted exchange keeps a kline volume beyond the exact integers of a double', () => {
    const huge = 2 ** 54;
    const files = filesAfterCrash((fixture) => {
      fixture.placeLimit('alice', 'BUY', '0.1', '1000');
      const { tape } = fixture.service.markets[0]!;
      for (let index = 0; index < 3; index++) tape.klines.addTrade(fixture.nowMs, 100_000, huge);
      fixture.passTime(60_000);
    });
    const restarted = new KeptFixture(files, never);
    const volumes = restarted.service.markets[0]!.tape.klines.bars('1m', restarted.nowMs).map(({ lots: volume }) => volume);
    expect(volumes).toContain(3 * huge);
  });

  it('a restarted exchange completes the delayed cancel of a trigger order', () => {
    const files = filesAfterCrash(
      (fixture) => {
        for (const price of ['2000', '2001'])
          fixture.sendTriggerOrder('alice', 'BUY', '3', price, { open: 'OPEN', type: 'LIMIT', price: 1000 });
        fixture.passTime(500);
        fixture.post('/v1/inner/trigger_order_cancel', { contractName: 'E-BTC-USDT', orderId: '1622000000000000001' });
      },
      { delays: DELAYS_MS },
    );
    const restarted = new KeptFixture(files, never, { delays: DELAYS_MS });
    restarted.passTime(1);
    expect(restarted.triggerOrders().map(({ triggerPrice, status }) => [triggerPrice, status])).toEqual([
      [2001, TRIGGER_STATUS.pending],
      [2000, TRIGGER_STATUS.cancelled],
    ]);
  });

  it('a restarted exchange keeps the time from which a trigger order waits, even if it differs from the time of placing', () => {
    const files = filesAfterCrash((fixture) => {
      const { futures } = fixture.service;
      const { instrument } = futures.market('E-BTC-USDT')!;
      const placedOrder = {
        instrument,
        side: 'buy',
        role: 'condition',
        lots: lots(1),
        quoteUnits: units(0),
        limit: ticks(10_000),
      } as const;
      const intent = { ...placedOrder, reduceOnly: false, timeInForce: null, slot: '' };
      const times = { placedMs: fixture.nowMs, sinceMs: fixture.nowMs - 100 };
      futures.triggers.place(0, { kind: 'rise', triggerTicks: 20_000, child: intent, clientOrderId: null, ...times });
      fixture.sendTriggerOrder('alice', 'BUY', '3', '2001', { open: 'OPEN', type: 'LIMIT', price: 1000 });
    });
    const restarted = new KeptFixture(files, never);
    expect(restarted.triggerOrders()).toMatchObject([
      { triggerPrice: 2001, status: TRIGGER_STATUS.pending },
      { triggerPrice: 2000, status: TRIGGER_STATUS.pending },
    ]);
    const waitedMs = restarted.service.futures.triggers.pending().map(({ placedMs, trigger }) => placedMs - trigger.sinceMs);
    expect(waitedMs).toEqual([100, 0]);
  });

  it('a restarted exchange keeps the order of its books by price and time', () => {
    const files = filesAfterCrash((fixture) => {
      for (const account of ['alice', 'bob', 'alice']) fixture.placeLimit(account, 'SELL', '0.1', '1000');
    });
    const restarted = new KeptFixture(files, never);
    const [bobBefore, aliceBefore] = ['bob', 'alice'].map((account) => restarted.balance(account, 'USDT').free);
    restarted.placeLimit('bob', 'BUY', '0.1', '1000');
    // The first order was alice's, so bob has bought from her.
    expect(restarted.balance('alice', 'USDT').free).not.toBe(aliceBefore);
    expect(restarted.balance('bob', 'USDT').free).not.toBe(bobBefore);
    expect(restarted.balance('bob', 'BTC').locked).toBe('0.1');
  });

  it('a restarted exchange fires earlier trigger orders, and pays the funding of the hours in which it was closed', () => {
    const rates = { fundingRates: { 'futures:E-BTC-USDT': 1_000_000_000 } };
    const files = filesAfterCrash((fixture) => {
      fixture.placeOrder('bob', 'SELL', 100, 1000);
      fixture.placeOrder('alice', 'BUY', 100, 1000);
      fixture.passTime(1500);
      fixture.sendTriggerOrder('alice', 'SELL', '1', '900', { volume: 100 });
      fixture.placeOrder('bob', 'BUY', 200, 900);
    }, rates);
    const restarted = new KeptFixture(files, never, rates);
    expect(restarted.triggerOrders()).toMatchObject([{ status: TRIGGER_STATUS.pending }]);
    restarted.passTime(9 * 3_600_000);
    expect(Number(restarted.positions()[0]!['capitalFee'])).toBeLessThan(0);
    restarted.placeOrder('bob', 'SELL', 1, 900);
    expect(restarted.positions()).toEqual([]);
    expect(restarted.triggerOrders()).toMatchObject([{ status: TRIGGER_STATUS.triggered }]);
  });

  it('a restarted exchange reports the traded average price of an inverse order that fills before and after the restart', () => {
    const inverse = { contractName: 'E-BTC-USD' };
    const files = filesAfterCrash((fixture) => {
      fixture.placeOrder('bob', 'SELL', 3, 41_234.5, inverse);
      fixture.placeOrder('alice', 'BUY', 7, 41_234.5, { ...inverse, clientOrderId: 'half' });
      expect(fixture.positions('alice', 'E-BTC-USD')).toMatchObject([{ avgPrice: 41_234.5, openPrice: 41_234.5 }]);
    });
    const restarted = new KeptFixture(files, never);
    restarted.placeOrder('bob', 'SELL', 4, 41_234.5, inverse);
    expect(restarted.listRows('/fapi/v1/orderHistorical')).toMatchObject([{ clientId: 'half', avgPrice: 41_234.5, dealVolume: 7 }]);
    restarted.placeOrder('bob', 'BUY', 2, 41_100.1, inverse);
    restarted.placeOrder('alice', 'SELL', 2, 41_100.1, { ...inverse, open: 'CLOSE' });
    expect(restarted.positions('alice', 'E-BTC-USD')).toMatchObject([{ avgPrice: 41_234.5, openPrice: 41_234.5, positionVolume: 5 }]);
    expect(restarted.listRows('/fapi/v1/profitHistorical')).toMatchObject([{ openPrice: 41_234.5, openEndPrice: 41_100.1 }]);
  });

  it('a restarted exchange applies the mark price that was due when it ended, and liquidates a position without a new trade', () => {
    const accounts = TRADERS.map((trader) => ({ ...trader, futures: { balances: { USDT: trader.name === 'alice' ? '6' : '10000' } } }));
    const files = filesAfterCrash(
      (fixture) => {
        fixture.placeOrder('bob', 'SELL', 100, 1000);
        fixture.placeOrder('alice', 'BUY', 100, 1000);
        fixture.passTime(1500);
        fixture.placeOrder('bob', 'SELL', 1, 940);
        fixture.placeOrder('bob', 'BUY', 1, 940);
      },
      { accounts },
    );
    const restarted = new KeptFixture(files, never, { accounts });
    expect(restarted.positions()).toHaveLength(1);
    restarted.passTime(1000);
    expect(restarted.positions()).toEqual([]);
  });

  it('a restarted exchange keeps the leverage that an account has set', () => {
    const files = filesAfterCrash((fixture) => {
      fixture.post('/fapi/v1/edit_lever', { contractName: 'E-BTC-USDT', nowLevel: 7 });
    });
    expect(new KeptFixture(files, never).service.futures.venue.wallets.setting(0, 0).leverage).toBe(7);
  });

  it('a restarted exchange adds new accounts of its config, and rejects a config without an earlier account', () => {
    const files = filesAfterCrash((fixture) => void fixture.placeLimit('alice', 'BUY', '0.1', '1000'));
    const [alice, bob] = TRADERS;
    const carol = { ...bob!, name: 'carol', uid: '10003', keys: [{ ...bob!.keys[0]!, apiKey: 'carol-Key', secret: 'carol-Secret' }] };
    const restarted = new KeptFixture(files.afterKill('', 0), never, { accounts: [carol, alice!, bob!] });
    expect(restarted.balance('carol', 'USDT')).toEqual({ free: '100000', locked: '0' });
    expect(restarted.balance('alice', 'USDT').locked).toBe('100');
    expect(() => new KeptFixture(files, never, { accounts: [alice!] })).toThrow(
      'expected an account with uid 10002 in the config, because the exchange had it, got none',
    );
    expect(() => new KeptFixture(files, never, { instruments: [{ ...BTC, priceDigits: 3 }] })).toThrow(ConfigError);
  });
});

describe('an exchange in a folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'isobar-kept-'));
  afterAll(() => rmSync(root, { recursive: true }));

  it('a folder admits one exchange at a time, and the next one continues its prices', async () => {
    const dataFolder = join(root, 'one');
    const options = { host: '127.0.0.1', port: 0, controlPort: null, crash: never, data: dataFolder };
    const firstExchange = await runExchange(demoSettings(1), options);
    await expect(runExchange(demoSettings(1), options)).rejects.toThrow(/this process has the folder already/);
    const lastPrice = firstExchange.service.spot.market('BTCUSDT')!.referencePrice;
    const tradeCount = firstExchange.service.spot.counters.trades;
    await firstExchange.close();
    const nextExchange = await runExchange(demoSettings(1), options);
    const { counters } = nextExchange.service.spot;
    // After a clean end, trade ids continue without the gap that a crash leaves.
    expect(counters.trades).toBeLessThan(tradeCount + 1000);
    expect(Math.abs(nextExchange.service.spot.market('BTCUSDT')!.referencePrice / lastPrice - 1)).toBeLessThan(0.001);
    await nextExchange.close();
  });
});

describe('an exchange that follows rows', () => {
  const bars = {
    ...synthesizeBars({ symbol: 'BTCUSDT', interval: '1m', fromMs: START_MS, bars: 60, seed: 3, gapShare: 0 }),
    instrument: BTC,
  };
  const rows = { bars, firstRow: 5, marks: null, funding: [] };
  const prices = new Map<InstrumentId, InstrumentPrices>([[BTC.id, { kind: 'matchingBars', rows, fromMs: bars.openMs[5]! }]]);
  const settings: ExchangeSettings = {
    service: { ...SERVICE_DEFAULTS, instruments: [BTC, ETH], accounts: ACCOUNTS, profile: PROFILES.seed },
    prices,
    seed: 1,
    speed: null,
  };

  /** Places limits around the market at every fifth row, and restarts the exchange after the rows of `stops`. Returns the result as text. */
  async function resultOfRun(folder: string, stops: ReadonlySet<number>): Promise<string> {
    const startExchange = async () =>
      runExchange(settings, { host: '127.0.0.1', port: 0, controlPort: null, crash: never, data: join(root, folder) });
    let running = await startExchange();
    for (let row = 5; row < 50; row++) {
      const { service, clock } = running;
      if (row % 5 === 0) {
        const intent = { instrument: BTC, role: 'limit', quoteUnits: units(0), reduceOnly: false, timeInForce: null, slot: '' } as const;
        const price = ticksOf(bars, 'open')[row]!;
        service.spot.place(0, { ...intent, side: 'buy', lots: lots(100), limit: ticks(price - 2000) }, null);
        service.spot.place(1, { ...intent, side: 'sell', lots: lots(100), limit: ticks(price + 2000) }, null);
      }
      clock.step(60_000);
      service.advance(clock.nowMs());
      if (!stops.has(row)) continue;
      await running.close();
      running = await startExchange();
    }
    const { service } = running;
    const { accounts, orders } = truthOfMarkets(service, settings.service);
    // Without ids, because trade ids continue behind a gap after a restart.
    const tradeRow = ({ price, lots: volume, timeMs, isBuyer, isMaker, fee }: OwnTrade) => [price, volume, timeMs, isBuyer, isMaker, fee];
    const trades = [0, 1].map((account) => service.spot.orders.trades(account, null, 100, null).map(tradeRow));
    const klines = service.markets[0]!.tape.klines.bars('1m', service.nowMs).slice(-20);
    await running.close();
    return JSON.stringify({ accounts, orders, trades, klines });
  }
  const root = mkdtempSync(join(tmpdir(), 'isobar-kept-rows-'));
  afterAll(() => rmSync(root, { recursive: true }));

  it('an exchange that follows rows continues at the row where it was stopped, and has the results of an uninterrupted run', async () => {
    const uninterrupted = await resultOfRun('uninterrupted', new Set());
    expect(uninterrupted).toMatch(/,true,true,/);
    expect(await resultOfRun('stopped', new Set([12, 20, 31]))).toBe(uninterrupted);
  });
});

describe('ended orders', () => {
  it('ended spot orders are found by every read, and are no longer in memory', () => {
    const fixture = new ServiceFixture({ limits: { 'spot.newOrder': null, 'spot.myTrades': null, 'spot.queryOrder': null } });
    const ids: string[] = [];
    for (let orderNumber = 0; orderNumber < 700; orderNumber++) {
      ids.push(fixture.placeLimit('alice', 'BUY', '0.01', '100', { newClientOrderId: `a${orderNumber % 600}` }));
      fixture.placeLimit('bob', 'SELL', '0.01', '100');
    }
    expect(fixture.service.spot.orders.inMemory).toBeLessThan(1024);
    for (const orderNumber of [0, 1, 350, 699])
      expect(fixture.queryOrder(ids[orderNumber]!)).toMatchObject({ status: 'FILLED', clientOrderId: `a${orderNumber % 600}` });
    expect(fixture.service.spot.orders.byClientId(0, 'a50')?.id).toBe(ids[650]);
    expect(fixture.service.spot.orders.byClientId(0, 'a550')?.id).toBe(ids[550]);
    expect(fixture.service.spot.orders.byClientId(1, 'a550')).toBeNull();
    const trades = (query: string): readonly { id: number }[] =>
      JSON.parse(fixture.get(`/sapi/v1/myTrades?symbol=BTCUSDT&${query}`).body.replaceAll(/Id":(\d+)/g, 'Id":"$1"')) as { id: number }[];
    expect(trades('limit=1000').map(({ id }) => id)).toEqual(Array.from({ length: 700 }, (_, index) => 700 - index));
    expect(trades('limit=5&fromId=3').map(({ id }) => id)).toEqual([7, 6, 5, 4, 3]);
    expect(trades('limit=5').map(({ id }) => id)).toEqual([700, 699, 698, 697, 696]);
  });

  it('ended futures orders are in every list', () => {
    const fixture = new FuturesFixture();
    const ids: string[] = [];
    for (let orderNumber = 0; orderNumber < 400; orderNumber++) {
      ids.push(fixture.placeOrder('alice', orderNumber % 2 === 0 ? 'BUY' : 'SELL', 1, 1000));
      fixture.placeOrder('bob', orderNumber % 2 === 0 ? 'SELL' : 'BUY', 1, 1000);
    }
    const history = fixture.listRows('/fapi/v1/orderHistorical', { contractName: 'E-BTC-USDT', limit: 1000 });
    expect(history.map((row) => row['orderId'])).toEqual(ids.toReversed());
    expect(fixture.listRows('/fapi/v1/profitHistorical', { contractName: 'E-BTC-USDT', limit: 1000 })).toHaveLength(200);
    expect(fixture.orderInformation(ids[0]!)).toMatchObject({ status: 'FILLED', tradeFee: expect.anything() as unknown });
    expect(fixture.listRows('/fapi/v1/orderHistorical', { contractName: 'E-ETH-USDT', limit: 1000 })).toEqual([]);
  });
});

describe('the maximum number of open orders', () => {
  it('the maxOpenOrders of an account replaces the common maximum for that account', () => {
    const [alice, bob] = TRADERS;
    const fixture = new FuturesFixture({ accounts: [{ ...alice!, maxOpenOrders: 2 }, bob!] });
    for (const account of ['alice', 'bob']) for (const price of ['10', '11']) fixture.placeLimit(account, 'BUY', '0.01', price);
    const placeThird = (account: string) =>
      fixture.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: 0.01, price: 12 }, { as: account });
    expect(codeOf(placeThird('alice'))).toBe(-1015);
    expect(codeOf(placeThird('bob'))).toBe(0);
    expect([1, 2, 3].map((volume) => codeOf(fixture.sendOrder('alice', 'BUY', volume, 900)))).toEqual([0, 0, -1015]);
  });
});
