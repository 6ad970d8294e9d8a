// Simulates a kill in virtual time: the real driver and client, a real exchange behind a bad network, thin books and late arrivals.

import { createHmac } from 'node:crypto';
import { Decimal } from 'decimal.js';
import { RestClient } from '../../src/adapters/exchange/client/restClient.ts';
import { Limiter } from '../../src/adapters/exchange/limits/limiter.ts';
import { ServerClock } from '../../src/adapters/exchange/time/serverClock.ts';
import type { KillOrders } from '../../src/tasks/kill/cancel/killOrders.ts';
import { runKill, type KillReport } from '../../src/tasks/kill/kill.ts';
import type { JournalBooks } from '../../src/tasks/kill/evidence/journalBooks.ts';
import type { SliceJournal } from '../../src/tasks/kill/flatten/sliceJournal.ts';
import { KILL_SETTINGS } from '../../src/tasks/kill/plan/killVenue.ts';
import { seededRng, type Rng } from '../../src/base/number/rng.ts';
import type { OrderId } from '../../src/model/order.ts';
import type { Wire } from '../../src/ports/wire.ts';
import { clientOrderIdOf } from '../../src/protocol/clientOrderId.ts';
import { DEFAULT_DIALECT } from '../../src/protocol/dialect.ts';
import { FaultyService } from '../../src/paperExchange/faults/faultyService.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';
import { booksOf, slicesInMemory, type BookedOrder } from '../fixtures/killBooks.ts';
import { FuturesFixture, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';
import { BTC, START_MS } from '../service/serviceFixture.ts';

/** Prefix of the client order ids of the bot. */
const CLIENT_ID_PREFIX = '0123456789ABCDEF';
const SPOT_CALLS = ['queryOrder', 'openOrders', 'myTrades', 'account', 'newOrder', 'cancelOrder', 'batchCancel'];
const FUTURES_CALLS = [
  'createOrder',
  'createConditionOrder',
  'cancelOrder',
  'cancelTriggerOrder',
  'openOrders',
  'orderHistory',
  'profitHistory',
  'myTrades',
  'positions',
  'account',
  'orderInformation',
  'triggerOrderList',
];
/** No rate limits on the calls of a kill. */
const NO_LIMITS = Object.fromEntries([
  ...SPOT_CALLS.map((name) => [`spot.${name}`, null] as const),
  ...FUTURES_CALLS.map((name) => [`futures.${name}`, null] as const),
]);
/** Coins of the account that the bot has never bought. */
const FOREIGN_COINS = new Decimal(10);

/** Accounts that can pay for every order. */
const ACCOUNTS = TRADERS.map((trader) => ({
  ...trader,
  balances: { ...trader.balances, USDT: '20000000', ...(trader.name === 'bob' ? { BTC: '1000' } : {}) },
  futures: { balances: { USDT: '20000000' } },
}));
/** Largest number of events of one kill. More of them mean that it does not end. */
const MAX_STEPS = 200_000;

/** Draws the faults of the network and the exchange. A kind of fault occurs in 60 % of the worlds; `p` is its probability in each call. */
function faultsOf(rng: Rng): readonly unknown[] {
  const probabilityUpTo = (max: number) => (rng.next() < 0.6 ? rng.next() * max : 0);
  const unknownOutcome = (executed: number, code: number, op: string) => ({
    point: 'BUS.unknown',
    op,
    p: probabilityUpTo(0.1),
    params: { executed, code },
  });
  return [
    { point: 'NET.reqDrop', p: probabilityUpTo(0.15) },
    { point: 'NET.respDrop', p: probabilityUpTo(0.15) },
    { point: 'READ.lag', p: probabilityUpTo(0.5), params: { ms: Math.floor(rng.next() * 2800) } },
    { point: 'BUS.cancelDelay', p: probabilityUpTo(0.5), params: { ms: Math.floor(rng.next() * 4000) } },
    ...['spot.newOrder', 'futures.createOrder'].flatMap((op) => [
      unknownOutcome(1, 504, op),
      unknownOutcome(0, 504, op),
      unknownOutcome(1, -1006, op),
      { point: 'BUS.delay', op, p: probabilityUpTo(0.4), params: { ms: Math.floor(rng.next() * 20_000) } },
    ]),
    { point: 'GW.code', p: probabilityUpTo(0.05), params: { code: -1000 } },
  ];
}

/** The result of a request whose reply is lost: the outcome is unknown. */
const LOST = { kind: 'failed', cause: 'connection lost', bytesWritten: null } as const;

/** One kill of a bot on spot and futures, with faults drawn from the seed. */
export class KillWorld {
  readonly seed: number;
  /** The orders with which the kill closed, one sentence each. */
  readonly slices: string[] = [];
  /** One sentence for each violation: the kill sold more than the bot held, or reversed its position. */
  readonly violations: string[] = [];
  readonly #rng: Rng;
  readonly #fixture = new FuturesFixture({ accounts: ACCOUNTS, limits: NO_LIMITS });
  readonly #faulty: FaultyService;
  readonly #queue = new DueQueue();
  /** The orders that the journal of the bot would have. */
  readonly #journaled: BookedOrder[] = [];
  #orderCount = 0;
  /** Sign of the contract position at the start. The kill may bring the position to 0, never to the other sign. */
  #initialSign = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.#rng = seededRng(seed);
    this.#faulty = new FaultyService(this.#fixture.service);
    this.#queue.runDue(START_MS);
  }

  /** Opens positions and orders, plants the faults, and runs the kill to its end. */
  async run(): Promise<KillReport> {
    const holding = this.#openPositions();
    const openOrders = this.#openOrders(holding);
    this.#faulty.faults.setSchedule({ seed: this.seed, schedule: faultsOf(this.#rng) });
    this.#addMakersLater();
    const deps = {
      client: this.#client(),
      scheduler: this.#queue,
      serverTime: () => ({ ms: this.#queue.nowMs as never, uncertaintyMs: 5 }),
      instruments: [BTC, PERPETUAL],
      settings: KILL_SETTINGS,
      onPhase: () => {},
    };
    const killed = runKill(deps, openOrders, {
      includesForeign: false,
      books: () => {
        const books = booksOf([BTC, PERPETUAL], this.#journaled, Math.floor(this.#queue.nowMs));
        return Promise.resolve({ books, journal: this.#sliceJournal(books), isNet: true });
      },
    });
    const report = await this.#whileTimePasses(killed);
    this.#faulty.faults.setSchedule({ seed: 0, schedule: [] });
    this.#recordViolations('at the end');
    return report;
  }

  /** What the account still has after the kill: open spot orders, coins of the bot, contracts. */
  get remainder(): { readonly open: number; readonly spot: Decimal; readonly contracts: number } {
    const open = JSON.parse(this.#fixture.get('/sapi/v1/openOrders?symbol=BTCUSDT&limit=1000', { as: 'alice' }).body) as readonly unknown[];
    return { open: open.length, spot: this.#coins().minus(FOREIGN_COINS), contracts: Math.abs(this.#contracts()) };
  }

  /** Opens a spot position, and in most worlds one of contracts. Returns the coins bought. */
  #openPositions(): Decimal {
    for (let level = 0; level < 12; level++) this.#placeMakers(level);
    const qty = new Decimal((0.1 + this.#rng.next() * 2).toFixed(4));
    const cid = this.#newClientOrderId();
    const id = this.#fixture.placeLimit('alice', 'BUY', qty.toFixed(), '70000', { newClientOrderId: cid });
    this.#journaled.push({ cid, instrument: BTC, side: 'buy', qty: qty.toFixed(), price: '70000', orderId: id, signMs: START_MS });
    const ownCoins = this.#coins().minus(FOREIGN_COINS);
    if (this.#rng.next() < 0.8) {
      const side = this.#rng.next() < 0.5 ? 'BUY' : 'SELL';
      const futuresCid = this.#newClientOrderId();
      const lots = 1 + Math.floor(this.#rng.next() * 40);
      const price = side === 'BUY' ? 70_000 : 50_000;
      const orderId = this.#fixture.placeOrder('alice', side, lots, price, { clientOrderId: futuresCid });
      const terms = { side: side === 'BUY' ? 'buy' : 'sell', qty: String(lots), price: String(price) } as const;
      this.#journaled.push({ cid: futuresCid, instrument: PERPETUAL, ...terms, orderId, signMs: START_MS });
      this.#initialSign = Math.sign(this.#contracts());
    }
    return ownCoins;
  }

  /** Places orders that rest, and sometimes a sale with an unknown outcome. Returns the orders that the kill knows. */
  #openOrders(holding: Decimal): KillOrders {
    const addToJournal = (order: Omit<BookedOrder, 'signMs'>): void => void this.#journaled.push({ ...order, signMs: START_MS });
    const resting = { side: 'buy', reduceOnly: false } as const;
    for (let index = 0; index < Math.floor(this.#rng.next() * 8); index++) {
      const cid = this.#newClientOrderId();
      const price = String(40_000 + index);
      const orderId = this.#fixture.placeLimit('alice', 'BUY', '0.01', price, { newClientOrderId: cid });
      addToJournal({ ...resting, cid, instrument: BTC, qty: '0.01', price, orderId });
    }
    for (let index = 0; index < Math.floor(this.#rng.next() * 5); index++) {
      const cid = this.#newClientOrderId();
      const orderId = this.#fixture.placeOrder('alice', 'BUY', 1, 40_000 + index, { clientOrderId: cid });
      addToJournal({ ...resting, cid, instrument: PERPETUAL, qty: '1', price: String(40_000 + index), orderId });
    }
    if (this.#rng.next() < 0.5) {
      // A sale of the holding with an unknown outcome: it may still arrive and fill within the visibility delay.
      const price = this.#rng.next() < 0.5 ? '50000' : '75000';
      const qty = holding.times(this.#rng.next()).toDecimalPlaces(4, Decimal.ROUND_DOWN);
      const cid = this.#newClientOrderId();
      addToJournal({ cid, instrument: BTC, side: 'sell', qty: qty.toFixed(), price, orderId: null });
      const arrivesMs = START_MS + Math.floor(this.#rng.next() * KILL_SETTINGS.visibilityDelayMs);
      if (qty.greaterThan('0.001') && this.#rng.next() < 0.7) {
        this.#queue.at(arrivesMs, () => {
          this.#fixture.nowMs = this.#queue.nowMs;
          this.#fixture.placeLimit('alice', 'SELL', qty.toFixed(), price, { newClientOrderId: cid });
        });
      }
    }
    return booksOf([BTC, PERPETUAL], this.#journaled, START_MS).orders;
  }

  /** Places one price level of both books, on both markets. */
  #placeMakers(level: number): void {
    const size = (0.05 + this.#rng.next() * 0.4).toFixed(4);
    const contracts = 1 + Math.floor(this.#rng.next() * 12);
    const bid = 60_000 - level * 20;
    const ask = 60_100 + level * 20;
    this.#fixture.placeLimit('bob', 'BUY', size, String(bid));
    this.#fixture.placeLimit('bob', 'SELL', size, String(ask));
    this.#fixture.placeOrder('bob', 'BUY', contracts, bid);
    this.#fixture.placeOrder('bob', 'SELL', contracts, ask);
  }

  /** Has another trader place new orders every few seconds. */
  #addMakersLater(): void {
    this.#queue.at(this.#queue.nowMs + 2000 + Math.floor(this.#rng.next() * 4000), () => {
      this.#fixture.nowMs = this.#queue.nowMs;
      // The exchange refuses the order once the trader has no money left.
      this.#fixture.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: 0.3, price: 59_900 }, { as: 'bob' });
      for (const side of ['BUY', 'SELL'] as const) this.#fixture.sendOrder('bob', side, 15, side === 'BUY' ? 59_900 : 60_200);
      this.#addMakersLater();
    });
  }

  /** Returns the coins of the account, including those that the bot never bought. */
  #coins(): Decimal {
    const { free, locked } = this.#fixture.balance('alice', 'BTC');
    return new Decimal(free).plus(locked);
  }

  /** Returns the contracts of the account: positive when long. */
  #contracts(): number {
    const lotsOf = (row: Record<string, unknown>): number => {
      const isLong = row['positionSide'] === 'BUY' || row['side'] === 'BUY';
      return Number(row['positionVolume'] ?? row['volume'] ?? 0) * (isLong ? 1 : -1);
    };
    return this.#fixture.positions().reduce((sum, row) => sum + lotsOf(row), 0);
  }

  /** Returns a journal in memory, which adds each slice to `slices`. */
  #sliceJournal(books: JournalBooks): SliceJournal {
    const nextId = (): OrderId => ++this.#orderCount as OrderId;
    const deps = {
      nextId,
      clientOrderIdOf: (id: OrderId) => clientOrderIdOf(CLIENT_ID_PREFIX, id),
      nowMs: () => Math.floor(this.#queue.nowMs),
    };
    return slicesInMemory(books, deps, ({ side, qty, price }) => void this.slices.push(`${side} ${qty} at ${price}`));
  }

  #newClientOrderId(): string {
    return clientOrderIdOf(CLIENT_ID_PREFIX, ++this.#orderCount as OrderId);
  }

  /** Returns a client of the account that is killed. */
  #client(): RestClient {
    const origin = 'http://127.0.0.1:1';
    return new RestClient({
      wire: this.#wire,
      scheduler: this.#queue,
      limiter: new Limiter(this.#queue),
      clock: new ServerClock(this.#queue),
      baseUrls: { spot: origin, futures: origin },
      credentials: { apiKey: 'alice-Key', sign: (message) => createHmac('sha256', 'alice-Secret').update(message).digest('hex') },
      dialect: DEFAULT_DIALECT,
      random: () => this.#rng.next(),
    });
  }

  /** A network with delays of 1 to 400 ms, most of them short. */
  readonly #wire: Wire = ({ method, url, headers, body }, done) => {
    const afterDelay = (run: () => void): void => {
      // The fourth power of a draw makes most delays short.
      const delayMs = 1 + Math.floor(this.#rng.next() ** 4 * 400);
      this.#queue.at(this.#queue.nowMs + delayMs, run);
    };
    const target = url.slice(url.indexOf('/', 'http://'.length + 1));
    const lowerCased = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const receive = (): void =>
      this.#faulty.receive({ method, target, headers: lowerCased, body, ip: '127.0.0.1' }, this.#queue.nowMs, (response) => {
        this.#recordViolations(`after ${method} ${target.slice(0, 40)}`);
        afterDelay(() => done(response === null ? LOST : replyOf(response)));
      });
    afterDelay(receive);
    return () => {};
  };

  /** Records a violation if the kill sold more than the bot held, or reversed the position of contracts. */
  #recordViolations(when: string): void {
    this.#fixture.nowMs = this.#queue.nowMs;
    const ownCoins = this.#coins().minus(FOREIGN_COINS);
    if (ownCoins.lessThan(0)) this.violations.push(`${when}: ${ownCoins.toFixed()} BTC, sold more than the bot held`);
    const contracts = this.#contracts();
    if (this.#initialSign !== 0 && Math.sign(contracts) === -this.#initialSign)
      this.violations.push(`${when}: ${contracts} contracts, the position was reversed`);
    if (this.#initialSign === 0 && contracts !== 0) this.violations.push(`${when}: ${contracts} contracts, and there was no position`);
  }

  /** Lets time pass, event by event, until the kill ends. */
  async #whileTimePasses(killed: Promise<KillReport>): Promise<KillReport> {
    let report: KillReport | null = null;
    let failed: unknown = null;
    killed.then(
      (killReport) => (report = killReport),
      (error: unknown) => (failed = error),
    );
    for (let step = 0; step < MAX_STEPS; step++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (failed !== null) throw failed;
      if (report !== null) return report;
      const { nextMs } = this.#queue;
      this.#queue.runDue(nextMs);
      this.#fixture.nowMs = this.#queue.nowMs;
      this.#faulty.service.advance(this.#queue.nowMs);
    }
    throw new Error(`seed ${this.seed}: the kill does not end; slices: ${this.slices.join('; ')}`);
  }
}

/** Returns a response of the exchange as the wire reports it. */
function replyOf({ status, body }: { readonly status: number; readonly body: string }) {
  return { kind: 'reply', status, headers: {}, body: new TextEncoder().encode(body) } as const;
}
