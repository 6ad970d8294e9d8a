// Tests that a kill closes nothing a second time while lists of own trades lag behind orders that have filled. Judged by the exchange's own sums.

import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { booksOf, slicesInMemory, type BookedOrder } from '../../../../test/fixtures/killBooks.ts';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import { lots } from '../../../base/brand.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { KillEvidenceReader } from '../evidence/evidenceReader.ts';
import { KILL_SETTINGS, KillVenue } from '../plan/killVenue.ts';
import { flatten, type Closer } from './flatten.ts';
import { FuturesCloser } from './futuresCloser.ts';
import { SpotCloser } from './spotCloser.ts';

const BTC = spotInstrument('BTC', { quantityDigits: 4, baseDigits: 8, minLots: lots(10) });
const START_MS = 1_000_000;
const ZERO = new Decimal(0);

/** An order of the exchange, filled at once. */
interface FilledOrder {
  readonly side: Side;
  readonly qty: string;
  readonly timeMs: number;
}

/** An exchange that fills every order at once, and lists no trade that is younger than `lagMs`, nor any from `hidesFromMs` on. */
interface LaggingExchange {
  readonly instrument: Instrument;
  readonly bought: string;
  /** Sold by an order of the bot that is still shown as open, partly filled. */
  readonly soldBefore?: string;
  readonly lagMs: number;
  /** The list has been whole once when the lag begins, as another replica gives it. */
  readonly hidesFromMs?: number;
}

/** Runs the flattening of one position to its end. */
async function flattenIn({ instrument, bought, soldBefore, lagMs, hidesFromMs = Infinity }: LaggingExchange) {
  const scheduler = new DueQueue();
  scheduler.runDue(START_MS);
  const orders = new Map<string, FilledOrder>([['1', { side: 'buy', qty: bought, timeMs: START_MS - 900_000 }]]);
  if (soldBefore !== undefined) orders.set('2', { side: 'sell', qty: soldBefore, timeMs: START_MS });
  const accountQty = (): Decimal =>
    [...orders.values()].reduce((total, { side, qty }) => (side === 'buy' ? total.plus(qty) : total.minus(qty)), ZERO);
  const shownTrades = () =>
    [...orders].flatMap(([orderId, { side, qty, timeMs }]) => {
      if (timeMs > scheduler.nowMs - lagMs || timeMs >= hidesFromMs) return [];
      const sides = { bidId: side === 'buy' ? orderId : null, askId: side === 'sell' ? orderId : null, isBuyer: side === 'buy' };
      const trade = { tradeId: `9${orderId}`, price: '100', timeMs, isMaker: false, fee: '0', feeCoin: 'USDT' };
      return [{ ...sides, ...trade, symbol: instrument.wireName, contractName: instrument.wireName, quantity: qty, qty, side, orderId }];
    });
  const rowOf = (orderId: string, status = 'FILLED') => {
    const { side, qty, timeMs } = orders.get(orderId)!;
    const type = { word: 'LIMIT', raw: 'LIMIT' };
    const sizes = { price: '100', origQty: qty, executedQty: qty };
    const action = side === 'buy' ? 'OPEN' : 'CLOSE';
    return { orderId, clientOrderId: null, side, action, ...sizes, type, timeMs, status: { word: status, raw: status } };
  };
  const list = (rows: readonly object[]) => ({ rows, refused: [] });
  const open = () => list(soldBefore === undefined ? [] : [rowOf('2', 'PARTIALLY_FILLED')]);
  const create = ({ volume, side }: Record<string, string>) => {
    if (orders.size > 20) throw new Error('the kill sells without end');
    const orderId = String(orders.size + 1);
    orders.set(orderId, { side: side === 'SELL' ? 'sell' : 'buy', qty: volume!, timeMs: scheduler.nowMs });
    return { orderId, clientOrderId: null };
  };
  const book = () => ({ bids: [{ price: '100.00', quantity: '4' }], asks: [] });
  const answers: Readonly<Record<string, (args: Record<string, string>) => unknown>> = {
    'spot.openOrders': open,
    'futures.openOrders': open,
    'futures.orderHistory': () => list([]),
    'spot.myTrades': () => list(shownTrades()),
    'futures.myTrades': () => list(shownTrades()),
    'spot.queryOrder': ({ orderId }) => rowOf(orderId!),
    'futures.orderInformation': ({ orderId }) => rowOf(orderId!),
    // The account has as much again that is not the bot's.
    'spot.account': () => list([{ asset: 'BTC', free: '100', locked: '0' }]),
    'futures.positions': () => list([{ positionSide: 'buy', positionVolume: '1000', canCloseVolume: '1000', positionType: 1 }]),
    'spot.depth': book,
    'futures.depth': book,
    'spot.newOrder': create,
    'futures.createOrder': create,
  };
  const client = {
    call: (op: string, args: never, done: (outcome: unknown) => void) => {
      queueMicrotask(() => done({ kind: 'acked', value: answers[op]!(args) }));
      return { cancel: () => {} };
    },
  };
  const serverTime = () => ({ ms: scheduler.nowMs, uncertaintyMs: 0 });
  const venue = new KillVenue({
    client,
    scheduler,
    settings: KILL_SETTINGS,
    instruments: [instrument],
    serverTime,
    onPhase: () => {},
  } as never);
  const known: BookedOrder = {
    cid: 'BOUGHT',
    instrument,
    side: 'buy',
    qty: bought,
    price: '100',
    orderId: '1',
    signMs: START_MS - 900_000,
  };
  const sold: readonly BookedOrder[] =
    soldBefore === undefined
      ? []
      : [{ ...known, cid: 'SOLD', side: 'sell', qty: soldBefore, orderId: '2', signMs: START_MS - 1000, reduceOnly: true }];
  const books = booksOf([instrument], [known, ...sold], START_MS);
  let nextId = 100;
  const journal = slicesInMemory(
    books,
    { nextId: () => ++nextId as never, clientOrderIdOf: (id) => `SLICE${id}`, nowMs: () => scheduler.nowMs },
    () => {},
  );
  const evidenceReader = new KillEvidenceReader(venue, books);
  const deps = { instrument, strategy: 0, evidenceReader, journal };
  const closer: Closer =
    instrument.market === 'spot'
      ? new SpotCloser(deps)
      : new FuturesCloser({ ...deps, positionSide: 'buy', isNet: true, cancelTriggers: () => Promise.resolve([]) });
  const flattening = flatten(venue, [{ instrument, strategy: 0, closer }]);
  const progress = { hasEnded: false };
  void flattening.catch(() => {}).finally(() => (progress.hasEnded = true));
  for (let turn = 0; turn < 6000 && !progress.hasEnded; turn++) {
    scheduler.runDue(scheduler.nowMs + 250);
    for (let step = 0; step < 20; step++) await Promise.resolve();
  }
  if (!progress.hasEnded) throw new Error('the kill does not end');
  const result = await flattening;
  return {
    left: accountQty().toFixed(),
    residuals: result.residuals,
    gaveUp: [...result.unprovenInstruments],
    tookMs: scheduler.nowMs - START_MS,
  };
}

const MINUTE_MS = 60_000;

it.each([
  { instrument: BTC, lagMs: 3 * MINUTE_MS },
  { instrument: BTC, lagMs: 4000 },
  { instrument: PERPETUAL, lagMs: 3 * MINUTE_MS },
])(
  '$instrument.id: a list of trades that lags by $lagMs ms sells nothing twice, and the kill waits for it',
  async ({ instrument, lagMs }) => {
    expect(await flattenIn({ instrument, bought: '3', lagMs })).toMatchObject({ left: '0', residuals: [] });
  },
);

it.each([BTC, PERPETUAL])('$id: the kill gives up on a list that never shows a slice, and names what is left', async (instrument) => {
  const { left, residuals, gaveUp, tookMs } = await flattenIn({ instrument, bought: '3', lagMs: 0, hidesFromMs: START_MS + 1 });
  // The first slice leaves at once and is listed by no replica. A quarter of what the book shows is one.
  expect([left, gaveUp]).toEqual(['2', [instrument.id]]);
  expect(residuals).toEqual([
    expect.stringMatching(/given up after 600 s: .*shows 0 of the 1 that order 2 has filled; by that 2 (?:BTC|contracts) left$/),
  ]);
  expect(tookMs).toBeGreaterThanOrEqual(KILL_SETTINGS.giveUpMs);
});

it('what an order of the bot has filled by a list of orders is not sold again when the list of trades lacks it', async () => {
  expect(await flattenIn({ instrument: BTC, bought: '3', soldBefore: '2', lagMs: 2 * MINUTE_MS })).toMatchObject({
    left: '0',
    residuals: [],
  });
});
