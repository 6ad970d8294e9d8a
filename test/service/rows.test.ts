// Markets of rows: the exchange fills orders as a replay of the same bars does, shows each closed bar, and stops at its acts.

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
import { BTC, Fixture, START_MS } from './serviceFixture.ts';

const MINUTE_MS = 60_000;
const { priceDigits, quantityDigits } = BTC;
const RULES = fillTerms({ ...settledFills(), slippageTicks: 1, slippagePpm: 200 });
const WITH_IMPACT = fillTerms({ ...settledFills(), slippageTicks: 1, slippagePpm: 200, impactPpm: 500_000 });

const barsOf = (seed: number, count = 60): BarColumns => ({
  ...synthesizeBars({ symbol: 'BTCUSDT', interval: '1m', fromMs: START_MS, bars: count, seed, gapShare: 0.1 }),
  instrument: BTC,
});

/** A request at the opening of a row: an order at a distance from its price, or the end of an earlier one. */
type Request =
  | { readonly kind: 'market'; readonly isBuy: boolean; readonly lots: number }
  | { readonly kind: 'limit'; readonly isBuy: boolean; readonly lots: number; readonly awayPpm: number }
  | { readonly kind: 'cancel'; readonly which: number };
const size = fc.integer({ min: 10, max: 900 });
const request: fc.Arbitrary<Request> = fc.oneof(
  fc.record({ kind: fc.constant('market' as const), isBuy: fc.boolean(), lots: size }),
  fc.record({ kind: fc.constant('limit' as const), isBuy: fc.boolean(), lots: size, awayPpm: fc.integer({ min: -800, max: 800 }) }),
  fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(20) }),
);

const priceText = (price: number): string => (price / 10 ** priceDigits).toFixed(priceDigits);
const limitAt = (bars: BarColumns, row: number, awayPpm: number): number =>
  Math.round(ticksOf(bars, 'open')[row]! * (1 + awayPpm / 1_000_000));
const amountOf = (bars: BarColumns, row: number, volume: number): number =>
  Math.ceil((bars.open[row]! * volume) / 10 ** quantityDigits) + 1;

interface Reported {
  readonly price: string;
  readonly quantity: string;
  readonly timeMs: number;
  readonly isMaker: boolean;
}

/** The same wishes at a venue that a plain walk over the rows drives. */
function walked(bars: BarColumns, wishes: readonly (readonly Request[])[], latencyMs: number): Reported[] {
  const reported: Reported[] = [];
  const orders: VenueOrder[] = [];
  const venue = new Venue(
    { instruments: [BTC], fees: { in: 'received', rounding: 'halfUp' }, ...WITH_IMPACT, maxOpenOrders: 1000 },
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
  let late: VenueOrder[] = [];
  for (let row = 0; row < bars.length; row++) {
    const [openMs, closeMs] = [bars.openMs[row]!, bars.closeMs[row]!];
    for (const each of wishes[row] ?? []) {
      if (each.kind === 'cancel') {
        const order = orders[each.which];
        if (order !== undefined && order.isOpen && order.status !== 'PENDING_CANCEL' && venue.requestCancel(order)) {
          if (latencyMs === 0) venue.finishCancel(order, openMs);
          else late.push(order);
        }
        continue;
      }
      const byAmount = each.kind === 'market' && each.isBuy;
      const intent: OrderIntent = {
        instrument: BTC,
        side: each.isBuy ? 'buy' : 'sell',
        role: each.kind,
        lots: lots(byAmount ? 0 : each.lots),
        quoteUnits: units(byAmount ? amountOf(bars, row, each.lots) * 1e8 : 0),
        limit: ticks(each.kind === 'limit' ? limitAt(bars, row, each.awayPpm) : 0),
        reduceOnly: false,
        timeInForce: null,
        slot: '',
      };
      const placed = venue.place(account, 0, intent, openMs + latencyMs);
      if (placed !== null) orders.push(placed);
    }
    const at = (name: 'open' | 'high' | 'low' | 'close'): number => ticksOf(bars, name)[row]!;
    const volumeLots = bars.volume[row]! * 10 ** quantityDigits;
    book.bar = { open: at('open'), high: at('high'), low: at('low'), close: at('close'), volumeLots };
    book.matchOpen(openMs, at('open'), 0);
    book.matchRange(openMs, closeMs, at('open'), at('high'), at('low'));
    for (const order of late) if (order.isOpen) venue.finishCancel(order, closeMs);
    late = [];
  }
  return reported;
}

/** The same wishes as requests to an exchange whose clock is stepped. */
function served(bars: BarColumns, wishes: readonly (readonly Request[])[], latencyMs: number, thinkMs: number): Reported[] {
  const fixture = new Fixture({
    fills: WITH_IMPACT,
    rowGraceMs: 240,
    instruments: [BTC],
    accounts: [ALICE],
    delays: { admissionMs: latencyMs, visibilityMs: 0, cancelMs: latencyMs },
  });
  fixture.service.followRows(new Map([[fixture.service.markets[0]!, { bars, firstRow: 0, marks: null, funding: [] }]]));
  const ids: string[] = [];
  for (let row = 0; row < bars.length; row++) {
    fixture.pass(bars.openMs[row]! + thinkMs - fixture.nowMs);
    for (const each of wishes[row] ?? []) {
      if (each.kind === 'cancel') {
        const orderId = ids[each.which];
        if (orderId !== undefined) fixture.post('/sapi/v1/cancel', { symbol: 'BTCUSDT', orderId });
        continue;
      }
      const side = each.isBuy ? 'BUY' : 'SELL';
      const volume =
        each.kind === 'market' && each.isBuy
          ? String(amountOf(bars, row, each.lots))
          : (each.lots / 10 ** quantityDigits).toFixed(quantityDigits);
      const price = each.kind === 'limit' ? { price: priceText(limitAt(bars, row, each.awayPpm)) } : {};
      const { body } = fixture.post('/sapi/v1/order', {
        symbol: 'BTCUSDT',
        side,
        type: each.kind === 'limit' ? 'LIMIT' : 'MARKET',
        volume,
        ...price,
      });
      const id = /"orderId":\[?"?(\d+)/.exec(body)?.[1];
      if (id !== undefined) ids.push(id);
    }
  }
  fixture.pass(bars.closeMs[bars.length - 1]! - fixture.nowMs);
  fixture.service.spot.venue.assertConserved();
  return tradesOf(fixture);
}

/** Own trades as a client reads them, oldest first. */
function tradesOf(fixture: Fixture): Reported[] {
  const rows = JSON.parse(fixture.get('/sapi/v1/myTrades?symbol=BTCUSDT&limit=1000').body) as Record<string, string | number | boolean>[];
  return rows.toReversed().map(({ price, qty, time, isMaker }) => ({
    price: Number(price).toFixed(priceDigits),
    quantity: Number(qty).toFixed(quantityDigits),
    timeMs: Number(time),
    isMaker: isMaker === true,
  }));
}

const ALICE = {
  name: 'alice',
  uid: '10001',
  balances: { USDT: '100000', BTC: '10' },
  keys: [{ apiKey: 'alice-Key', secret: 'alice-Secret', permissions: { read: true, trade: true, markets: ['spot'] as const }, ips: null }],
};

describe('an exchange of rows', () => {
  it('an exchange of rows fills random orders as a walk over the bars does: prices, quantities, times, makers', () => {
    let fills = 0;
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.array(fc.array(request, { maxLength: 3 }), { minLength: 30, maxLength: 60 }),
        fc.constantFrom(0, 250),
        fc.constantFrom(0, 240),
        (seed, wishes, latencyMs, thinkMs) => {
          const bars = barsOf(seed);
          const expected = walked(bars, wishes, latencyMs);
          expect(served(bars, wishes, latencyMs, thinkMs)).toEqual(expected);
          fills += expected.length;
        },
      ),
      { numRuns: 60 },
    );
    expect(fills).toBeGreaterThan(200);
  });

  const opened = (bars: BarColumns, firstRow: number): Fixture => {
    const fixture = new Fixture({ fills: RULES, instruments: [BTC], accounts: [ALICE] });
    fixture.service.followRows(new Map([[fixture.service.markets[0]!, { bars, firstRow, marks: null, funding: [] }]]));
    return fixture;
  };

  it('an exchange of rows shows a bar once it has closed, as it is, and none for what is missing', () => {
    const bars = barsOf(3, 50);
    const setup = opened(bars, 0);
    const rows = (): readonly Record<string, unknown>[] =>
      (JSON.parse(setup.open('/sapi/v1/klines?symbol=BTCUSDT&interval=1min&limit=300').body) as Record<string, unknown>[]).toReversed();
    setup.pass(bars.closeMs[9]! - setup.nowMs - 1);
    expect(rows()).toHaveLength(9);
    setup.pass(1);
    expect(rows()).toHaveLength(10);
    setup.pass(bars.closeMs[49]! - setup.nowMs);
    const expected = Array.from({ length: 50 }, (_, row) => ({
      idx: bars.openMs[row],
      open: bars.open[row],
      high: bars.high[row],
      low: bars.low[row],
      close: bars.close[row],
    }));
    expect(rows()).toMatchObject(expected);
  });

  it('an exchange of rows stops at the acts of a row: what is answered to its open takes part in the rest of it, a MARKET order at the price that is named', () => {
    const bars = barsOf(5, 4);
    const rig = opened(bars, 0);
    const rows = rig.service.rows!;
    rows.goByActs();
    rig.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', volume: '1000' });
    rig.pass(MINUTE_MS);
    const open = rows.next();
    expect(open).toMatchObject({ act: 'open' });
    expect(tradesOf(rig)).toMatchObject([{ timeMs: START_MS, isMaker: false }]);
    const { activeMarket } = rows;
    const low = ticksOf(bars, 'low')[0]!;
    expect(() => activeMarket!.holdPrice(low - 1)).toThrow('where the row has traded');
    activeMarket!.holdPrice(low);
    rig.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', volume: '0.01' });
    const slipped = low - 1 - Math.ceil((low * 200) / 1_000_000);
    expect(tradesOf(rig)[1]).toMatchObject({ timeMs: START_MS + MINUTE_MS, isMaker: false, price: priceText(slipped) });
    expect(rows.next()).toMatchObject({ act: 'inside' });
    expect(rows.next()).toEqual({ act: 'closed', timeMs: START_MS + MINUTE_MS });
    expect(rows.next()).toBeNull();
  });

  it('an exchange of rows gives the cancel of an order that came inside a row the same delay as any cancel: the next row may fill it', () => {
    const bars = barsOf(5, 4);
    const otherFixture = new Fixture({
      fills: RULES,
      rowGraceMs: 240,
      instruments: [BTC],
      accounts: [ALICE],
      delays: { admissionMs: 100, visibilityMs: 0, cancelMs: 100 },
    });
    otherFixture.service.followRows(new Map([[otherFixture.service.markets[0]!, { bars, firstRow: 0, marks: null, funding: [] }]]));
    const rows = otherFixture.service.rows!;
    rows.goByActs();
    otherFixture.pass(MINUTE_MS);
    expect(rows.next()).toMatchObject({ act: 'open' });
    const price = priceText(ticksOf(bars, 'high')[1]! - 1);
    const { body } = otherFixture.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'SELL', type: 'LIMIT', volume: '0.01', price });
    for (let act = rows.next(); act !== null; act = rows.next());
    expect(tradesOf(otherFixture)).toEqual([]);
    otherFixture.pass(10);
    otherFixture.post('/sapi/v1/cancel', { symbol: 'BTCUSDT', orderId: /"orderId":\[?"?(\d+)/.exec(body)![1]! });
    otherFixture.pass(MINUTE_MS);
    for (let act = rows.next(); act !== null; act = rows.next());
    expect(tradesOf(otherFixture)).toMatchObject([{ price, isMaker: true }]);
  });

  it('an exchange of rows reports when a trigger order came, and fires it in the first row at whose open it was there', () => {
    const stand = new FuturesFixture({ fills: RULES, rowGraceMs: 5000 });
    const whole = barsOf(5, 4);
    const tenths = (prices: Float64Array): Float64Array => prices.map((price) => Math.round(price * 10) / 10);
    const { open, high, low, close } = whole;
    const prices = { open: tenths(open), high: tenths(high), low: tenths(low), close: tenths(close) };
    const bars: BarColumns = { ...whole, ...prices, instrument: PERPETUAL };
    const market = stand.service.markets.find(({ instrument }) => instrument === PERPETUAL)!;
    stand.service.followRows(new Map([[market, { bars, firstRow: 0, marks: null, funding: [] }]]));
    stand.pass(3000);
    const price = (ticksOf(bars, 'high')[0]! / 10 ** PERPETUAL.priceDigits).toFixed(PERPETUAL.priceDigits);
    const entry = { open: 'OPEN', type: 'LIMIT', price, volume: 1 };
    expect(stand.trigger('alice', 'BUY', '3', price, entry).status).toBe(200);
    // This list has the time in whole seconds, eight hours ahead of UTC.
    expect(stand.triggers()).toMatchObject([{ ctime: '2026-01-05T08:00:03' }]);
    stand.pass(MINUTE_MS);
    expect(stand.service.futures.triggers.pending()).toEqual([]);
  });
});
