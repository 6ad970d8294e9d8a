// Tests the market of the paper exchange: replayed bars, reports of trades, and the seeded demo.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { synthesizeBars } from '../../src/adapters/catalog/generate/generate.ts';
import { assembleExchange } from '../../src/paperExchange/process/assemble.ts';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { ticksOf, type BarColumns } from '../../src/model/bars/bars.ts';
import { closeOf, openOf, type CommonInterval } from '../../src/model/interval.ts';
import { SERVICE_DEFAULTS } from '../../src/paperExchange/dialect/config.ts';
import { Klines } from '../../src/paperExchange/market/klines.ts';
import { PROFILES } from '../../src/paperExchange/dialect/profile.ts';
import type { Service } from '../../src/paperExchange/service.ts';
import { ACCOUNTS, START_MS } from './serviceFixture.ts';

/** Returns the JSON reply to a public call. */
const readPublic = (service: Service, target: string): unknown =>
  JSON.parse(
    service.handle(
      { method: 'GET', target, headers: { 'content-type': 'application/json' }, body: new Uint8Array(0), ip: '' },
      service.nowMs,
    ).body,
  );

/** Returns a service whose prices replay these bars. */
function serviceReplaying(bars: BarColumns, firstRow: number, speed: number): Service {
  const { instrument } = bars;
  const service = {
    ...SERVICE_DEFAULTS,
    instruments: [instrument],
    accounts: ACCOUNTS.map((account) => ({ ...account, balances: {} })),
    profile: PROFILES.seed,
  };
  return assembleExchange({ service, prices: new Map([[instrument.id, { kind: 'bars', bars, firstRow }]]), seed: 3, speed }, START_MS);
}

describe('replayed bars', () => {
  const bars = synthesizeBars({ symbol: 'SYNUSDT', interval: '1m', fromMs: START_MS, bars: 200, seed: 5 });
  const ticksPerUnit = 10 ** bars.instrument.priceDigits;
  const FIRST_ROW = 100;
  const MINUTE_MS = 60_000;

  it('the klines of replayed bars have the prices of these bars', () => {
    const service = serviceReplaying(bars, FIRST_ROW, 1);
    service.advance(START_MS + FIRST_ROW * MINUTE_MS - 1);
    const rows = (readPublic(service, '/sapi/v1/klines?symbol=SYNUSDT&interval=1min&limit=200') as Record<string, number>[]).toReversed();
    expect(rows).toHaveLength(200);
    rows.forEach((row, index) => {
      const column = (name: 'open' | 'high' | 'low' | 'close') => ticksOf(bars, name)[index]! / ticksPerUnit;
      expect(row, `row ${index}`).toMatchObject({ idx: START_MS + (index - FIRST_ROW) * MINUTE_MS, close: column('close') });
      // At the opening the makers of the exchange trade once at the first price; nothing else is added.
      expect([row['open'], row['high'], row['low']]).toEqual([column('open'), column('high'), column('low')]);
    });
  });

  it('at speed 60, one hundred replayed minutes take 100 s', () => {
    const service = serviceReplaying(bars, FIRST_ROW, 60);
    service.advance(START_MS + 100_000 - 1);
    expect(service.spot.markets[0]!.tape.latest(1)[0]!.price).toBe(ticksOf(bars, 'close')[199]);
  });
});

describe('klines and tickers', () => {
  it('klines of every interval equal a plain sum over the trades', () => {
    const trade = fc.record({
      gapMs: fc.integer({ min: 0, max: 400_000 }),
      price: fc.integer({ min: 1, max: 1000 }),
      lots: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(
        fc.array(trade, { minLength: 1, maxLength: 40 }),
        fc.constantFrom<CommonInterval>('1m', '5m', '30m', '1h', '1d'),
        (trades, interval) => {
          const klines = new Klines();
          /** Open, high, low, close and lots, by open time. */
          const expected = new Map<number, number[]>();
          let nowMs = START_MS;
          for (const { gapMs, price, lots } of trades) {
            nowMs += gapMs;
            klines.addTrade(nowMs, price, lots);
            const openMs = openOf(interval, nowMs);
            const [open = price, high = price, low = price, , sumLots = 0] = expected.get(openMs) ?? [];
            expected.set(openMs, [open, Math.max(high, price), Math.min(low, price), price, sumLots + lots]);
          }
          for (const bar of klines.bars(interval, nowMs)) {
            const expectedBar = expected.get(bar.openMs);
            if (expectedBar) expect([bar.open, bar.high, bar.low, bar.close, bar.lots]).toEqual(expectedBar);
            else expect([bar.lots, bar.high]).toEqual([0, bar.low]);
          }
        },
      ),
    );
  });

  it('after ten thousand years without a trade the bars of that time are flat, and only the newest ones are made', () => {
    const klines = new Klines();
    klines.addTrade(START_MS, 500, 7);
    const laterMs = START_MS + 10_000 * 365 * 86_400_000 + 30_000;
    klines.addTrade(laterMs, 300, 2);
    for (const interval of ['1m', '5m', '15m', '30m', '1h', '1d', '1w', '1M'] as const) {
      const bars = klines.bars(interval, laterMs);
      expect(bars.length, interval).toBeGreaterThanOrEqual(300);
      expect(bars.at(-1), interval).toEqual({ openMs: openOf(interval, laterMs), open: 300, high: 300, low: 300, close: 300, lots: 2 });
      bars.slice(0, -1).forEach((bar, index) => {
        expect(bar, interval).toEqual({ openMs: bar.openMs, open: 500, high: 500, low: 500, close: 500, lots: 0 });
        expect(closeOf(interval, bar.openMs), interval).toBe(bars[index + 1]!.openMs);
      });
    }
    expect(klines.rollingDay(laterMs)).toMatchObject({ open: 500, high: 500, low: 300, last: 300, lots: 2 });
  });

  it('the ticker covers one day, and trades of earlier times do not count', () => {
    const klines = new Klines();
    klines.addTrade(START_MS, 500, 7);
    klines.addTrade(START_MS + 3_600_000, 300, 2);
    const dayAt = (ms: number) => klines.rollingDay(START_MS + ms);
    expect(dayAt(86_400_000)).toMatchObject({ high: 500, low: 300, last: 300, lots: 9 });
    expect(dayAt(86_400_001)).toMatchObject({ high: 500, low: 300, lots: 2, last: 300 });
    expect(dayAt(90_000_001)).toMatchObject({ high: 300, low: 300, lots: 0 });
  });
});

describe('the demonstration', () => {
  it('the demo has the same market for the same seed, another for another seed, and a book with two sides', () => {
    const marketOf = (seed: number) => {
      const service = assembleExchange(demoSettings(seed), START_MS);
      service.advance(START_MS + 60_000);
      return [
        readPublic(service, '/sapi/v1/depth?symbol=BTCUSDT&limit=100'),
        readPublic(service, '/sapi/v1/trades?symbol=ETHUSDT&limit=50'),
      ];
    };
    expect(marketOf(1)).toEqual(marketOf(1));
    expect(marketOf(1)).not.toEqual(marketOf(2));
    const [{ bids, asks }] = marketOf(1) as [{ bids: number[][]; asks: number[][] }];
    expect([bids.length, asks.length]).toEqual([40, 40]);
    expect(bids[0]![0]).toBeLessThan(asks[0]![0]!);
  });

  it('the demo starts with history on every interval', () => {
    const service = assembleExchange(demoSettings(1), START_MS);
    for (const [interval, minRows] of Object.entries({ '1min': 300, '5min': 300, '30min': 300, '60min': 190, '1day': 8, '1month': 1 })) {
      expect(readPublic(service, `/sapi/v1/klines?symbol=ETHUSDT&interval=${interval}&limit=300`), interval).toHaveProperty(
        'length',
        expect.toSatisfy((length: number) => length >= minRows),
      );
    }
  });
});

/** Public calls whose replies have times. */
const PUBLIC_READS = [
  'depth?symbol=BTCUSDT',
  'trades?symbol=BTCUSDT',
  'ticker?symbol=BTCUSDT',
  'klines?symbol=BTCUSDT&interval=1min',
  'time',
];

test('every time in a reply is a whole number of ms, even if the clock of the exchange stands between two', () => {
  const service = assembleExchange(demoSettings(1), START_MS);
  for (let step = 1; step <= 40; step++) {
    service.advance(START_MS + step * 1000.3);
    for (const path of PUBLIC_READS) {
      for (const [name, time] of timesIn(readPublic(service, `/sapi/v1/${path}`)))
        expect(Number.isInteger(time), `${path}: ${name} ${time}`).toBe(true);
    }
  }
});

/** Returns the names and values of all numbers in a reply that are times in ms. */
function timesIn(reply: unknown): readonly (readonly [string, number])[] {
  if (typeof reply !== 'object' || reply === null) return [];
  return Object.entries(reply).flatMap(([name, value]) =>
    typeof value === 'number' && value > START_MS / 2 ? [[name, value] as const] : timesIn(value),
  );
}
