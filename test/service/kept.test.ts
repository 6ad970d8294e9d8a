// An exchange that lasts: what it goes on with after its end, what it refuses, and what it does not keep in memory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { generateBars } from '../../src/adapters/catalog/generate/generate.ts';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange } from '../../src/paperExchange/process/runExchange.ts';
import type { ExchangeSettings, PriceSettings } from '../../src/paperExchange/process/file/settings.ts';
import { lots, ticks, units } from '../../src/base/brand.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { ticksOf } from '../../src/model/bars/bars.ts';
import type { InstrumentId } from '../../src/model/instrument.ts';
import { SERVICE_DEFAULTS } from '../../src/paperExchange/dialect/config.ts';
import { truthOfMarkets } from '../../src/paperExchange/faults/truth.ts';
import type { OwnTrade } from '../../src/paperExchange/orders/userOrder.ts';
import { PROFILES } from '../../src/paperExchange/dialect/profile.ts';
import { KeptDesk } from '../fixtures/keptDesk.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';
import { FuturesDesk, TRADERS } from './futuresDesk.ts';
import { ACCOUNTS, BTC, codeOf, Desk, ETH, START_MS } from './serviceDesk.ts';

const never = (): void => {};
const WAYS = { admissionMs: 20, visibilityMs: 120, cancelMs: 60 };

/** The exchange lives until its newest change lasts, and ends without a farewell; what is left of it. */
function lived(act: (desk: KeptDesk) => void, over = {}): SimulatedDisk {
  const disk = new SimulatedDisk();
  const desk = new KeptDesk(disk, disk.soon, over);
  act(desk);
  desk.journal.whenLasting(() => {});
  disk.run();
  return disk.afterPowerLoss({ next: () => 0 });
}

describe('an exchange that goes on', () => {
  it('finishes what was on its way: to the book, to its end, to the eyes of readers', () => {
    const ids: string[] = [];
    const left = lived(
      (desk) => {
        ids.push(desk.limit('alice', 'BUY', '0.1', '1000'));
        desk.pass(500);
        desk.post('/sapi/v1/cancel', { symbol: 'BTCUSDT', orderId: ids[0] });
        ids.push(desk.limit('bob', 'SELL', '0.1', '1100'));
      },
      { delays: WAYS },
    );
    const desk = new KeptDesk(left, never, { delays: WAYS });
    desk.pass(500);
    expect(desk.query(ids[0]!)['status']).toBe('CANCELED');
    expect(desk.balance('alice', 'USDT').locked).toBe('0');
    expect(desk.query(ids[1]!, 'bob')['status']).toBe('NEW');
    expect(desk.open('/sapi/v1/depth?symbol=BTCUSDT').body).toContain('1100');
  });

  it('finishes the cancel of a condition order that was on its way', () => {
    const left = lived(
      (desk) => {
        for (const price of ['2000', '2001']) desk.condition('alice', 'BUY', '3', price, { open: 'OPEN', type: 'LIMIT', price: 1000 });
        desk.pass(500);
        desk.post('/v1/inner/trigger_order_cancel', { contractName: 'E-BTC-USDT', orderId: '1622000000000000001' });
      },
      { delays: WAYS },
    );
    const desk = new KeptDesk(left, never, { delays: WAYS });
    desk.pass(1);
    expect(desk.triggers().map(({ triggerPrice, status }) => [triggerPrice, status])).toEqual([
      [2001, 0],
      [2000, 4],
    ]);
  });

  it('keeps price and time in its books', () => {
    const left = lived((desk) => {
      for (const as of ['alice', 'bob', 'alice']) desk.limit(as, 'SELL', '0.1', '1000');
    });
    const desk = new KeptDesk(left, never);
    const [first, second] = ['bob', 'alice'].map((as) => desk.balance(as, 'USDT').free);
    desk.limit('bob', 'BUY', '0.1', '1000');
    // Alice was first: she has been paid, bob has paid.
    expect(desk.balance('alice', 'USDT').free).not.toBe(second);
    expect(desk.balance('bob', 'USDT').free).not.toBe(first);
    expect(desk.balance('bob', 'BTC').locked).toBe('0.1');
  });

  it('fires triggers that were set before, and pays the funding of the hours in which it was closed', () => {
    const rates = { fundingRates: { 'futures:E-BTC-USDT': 1_000_000_000 } };
    const left = lived((desk) => {
      desk.order('bob', 'SELL', 100, 1000);
      desk.order('alice', 'BUY', 100, 1000);
      desk.pass(1500);
      desk.condition('alice', 'SELL', '1', '900', { volume: 100 });
      desk.order('bob', 'BUY', 200, 900);
    }, rates);
    const desk = new KeptDesk(left, never, rates);
    expect(desk.triggers()).toMatchObject([{ status: 0 }]);
    desk.pass(9 * 3_600_000);
    expect(Number(desk.positions()[0]!['capitalFee'])).toBeLessThan(0);
    desk.order('bob', 'SELL', 1, 900);
    expect(desk.positions()).toEqual([]);
    expect(desk.triggers()).toMatchObject([{ status: 2 }]);
  });

  it('tells average prices of inverse contracts as they were traded, of the half of a limit before and after', () => {
    const inverse = { contractName: 'E-BTC-USD' };
    const left = lived((desk) => {
      desk.order('bob', 'SELL', 3, 41_234.5, inverse);
      desk.order('alice', 'BUY', 7, 41_234.5, { ...inverse, clientOrderId: 'half' });
      expect(desk.positions('alice', 'E-BTC-USD')).toMatchObject([{ avgPrice: 41_234.5, openPrice: 41_234.5 }]);
    });
    const desk = new KeptDesk(left, never);
    desk.order('bob', 'SELL', 4, 41_234.5, inverse);
    expect(desk.rows('/fapi/v1/orderHistorical')).toMatchObject([{ clientId: 'half', avgPrice: 41_234.5, dealVolume: 7 }]);
    desk.order('bob', 'BUY', 2, 41_100.1, inverse);
    desk.order('alice', 'SELL', 2, 41_100.1, { ...inverse, open: 'CLOSE' });
    expect(desk.positions('alice', 'E-BTC-USD')).toMatchObject([{ avgPrice: 41_234.5, openPrice: 41_234.5, positionVolume: 5 }]);
    expect(desk.rows('/fapi/v1/profitHistorical')).toMatchObject([{ openPrice: 41_234.5, openEndPrice: 41_100.1 }]);
  });

  it('takes the mark that was due when it ended, though nothing trades any more', () => {
    const accounts = TRADERS.map((each) => ({ ...each, futures: { balances: { USDT: each.name === 'alice' ? '6' : '10000' } } }));
    const left = lived(
      (desk) => {
        desk.order('bob', 'SELL', 100, 1000);
        desk.order('alice', 'BUY', 100, 1000);
        desk.pass(1500);
        desk.order('bob', 'SELL', 1, 940);
        desk.order('bob', 'BUY', 1, 940);
      },
      { accounts },
    );
    const desk = new KeptDesk(left, never, { accounts });
    expect(desk.positions()).toHaveLength(1);
    desk.pass(1000);
    expect(desk.positions()).toEqual([]);
  });

  it('has the settings that were chosen', () => {
    const left = lived((desk) => {
      desk.post('/fapi/v1/edit_lever', { contractName: 'E-BTC-USDT', nowLevel: 7 });
    });
    expect(new KeptDesk(left, never).service.futures.venue.wallets.setting(0, 0).leverage).toBe(7);
  });

  it('takes accounts in that are new, with their money, and refuses to go on without those that had some', () => {
    const left = lived((desk) => void desk.limit('alice', 'BUY', '0.1', '1000'));
    const [alice, bob] = TRADERS;
    const carol = { ...bob!, name: 'carol', uid: '10003', keys: [{ ...bob!.keys[0]!, apiKey: 'carol-Key', secret: 'carol-Secret' }] };
    const desk = new KeptDesk(left.afterKill('', 0), never, { accounts: [carol, alice!, bob!] });
    expect(desk.balance('carol', 'USDT')).toEqual({ free: '100000', locked: '0' });
    expect(desk.balance('alice', 'USDT').locked).toBe('100');
    expect(() => new KeptDesk(left, never, { accounts: [alice!] })).toThrow(
      'the exchange had an account with uid 10002, which the config has not',
    );
    expect(() => new KeptDesk(left, never, { instruments: [{ ...BTC, priceDigits: 3 }] })).toThrow(ConfigError);
  });
});

describe('an exchange in a folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'isobar-kept-'));
  afterAll(() => rmSync(root, { recursive: true }));

  it('is one at a time, and is there again with its prices', async () => {
    const data = join(root, 'one');
    const options = { host: '127.0.0.1', port: 0, controlPort: null, crash: never, data };
    const first = await runExchange(demoSettings(1), options);
    await expect(runExchange(demoSettings(1), options)).rejects.toThrow(/this process has the folder already/);
    const last = first.service.spot.market('BTCUSDT')!.outsidePrice;
    const ids = first.service.spot.counters.trades;
    await first.close();
    const second = await runExchange(demoSettings(1), options);
    const { counters } = second.service.spot;
    // A clean end leaves no gap.
    expect(counters.trades).toBeLessThan(ids + 1000);
    expect(Math.abs(second.service.spot.market('BTCUSDT')!.outsidePrice / last - 1)).toBeLessThan(0.001);
    await second.close();
  });
});

describe('an exchange that follows rows', () => {
  const bars = {
    ...generateBars({ symbol: 'BTCUSDT', interval: '1m', fromMs: START_MS, bars: 60, seed: 3, gapShare: 0 }),
    instrument: BTC,
  };
  const rows = { bars, firstRow: 5, marks: null, funding: [] };
  const prices = new Map<InstrumentId, PriceSettings>([[BTC.id, { kind: 'rows', rows, fromMs: bars.openMs[5]! }]]);
  const settings: ExchangeSettings = {
    service: { ...SERVICE_DEFAULTS, instruments: [BTC, ETH], accounts: ACCOUNTS, profile: PROFILES.seed },
    prices,
    seed: 1,
    speed: null,
  };

  /** Limits about the market at every fifth row; what came of it. */
  async function walked(folder: string, stops: ReadonlySet<number>): Promise<string> {
    const open = async () =>
      runExchange(settings, { host: '127.0.0.1', port: 0, controlPort: null, crash: never, data: join(root, folder) });
    let running = await open();
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
      running = await open();
    }
    const { service } = running;
    const { accounts, orders } = truthOfMarkets(service, settings.service);
    // Ids of the rows go on behind a gap where an exchange did not end by itself.
    const told = ({ price, lots: volume, timeMs, isBuyer, isMaker, fee }: OwnTrade) => [price, volume, timeMs, isBuyer, isMaker, fee];
    const trades = [0, 1].map((account) => service.spot.orders.trades(account, null, 100, null).map(told));
    const klines = service.markets[0]!.tape.klines.bars('1m', service.nowMs).slice(-20);
    await running.close();
    return JSON.stringify({ accounts, orders, trades, klines });
  }
  const root = mkdtempSync(join(tmpdir(), 'isobar-kept-rows-'));
  afterAll(() => rmSync(root, { recursive: true }));

  it('goes on at the row where it was stopped, and comes to the same', async () => {
    const whole = await walked('whole', new Set());
    expect(whole).toMatch(/,true,true,/);
    expect(await walked('stopped', new Set([12, 20, 31]))).toBe(whole);
  });
});

describe('what is over', () => {
  it('is found wherever it is asked for, and no longer in memory', () => {
    const desk = new Desk({ limits: { 'spot.newOrder': null, 'spot.myTrades': null, 'spot.queryOrder': null } });
    const ids: string[] = [];
    for (let number = 0; number < 700; number++) {
      ids.push(desk.limit('alice', 'BUY', '0.01', '100', { newClientOrderId: `a${number % 600}` }));
      desk.limit('bob', 'SELL', '0.01', '100');
    }
    expect(desk.service.spot.orders.atHand).toBeLessThan(1024);
    for (const number of [0, 1, 350, 699])
      expect(desk.query(ids[number]!)).toMatchObject({ status: 'FILLED', clientOrderId: `a${number % 600}` });
    expect(desk.service.spot.orders.byClientId(0, 'a50')?.id).toBe(ids[650]);
    expect(desk.service.spot.orders.byClientId(0, 'a550')?.id).toBe(ids[550]);
    expect(desk.service.spot.orders.byClientId(1, 'a550')).toBeNull();
    const trades = (query: string): readonly { id: number }[] =>
      JSON.parse(desk.get(`/sapi/v1/myTrades?symbol=BTCUSDT&${query}`).body.replaceAll(/Id":(\d+)/g, 'Id":"$1"')) as { id: number }[];
    expect(trades('limit=1000').map(({ id }) => id)).toEqual(Array.from({ length: 700 }, (_, at) => 700 - at));
    expect(trades('limit=5&fromId=3').map(({ id }) => id)).toEqual([7, 6, 5, 4, 3]);
    expect(trades('limit=5').map(({ id }) => id)).toEqual([700, 699, 698, 697, 696]);
  });

  it('stands in the lists of futures too', () => {
    const desk = new FuturesDesk();
    const ids: string[] = [];
    for (let number = 0; number < 400; number++) {
      ids.push(desk.order('alice', number % 2 === 0 ? 'BUY' : 'SELL', 1, 1000));
      desk.order('bob', number % 2 === 0 ? 'SELL' : 'BUY', 1, 1000);
    }
    const history = desk.rows('/fapi/v1/orderHistorical', { contractName: 'E-BTC-USDT', limit: 1000 });
    expect(history.map((row) => row['orderId'])).toEqual(ids.toReversed());
    expect(desk.rows('/fapi/v1/profitHistorical', { contractName: 'E-BTC-USDT', limit: 1000 })).toHaveLength(200);
    expect(desk.info(ids[0]!)).toMatchObject({ status: 'FILLED', tradeFee: expect.anything() as unknown });
    expect(desk.rows('/fapi/v1/orderHistorical', { contractName: 'E-ETH-USDT', limit: 1000 })).toEqual([]);
  });
});

describe('orders that an account may have open', () => {
  it('are as many as the account says, not as all may', () => {
    const [alice, bob] = TRADERS;
    const desk = new FuturesDesk({ accounts: [{ ...alice!, maxOpenOrders: 2 }, bob!] });
    for (const as of ['alice', 'bob']) for (const price of ['10', '11']) desk.limit(as, 'BUY', '0.01', price);
    const third = (as: string) =>
      desk.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: 0.01, price: 12 }, { as });
    expect(codeOf(third('alice'))).toBe(-1015);
    expect(codeOf(third('bob'))).toBe(0);
    expect([1, 2, 3].map((volume) => codeOf(desk.create('alice', 'BUY', volume, 900)))).toEqual([0, 0, -1015]);
  });
});
