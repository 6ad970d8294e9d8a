// Tests an exchange of rows: it fills orders as a replay of the same bars does, shows each closed bar, and stops at each act.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { synthesizeBars } from '../../src/adapters/catalog/generate/generate.ts';
import { lots, ticks, units } from '../../src/base/brand.ts';
import { ticksOf, type BarColumns } from '../../src/model/bars/bars.ts';
import type { Fill } from '../../src/model/fill.ts';
import type { OrderIntent } from '../../src/model/order.ts';
import { settledFills } from '../../src/definition/text/fills.ts';
import { Venue } from '../../src/venue/venue.ts';
import { fillTerms } from '../../src/venue/venueConfig.ts';
import type { VenueOrder } from '../../src/venue/venueOrder.ts';
import { FuturesFixture, PERPETUAL } from './futuresFixture.ts';
import { BTC, ServiceFixture, START_MS } from './serviceFixture.ts';

const MINUTE_MS = 60_000;
const { priceDigits, quantityDigits } = BTC;
/** Fills with slippage, and with an impact of large orders too. */
const FILL_TERMS = fillTerms({ ...settledFills(), slippageTicks: 1, slippagePpm: 200 });
const FILL_TERMS_WITH_IMPACT = fillTerms({ ...settledFills(), slippageTicks: 1, slippagePpm: 200, impactPpm: 500_000 });

/** Returns synthetic minute bars, a tenth of them missing. */
const barsOf = (seed: number, count = 60): BarColumns => ({
  ...synthesizeBars({ symbol: 'BTCUSDT', interval: '1m', fromMs: START_MS, bars: count, seed, gapShare: 0.1 }),
  instrument: BTC,
});

/** A request at the open of a row: an order at a distance from its price, or the cancel of an earlier one. */
type RowRequest =
  | { readonly kind: 'market'; readonly isBuy: boolean; readonly lots: number }
  | { readonly kind: 'limit'; readonly isBuy: boolean; readonly lots: number; readonly awayPpm: number }
  | { readonly kind: 'cancel'; readonly orderIndex: number };
const lotsArbitrary = fc.integer({ min: 10, max: 900 });
const requestArbitrary: fc.Arbitrary<RowRequest> = fc.oneof(
  fc.record({ kind: fc.constant('market' as const), isBuy: fc.boolean(), lots: lotsArbitrary }),
  fc.record({
    kind: fc.constant('limit' as const),
    isBuy: fc.boolean(),
    lots: lotsArbitrary,
    awayPpm: fc.integer({ min: -800, max: 800 }),
  }),
  fc.record({ kind: fc.constant('cancel' as const), orderIndex: fc.nat(20) }),
);

/** Returns a price in ticks as a client reads it. */
const priceText = (priceTicks: number): string => (priceTicks / 10 ** priceDigits).toFixed(priceDigits);
/** Returns a limit in ticks at a distance from the open of a row. */
const limitAt = (bars: BarColumns, row: number, awayPpm: number): number =>
  Math.round(ticksOf(bars, 'open')[row]! * (1 + awayPpm / 1_000_000));
/** Returns the amount in USDT that buys this volume at the open of a row. */
const amountOf = (bars: BarColumns, row: number, volume: number): number =>
  Math.ceil((bars.open[row]! * volume) / 10 ** quantityDigits) + 1;

/** A fill as a client reads it. */
interface ReportedFill {
  readonly price: string;
  readonly quantity: string;
  readonly timeMs: number;
  readonly isMaker: boolean;
}

/** Returns the fills of the requests at a venue that a plain loop over the rows drives. */
function fillsOfPlainWalk(bars: BarColumns, requestsByRow: readonly (readonly RowRequest[])[], latencyMs: number): ReportedFill[] {
  const reported: ReportedFill[] = [];
  const orders: VenueOrder[] = [];
  const venue = new Venue(
    { instruments: [BTC], fees: { in: 'received', rounding: 'halfUp' }, ...FILL_TERMS_WITH_IMPACT, maxOpenOrders: 1000 },
    {
      filled: (_order, { price, lots: volume, timeMs, isMaker }: Fill) =>
        void reported.push({ price: priceText(price), quantity: (volume / 10 ** quantityDigits).toFixed(quantityDigits), timeMs, isMaker }),
      ended: () => {},
    },
  );
  const account = venue.openAccount('alice');
  venue.deposit(account, 'USDT', 100_000 * 1e8);
  venue.deposit(account, 'BTC', 10 * 1e8);
  const book = venue.book(BTC);
  /** Orders whose cancel takes effect at the close of the row. */
  let lateCancels: VenueOrder[] = [];
  for (let row = 0; row < bars.length; row++) {
    const openMs = bars.openMs[row]!;
    const closeMs = bars.closeMs[row]!;
    for (const request of requestsByRow[row] ?? []) {
      if (request.kind === 'cancel') {
        const order = orders[request.orderIndex];
        const canCancel = order !== undefined && order.isOpen && order.status !== 'PENDING_CANCEL';
        if (!canCancel || !venue.requestCancel(order)) continue;
        if (latencyMs === 0) venue.finishCancel(order, openMs);
        else lateCancels.push(order);
        continue;
      }
      const isByAmount = request.kind === 'market' && request.isBuy;
      const intent: OrderIntent = {
        instrument: BTC,
        side: request.isBuy ? 'buy' : 'sell',
        role: request.kind,
        lots: lots(isByAmount ? 0 : request.lots),
        quoteUnits: units(isByAmount ? amountOf(bars, row, request.lots) * 1e8 : 0),
        limit: ticks(request.kind === 'limit' ? limitAt(bars, row, request.awayPpm) : 0),
        reduceOnly: false,
        timeInForce: null,
        slot: '',
      };
      const placed = venue.place(account, 0, intent, openMs + latencyMs);
      if (placed !== null) orders.push(placed);
    }
    const ticksAt = (name: 'open' | 'high' | 'low' | 'close'): number => ticksOf(bars, name)[row]!;
    const volumeLots = bars.volume[row]! * 10 ** quantityDigits;
    book.bar = { open: ticksAt('open'), high: ticksAt('high'), low: ticksAt('low'), close: ticksAt('close'), volumeLots };
    book.matchOpen(openMs, ticksAt('open'), 0);
    book.matchRange(openMs, closeMs, ticksAt('open'), ticksAt('high'), ticksAt('low'));
    for (const order of lateCancels) if (order.isOpen) venue.finishCancel(order, closeMs);
    lateCancels = [];
  }
  return reported;
}

/** The only account. */
const ALICE = {
  name: 'alice',
  uid: '10001',
  balances: { USDT: '100000', BTC: '10' },
  keys: [{ apiKey: 'alice-Key', secret: 'alice-Secret', permissions: { read: true, trade: true, markets: ['spot'] as const }, ips: null }],
};

/** Returns the fills of the same requests at an exchange whose clock is stepped. A request is sent `thinkMs` after the open of its row. */
function fillsOfExchange(
  bars: BarColumns,
  requestsByRow: readonly (readonly RowRequest[])[],
  latencyMs: number,
  thinkMs: number,
): ReportedFill[] {
  const fixture = new ServiceFixture({
    fills: FILL_TERMS_WITH_IMPACT,
    rowGraceMs: 240,
    instruments: [BTC],
    accounts: [ALICE],
    delays: { admissionMs: latencyMs, visibilityMs: 0, cancelMs: latencyMs },
  });
  fixture.service.followRows(new Map([[fixture.service.markets[0]!, { bars, firstRow: 0, marks: null, funding: [] }]]));
  const ids: string[] = [];
  for (let row = 0; row < bars.length; row++) {
    fixture.passTime(bars.openMs[row]! + thinkMs - fixture.nowMs);
    for (const request of requestsByRow[row] ?? []) {
      if (request.kind === 'cancel') {
        const orderId = ids[request.orderIndex];
        if (orderId !== undefined) fixture.post('/sapi/v1/cancel', { symbol: 'BTCUSDT', orderId });
        continue;
      }
      const side = request.isBuy ? 'BUY' : 'SELL';
      const isByAmount = request.kind === 'market' && request.isBuy;
      const volume = isByAmount ? String(amountOf(bars, row, request.lots)) : (request.lots / 10 ** quantityDigits).toFixed(quantityDigits);
      const price = request.kind === 'limit' ? { price: priceText(limitAt(bars, row, request.awayPpm)) } : {};
      const { body } = fixture.post('/sapi/v1/order', {
        symbol: 'BTCUSDT',
        side,
        type: request.kind === 'limit' ? 'LIMIT' : 'MARKET',
        volume,
        ...price,
      });
      const id = /"orderId":\[?"?(\d+)/.exec(body)?.[1];
      if (id !== undefined) ids.push(id);
    }
  }
  fixture.passTime(bars.closeMs[bars.length - 1]! - fixture.nowMs);
  fixture.service.spot.venue.assertConserved();
  return tradesOf(fixture);
}

/** Returns the account's trades as a client reads them, oldest first. */
function tradesOf(fixture: ServiceFixture): ReportedFill[] {
  const rows = JSON.parse(fixture.get('/sapi/v1/myTrades?symbol=BTCUSDT&limit=1000').body) as Record<string, string | number | boolean>[];
  return rows.toReversed().map(({ price, qty, time, isMaker }) => ({
    price: Number(price).toFixed(priceDigits),
    quantity: Number(qty).toFixed(quantityDigits),
    timeMs: Number(time),
    isMaker: isMaker === true,
  }));
}

describe('an exchange of rows', () => {
  it('an exchange of rows fills random orders like a plain loop over the bars', () => {
    let fillCount = 0;
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.array(fc.array(requestArbitrary, { maxLength: 3 }), { minLength: 30, maxLength: 60 }),
        fc.constantFrom(0, 250),
        fc.constantFrom(0, 240),
        (seed, requestsByRow, latencyMs, thinkMs) => {
          const bars = barsOf(seed);
          const expected = fillsOfPlainWalk(bars, requestsByRow, latencyMs);
          expect(fillsOfExchange(bars, requestsByRow, latencyMs, thinkMs)).toEqual(expected);
          fillCount += expected.length;
        },
      ),
      { numRuns: 60 },
    );
    expect(fillCount).toBeGreaterThan(200);
  });

  /** Returns an exchange that follows these bars from a row on. */
  const exchangeOfRows = (bars: BarColumns, firstRow: number): ServiceFixture => {
    const fixture = new ServiceFixture({ fills: FILL_TERMS, instruments: [BTC], accounts: [ALICE] });
    fixture.service.followRows(new Map([[fixture.service.markets[0]!, { bars, firstRow, marks: null, funding: [] }]]));
    return fixture;
  };

  it('an exchange of rows shows each bar unchanged once it has closed, and none for a gap', () => {
    const bars = barsOf(3, 50);
    const fixture = exchangeOfRows(bars, 0);
    /** Returns the bars that a client reads, oldest first. */
    const shownBars = (): readonly Record<string, unknown>[] =>
      (
        JSON.parse(fixture.getPublic('/sapi/v1/klines?symbol=BTCUSDT&interval=1min&limit=300').body) as Record<string, unknown>[]
      ).toReversed();
    fixture.passTime(bars.closeMs[9]! - fixture.nowMs - 1);
    expect(shownBars()).toHaveLength(9);
    fixture.passTime(1);
    expect(shownBars()).toHaveLength(10);
    fixture.passTime(bars.closeMs[49]! - fixture.nowMs);
    const expected = Array.from({ length: 50 }, (_, row) => ({
      idx: bars.openMs[row],
      open: bars.open[row],
      high: bars.high[row],
      low: bars.low[row],
      close: bars.close[row],
    }));
    expect(shownBars()).toMatchObject(expected);
  });

  it('an exchange of rows stops at each act of a row, and an order placed after the open fills in the rest of it', () => {
    const bars = barsOf(5, 4);
    const fixture = exchangeOfRows(bars, 0);
    const rows = fixture.service.barMatching!;
    rows.matchByActs();
    fixture.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', volume: '1000' });
    fixture.passTime(MINUTE_MS);
    expect(rows.next()).toMatchObject({ act: 'open' });
    expect(tradesOf(fixture)).toMatchObject([{ timeMs: START_MS, isMaker: false }]);
    const { activeMarket } = rows;
    const low = ticksOf(bars, 'low')[0]!;
    expect(() => activeMarket!.holdPrice(low - 1)).toThrow('where the row has traded');
    activeMarket!.holdPrice(low);
    fixture.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', volume: '0.01' });
    const slippedTicks = low - 1 - Math.ceil((low * 200) / 1_000_000);
    expect(tradesOf(fixture)[1]).toMatchObject({ timeMs: START_MS + MINUTE_MS, isMaker: false, price: priceText(slippedTicks) });
    expect(rows.next()).toMatchObject({ act: 'inside' });
    expect(rows.next()).toEqual({ act: 'closed', timeMs: START_MS + MINUTE_MS });
    expect(rows.next()).toBeNull();
  });

  it('an order that arrived inside a row may fill in the next row until its cancel takes effect', () => {
    const bars = barsOf(5, 4);
    const fixture = new ServiceFixture({
      fills: FILL_TERMS,
      rowGraceMs: 240,
      instruments: [BTC],
      accounts: [ALICE],
      delays: { admissionMs: 100, visibilityMs: 0, cancelMs: 100 },
    });
    fixture.service.followRows(new Map([[fixture.service.markets[0]!, { bars, firstRow: 0, marks: null, funding: [] }]]));
    const rows = fixture.service.barMatching!;
    rows.matchByActs();
    fixture.passTime(MINUTE_MS);
    expect(rows.next()).toMatchObject({ act: 'open' });
    const price = priceText(ticksOf(bars, 'high')[1]! - 1);
    const { body } = fixture.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'SELL', type: 'LIMIT', volume: '0.01', price });
    for (let act = rows.next(); act !== null; act = rows.next());
    expect(tradesOf(fixture)).toEqual([]);
    fixture.passTime(10);
    fixture.post('/sapi/v1/cancel', { symbol: 'BTCUSDT', orderId: /"orderId":\[?"?(\d+)/.exec(body)![1]! });
    fixture.passTime(MINUTE_MS);
    for (let act = rows.next(); act !== null; act = rows.next());
    expect(tradesOf(fixture)).toMatchObject([{ price, isMaker: true }]);
  });

  it('an exchange of rows fires a trigger order in the first row that opens after its arrival', () => {
    const fixture = new FuturesFixture({ fills: FILL_TERMS, rowGraceMs: 5000 });
    // A contract has prices in tenths.
    const unrounded = barsOf(5, 4);
    const toTenths = (prices: Float64Array): Float64Array => prices.map((price) => Math.round(price * 10) / 10);
    const { open, high, low, close } = unrounded;
    const prices = { open: toTenths(open), high: toTenths(high), low: toTenths(low), close: toTenths(close) };
    const bars: BarColumns = { ...unrounded, ...prices, instrument: PERPETUAL };
    const market = fixture.service.markets.find(({ instrument }) => instrument === PERPETUAL)!;
    fixture.service.followRows(new Map([[market, { bars, firstRow: 0, marks: null, funding: [] }]]));
    fixture.passTime(3000);
    const price = (ticksOf(bars, 'high')[0]! / 10 ** PERPETUAL.priceDigits).toFixed(PERPETUAL.priceDigits);
    const entry = { open: 'OPEN', type: 'LIMIT', price, volume: 1 };
    expect(fixture.sendTriggerOrder('alice', 'BUY', '3', price, entry).status).toBe(200);
    // This list has the time in whole seconds, eight hours ahead of UTC.
    expect(fixture.triggerOrders()).toMatchObject([{ ctime: '2026-01-05T08:00:03' }]);
    fixture.passTime(MINUTE_MS);
    expect(fixture.service.futures.triggers.pending()).toEqual([]);
  });
});
