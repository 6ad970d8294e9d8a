// An exchange with a folder: how it continues after its end, what it rejects, and what it does not keep in memory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { synthesizeBars } from '../../src/adapters/catalog/generate/generate.ts';
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
import { KeptFixture } from '../fixtures/keptFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';
import { FuturesFixture, TRADERS } from './futuresFixture.ts';
import { ACCOUNTS, BTC, codeOf, Fixture, ETH, START_MS } from './serviceFixture.ts';

const never = (): void => {};
const WAYS = { admissionMs: 20, visibilityMs: 120, cancelMs: 60 };

/** Runs the exchange until its newest change is durable, ends it without a stop, and returns its files. */
function lived(act: (fixture: KeptFixture) => void, over = {}): SimulatedDisk {
  const disk = new SimulatedDisk();
  const setup = new KeptFixture(disk, disk.soon, over);
  act(setup);
  setup.journal.whenLasting(() => {});
  disk.run();
  return disk.afterPowerLoss({ next: () => 0 });
}

describe('an exchange that continues', () => {
  it('an exchange that continues finishes what was on its way: to the book, to its end, to the eyes of readers', () => {
    const ids: string[] = [];
    const left = lived(
      (fixture) => {
        ids.push(fixture.limit('alice', 'BUY', '0.1', '1000'));
        fixture.pass(500);
        fixture.post('/sapi/v1/cancel', { symbol: 'BTCUSDT', orderId: ids[0] });
        ids.push(fixture.limit('bob', 'SELL', '0.1', '1100'));
      },
      { delays: WAYS },
    );
    const setup = new KeptFixture(left, never, { delays: WAYS });
    setup.pass(500);
    expect(setup.query(ids[0]!)['status']).toBe('CANCELED');
    expect(setup.balance('alice', 'USDT').locked).toBe('0');
    expect(setup.query(ids[1]!, 'bob')['status']).toBe('NEW');
    expect(setup.open('/sapi/v1/depth?symbol=BTCUSDT').body).toContain('1100');
  });

  it('an exchange that continues keeps a volume that is larger than a double holds exactly', () => {
    const huge = 2 ** 54;
    const left = lived((fixture) => {
      fixture.limit('alice', 'BUY', '0.1', '1000');
      const { tape } = fixture.service.markets[0]!;
      for (let at = 0; at < 3; at++) tape.klines.print(fixture.nowMs, 100_000, huge);
      fixture.pass(60_000);
    });
    const setup = new KeptFixture(left, never);
    const volumes = setup.service.markets[0]!.tape.klines.bars('1m', setup.nowMs).map(({ lots: volume }) => volume);
    expect(volumes).toContain(3 * huge);
  });

  it('an exchange that continues finishes the cancel of a trigger order that was on its way', () => {
    const left = lived(
      (rig) => {
        for (const price of ['2000', '2001']) rig.trigger('alice', 'BUY', '3', price, { open: 'OPEN', type: 'LIMIT', price: 1000 });
        rig.pass(500);
        rig.post('/v1/inner/trigger_order_cancel', { contractName: 'E-BTC-USDT', orderId: '1622000000000000001' });
      },
      { delays: WAYS },
    );
    const otherFixture = new KeptFixture(left, never, { delays: WAYS });
    otherFixture.pass(1);
    expect(otherFixture.triggers().map(({ triggerPrice, status }) => [triggerPrice, status])).toEqual([
      [2001, 0],
      [2000, 4],
    ]);
  });

  it('an exchange that continues keeps a trigger order that waits since another time than it was placed, as among rows', () => {
    const left = lived((rig) => {
      const { futures } = rig.service;
      const { instrument } = futures.market('E-BTC-USDT')!;
      const child = { instrument, side: 'buy', role: 'condition', lots: lots(1), quoteUnits: units(0), limit: ticks(10_000) } as const;
      const intent = { ...child, reduceOnly: false, timeInForce: null, slot: '' };
      futures.triggers.place(0, 'rise', 20_000, intent, null, { placedMs: rig.nowMs, sinceMs: rig.nowMs - 100 });
      rig.trigger('alice', 'BUY', '3', '2001', { open: 'OPEN', type: 'LIMIT', price: 1000 });
    });
    const rig = new KeptFixture(left, never);
    expect(rig.triggers()).toMatchObject([
      { triggerPrice: 2001, status: 0 },
      { triggerPrice: 2000, status: 0 },
    ]);
    const waiting = rig.service.futures.triggers.pending().map(({ placedMs, trigger }) => placedMs - trigger.sinceMs);
    expect(waiting).toEqual([100, 0]);
  });

  it('an exchange that continues keeps price and time in its books', () => {
    const left = lived((stand) => {
      for (const as of ['alice', 'bob', 'alice']) stand.limit(as, 'SELL', '0.1', '1000');
    });
    const stand = new KeptFixture(left, never);
    const [first, second] = ['bob', 'alice'].map((as) => stand.balance(as, 'USDT').free);
    stand.limit('bob', 'BUY', '0.1', '1000');
    // Alice was first: she has been paid, bob has paid.
    expect(stand.balance('alice', 'USDT').free).not.toBe(second);
    expect(stand.balance('bob', 'USDT').free).not.toBe(first);
    expect(stand.balance('bob', 'BTC').locked).toBe('0.1');
  });

  it('an exchange that continues fires triggers that were set before, and pays the funding of the hours in which it was closed', () => {
    const rates = { fundingRates: { 'futures:E-BTC-USDT': 1_000_000_000 } };
    const left = lived((stand) => {
      stand.order('bob', 'SELL', 100, 1000);
      stand.order('alice', 'BUY', 100, 1000);
      stand.pass(1500);
      stand.trigger('alice', 'SELL', '1', '900', { volume: 100 });
      stand.order('bob', 'BUY', 200, 900);
    }, rates);
    const stand = new KeptFixture(left, never, rates);
    expect(stand.triggers()).toMatchObject([{ status: 0 }]);
    stand.pass(9 * 3_600_000);
    expect(Number(stand.positions()[0]!['capitalFee'])).toBeLessThan(0);
    stand.order('bob', 'SELL', 1, 900);
    expect(stand.positions()).toEqual([]);
    expect(stand.triggers()).toMatchObject([{ status: 2 }]);
  });

  it('an exchange that continues reports average prices of inverse contracts as they were traded, of the half of a limit before and after', () => {
    const inverse = { contractName: 'E-BTC-USD' };
    const left = lived((stand) => {
      stand.order('bob', 'SELL', 3, 41_234.5, inverse);
      stand.order('alice', 'BUY', 7, 41_234.5, { ...inverse, clientOrderId: 'half' });
      expect(stand.positions('alice', 'E-BTC-USD')).toMatchObject([{ avgPrice: 41_234.5, openPrice: 41_234.5 }]);
    });
    const stand = new KeptFixture(left, never);
    stand.order('bob', 'SELL', 4, 41_234.5, inverse);
    expect(stand.rows('/fapi/v1/orderHistorical')).toMatchObject([{ clientId: 'half', avgPrice: 41_234.5, dealVolume: 7 }]);
    stand.order('bob', 'BUY', 2, 41_100.1, inverse);
    stand.order('alice', 'SELL', 2, 41_100.1, { ...inverse, open: 'CLOSE' });
    expect(stand.positions('alice', 'E-BTC-USD')).toMatchObject([{ avgPrice: 41_234.5, openPrice: 41_234.5, positionVolume: 5 }]);
    expect(stand.rows('/fapi/v1/profitHistorical')).toMatchObject([{ openPrice: 41_234.5, openEndPrice: 41_100.1 }]);
  });

  it('an exchange that continues takes the mark that was due when it ended, though nothing trades any more', () => {
    const accounts = TRADERS.map((each) => ({ ...each, futures: { balances: { USDT: each.name === 'alice' ? '6' : '10000' } } }));
    const left = lived(
      (stand) => {
        stand.order('bob', 'SELL', 100, 1000);
        stand.order('alice', 'BUY', 100, 1000);
        stand.pass(1500);
        stand.order('bob', 'SELL', 1, 940);
        stand.order('bob', 'BUY', 1, 940);
      },
      { accounts },
    );
    const stand = new KeptFixture(left, never, { accounts });
    expect(stand.positions()).toHaveLength(1);
    stand.pass(1000);
    expect(stand.positions()).toEqual([]);
  });

  it('an exchange that continues has the settings that were chosen', () => {
    const left = lived((stand) => {
      stand.post('/fapi/v1/edit_lever', { contractName: 'E-BTC-USDT', nowLevel: 7 });
    });
    expect(new KeptFixture(left, never).service.futures.venue.wallets.setting(0, 0).leverage).toBe(7);
  });

  it('an exchange that continues takes accounts in that are new, with their money, and refuses to continue without those that had some', () => {
    const left = lived((stand) => void stand.limit('alice', 'BUY', '0.1', '1000'));
    const [alice, bob] = TRADERS;
    const carol = { ...bob!, name: 'carol', uid: '10003', keys: [{ ...bob!.keys[0]!, apiKey: 'carol-Key', secret: 'carol-Secret' }] };
    const stand = new KeptFixture(left.afterKill('', 0), never, { accounts: [carol, alice!, bob!] });
    expect(stand.balance('carol', 'USDT')).toEqual({ free: '100000', locked: '0' });
    expect(stand.balance('alice', 'USDT').locked).toBe('100');
    expect(() => new KeptFixture(left, never, { accounts: [alice!] })).toThrow(
      'expected an account with uid 10002 in the config, because the exchange had it, got none',
    );
    expect(() => new KeptFixture(left, never, { instruments: [{ ...BTC, priceDigits: 3 }] })).toThrow(ConfigError);
  });
});

describe('an exchange in a folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'isobar-kept-'));
  afterAll(() => rmSync(root, { recursive: true }));

  it('an exchange in a folder is one at a time, and is there again with its prices', async () => {
    const data = join(root, 'one');
    const options = { host: '127.0.0.1', port: 0, controlPort: null, crash: never, data };
    const first = await runExchange(demoSettings(1), options);
    await expect(runExchange(demoSettings(1), options)).rejects.toThrow(/this process has the folder already/);
    const last = first.service.spot.market('BTCUSDT')!.referencePrice;
    const ids = first.service.spot.counters.trades;
    await first.close();
    const second = await runExchange(demoSettings(1), options);
    const { counters } = second.service.spot;
    // A clean end leaves no gap.
    expect(counters.trades).toBeLessThan(ids + 1000);
    expect(Math.abs(second.service.spot.market('BTCUSDT')!.referencePrice / last - 1)).toBeLessThan(0.001);
    await second.close();
  });
});

describe('an exchange that follows rows', () => {
  const bars = {
    ...synthesizeBars({ symbol: 'BTCUSDT', interval: '1m', fromMs: START_MS, bars: 60, seed: 3, gapShare: 0 }),
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

  /** Places limits around the market at every fifth row, and returns the result. */
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
    // Ids of the rows continue behind a gap where an exchange was killed.
    const tradeRow = ({ price, lots: volume, timeMs, isBuyer, isMaker, fee }: OwnTrade) => [price, volume, timeMs, isBuyer, isMaker, fee];
    const trades = [0, 1].map((account) => service.spot.orders.trades(account, null, 100, null).map(tradeRow));
    const klines = service.markets[0]!.tape.klines.bars('1m', service.nowMs).slice(-20);
    await running.close();
    return JSON.stringify({ accounts, orders, trades, klines });
  }
  const root = mkdtempSync(join(tmpdir(), 'isobar-kept-rows-'));
  afterAll(() => rmSync(root, { recursive: true }));

  it('an exchange that follows rows continues at the row where it was stopped, and comes to the same', async () => {
    const whole = await walked('whole', new Set());
    expect(whole).toMatch(/,true,true,/);
    expect(await walked('stopped', new Set([12, 20, 31]))).toBe(whole);
  });
});

describe('what has ended', () => {
  it('ended orders are found by every read, and are no longer in memory', () => {
    const fixture = new Fixture({ limits: { 'spot.newOrder': null, 'spot.myTrades': null, 'spot.queryOrder': null } });
    const ids: string[] = [];
    for (let number = 0; number < 700; number++) {
      ids.push(fixture.limit('alice', 'BUY', '0.01', '100', { newClientOrderId: `a${number % 600}` }));
      fixture.limit('bob', 'SELL', '0.01', '100');
    }
    expect(fixture.service.spot.orders.inMemory).toBeLessThan(1024);
    for (const number of [0, 1, 350, 699])
      expect(fixture.query(ids[number]!)).toMatchObject({ status: 'FILLED', clientOrderId: `a${number % 600}` });
    expect(fixture.service.spot.orders.byClientId(0, 'a50')?.id).toBe(ids[650]);
    expect(fixture.service.spot.orders.byClientId(0, 'a550')?.id).toBe(ids[550]);
    expect(fixture.service.spot.orders.byClientId(1, 'a550')).toBeNull();
    const trades = (query: string): readonly { id: number }[] =>
      JSON.parse(fixture.get(`/sapi/v1/myTrades?symbol=BTCUSDT&${query}`).body.replaceAll(/Id":(\d+)/g, 'Id":"$1"')) as { id: number }[];
    expect(trades('limit=1000').map(({ id }) => id)).toEqual(Array.from({ length: 700 }, (_, at) => 700 - at));
    expect(trades('limit=5&fromId=3').map(({ id }) => id)).toEqual([7, 6, 5, 4, 3]);
    expect(trades('limit=5').map(({ id }) => id)).toEqual([700, 699, 698, 697, 696]);
  });

  it('ended futures orders are in the lists too', () => {
    const setup = new FuturesFixture();
    const ids: string[] = [];
    for (let number = 0; number < 400; number++) {
      ids.push(setup.order('alice', number % 2 === 0 ? 'BUY' : 'SELL', 1, 1000));
      setup.order('bob', number % 2 === 0 ? 'SELL' : 'BUY', 1, 1000);
    }
    const history = setup.rows('/fapi/v1/orderHistorical', { contractName: 'E-BTC-USDT', limit: 1000 });
    expect(history.map((row) => row['orderId'])).toEqual(ids.toReversed());
    expect(setup.rows('/fapi/v1/profitHistorical', { contractName: 'E-BTC-USDT', limit: 1000 })).toHaveLength(200);
    expect(setup.info(ids[0]!)).toMatchObject({ status: 'FILLED', tradeFee: expect.anything() as unknown });
    expect(setup.rows('/fapi/v1/orderHistorical', { contractName: 'E-ETH-USDT', limit: 1000 })).toEqual([]);
  });
});

describe('orders that an account may have open', () => {
  it('orders that an account may have open are as many as the account says, not as all may', () => {
    const [alice, bob] = TRADERS;
    const fixture = new FuturesFixture({ accounts: [{ ...alice!, maxOpenOrders: 2 }, bob!] });
    for (const as of ['alice', 'bob']) for (const price of ['10', '11']) fixture.limit(as, 'BUY', '0.01', price);
    const third = (as: string) =>
      fixture.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: 0.01, price: 12 }, { as });
    expect(codeOf(third('alice'))).toBe(-1015);
    expect(codeOf(third('bob'))).toBe(0);
    expect([1, 2, 3].map((volume) => codeOf(fixture.create('alice', 'BUY', volume, 900)))).toEqual([0, 0, -1015]);
  });
});
