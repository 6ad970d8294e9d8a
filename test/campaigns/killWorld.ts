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
import { KILL_SETTINGS } from '../../src/tasks/kill/plan/venue.ts';
import { seededRng, type Rng } from '../../src/base/number/rng.ts';
import type { OrderId } from '../../src/model/order.ts';
import type { Wire } from '../../src/ports/wire.ts';
import { clientOrderIdOf } from '../../src/protocol/clientOrderId.ts';
import { DEFAULT_DIALECT } from '../../src/protocol/dialect.ts';
import { FaultyService } from '../../src/paperExchange/faults/faultyService.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';
import { booksOf, rememberedSlices, type BookedOrder } from '../fixtures/killBooks.ts';
import { FuturesFixture, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';
import { BTC, START_MS } from '../service/serviceFixture.ts';

const PREFIX = '0123456789ABCDEF';
const SPOT_READS = ['queryOrder', 'openOrders', 'myTrades', 'account', 'newOrder', 'cancelOrder', 'batchCancel'].map((name) => [
  `spot.${name}`,
  null,
]);
/** Coins of the account that the bot has never bought. */
const FOREIGN = new Decimal(10);
/** Every account can pay for every order. */
const RICH = TRADERS.map((trader) => ({
  ...trader,
  balances: { ...trader.balances, USDT: '20000000', ...(trader.name === 'bob' ? { BTC: '1000' } : {}) },
  futures: { balances: { USDT: '20000000' } },
}));
const MAX_STEPS = 200_000;

/** What the network and the exchange do wrong; each kind in some worlds and not in others. */
function faultsOf(rng: Rng): readonly unknown[] {
  const some = (p: number) => (rng.next() < 0.6 ? rng.next() * p : 0);
  const unknown = (executed: number, code: number, op: string) => ({ point: 'BUS.unknown', op, p: some(0.1), params: { executed, code } });
  return [
    { point: 'NET.reqDrop', p: some(0.15) },
    { point: 'NET.respDrop', p: some(0.15) },
    { point: 'READ.lag', p: some(0.5), params: { ms: Math.floor(rng.next() * 2800) } },
    { point: 'BUS.cancelDelay', p: some(0.5), params: { ms: Math.floor(rng.next() * 4000) } },
    ...['spot.newOrder', 'futures.createOrder'].flatMap((op) => [
      unknown(1, 504, op),
      unknown(0, 504, op),
      unknown(1, -1006, op),
      { point: 'BUS.delay', op, p: some(0.4), params: { ms: Math.floor(rng.next() * 20_000) } },
    ]),
    { point: 'GW.code', p: some(0.05), params: { code: -1000 } },
  ];
}

export class KillWorld {
  readonly seed: number;
  readonly slices: string[] = [];
  /** Sentences of what must never be. */
  readonly wrongs: string[] = [];
  readonly #rng: Rng;
  readonly #fixture = new FuturesFixture({ accounts: RICH, limits: { ...NO_FUTURES_LIMITS, ...Object.fromEntries(SPOT_READS) } });
  readonly #faulty: FaultyService;
  readonly #queue = new DueQueue();
  /** What the journal of the bot would have. */
  readonly #own: BookedOrder[] = [];
  #orders = 0;
  /** Sign of the position of contracts as it began: it may come to 0, never to the other side. */
  #sign = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.#rng = seededRng(seed);
    this.#faulty = new FaultyService(this.#fixture.service);
    this.#queue.runDue(START_MS);
  }

  /** Positions are opened, orders rest, some arrive late; then the faults begin, and the kill. */
  async run(): Promise<KillReport> {
    const held = this.#openPositions();
    const known = this.#openOrders(held);
    this.#faulty.faults.set({ seed: this.seed, schedule: faultsOf(this.#rng) });
    this.#marketGoesOn();
    const parts = {
      client: this.#client(),
      scheduler: this.#queue,
      serverTime: () => ({ ms: this.#queue.nowMs as never, uncertaintyMs: 5 }),
      instruments: [BTC, PERPETUAL],
      settings: KILL_SETTINGS,
      onPhase: () => {},
    };
    const killed = runKill(parts, known, {
      all: false,
      books: () => {
        const books = booksOf([BTC, PERPETUAL], this.#own, Math.floor(this.#queue.nowMs));
        return Promise.resolve({ books, journal: this.#journal(books), isNet: true });
      },
    });
    const report = await this.#through(killed);
    this.#faulty.faults.set({ seed: 0, schedule: [] });
    this.#check('at the end');
    return report;
  }

  get left(): { readonly open: number; readonly spot: Decimal; readonly contracts: number } {
    const open = JSON.parse(this.#fixture.get('/sapi/v1/openOrders?symbol=BTCUSDT&limit=1000', { as: 'alice' }).body) as readonly unknown[];
    return { open: open.length, spot: this.#coins().minus(FOREIGN), contracts: Math.abs(this.#contracts()) };
  }

  #openPositions(): Decimal {
    for (let at = 0; at < 12; at++) this.#makers(at);
    const qty = new Decimal((0.1 + this.#rng.next() * 2).toFixed(4));
    const cid = this.#cid();
    const id = this.#fixture.limit('alice', 'BUY', qty.toFixed(), '70000', { newClientOrderId: cid });
    this.#own.push({ cid, instrument: BTC, side: 'buy', qty: qty.toFixed(), price: '70000', orderId: id, signMs: START_MS });
    const held = this.#coins().minus(FOREIGN);
    if (this.#rng.next() < 0.8) {
      const side = this.#rng.next() < 0.5 ? 'BUY' : 'SELL';
      const [futuresCid, lots, price] = [this.#cid(), 1 + Math.floor(this.#rng.next() * 40), side === 'BUY' ? 70_000 : 50_000];
      const orderId = this.#fixture.order('alice', side, lots, price, { clientOrderId: futuresCid });
      const asked = { side: side === 'BUY' ? 'buy' : 'sell', qty: String(lots), price: String(price) } as const;
      this.#own.push({ cid: futuresCid, instrument: PERPETUAL, ...asked, orderId, signMs: START_MS });
      this.#sign = Math.sign(this.#contracts());
    }
    return held;
  }

  /** Resting orders, known and lost; and those whose request is still on its way. */
  #openOrders(held: Decimal): KillOrders {
    const added = (order: Omit<BookedOrder, 'signMs'>): void => void this.#own.push({ ...order, signMs: START_MS });
    const rests = { side: 'buy', reduceOnly: false } as const;
    for (let at = 0; at < Math.floor(this.#rng.next() * 8); at++) {
      const [cid, price] = [this.#cid(), String(40_000 + at)];
      const orderId = this.#fixture.limit('alice', 'BUY', '0.01', price, { newClientOrderId: cid });
      added({ ...rests, cid, instrument: BTC, qty: '0.01', price, orderId });
    }
    for (let at = 0; at < Math.floor(this.#rng.next() * 5); at++) {
      const cid = this.#cid();
      const orderId = this.#fixture.order('alice', 'BUY', 1, 40_000 + at, { clientOrderId: cid });
      added({ ...rests, cid, instrument: PERPETUAL, qty: '1', price: String(40_000 + at), orderId });
    }
    if (this.#rng.next() < 0.5) {
      // A sale of the holding with an unknown outcome: it may arrive, and fill, until the end of its window and the longest delay.
      const price = this.#rng.next() < 0.5 ? '50000' : '75000';
      const qty = held.times(this.#rng.next()).toDecimalPlaces(4, Decimal.ROUND_DOWN);
      const cid = this.#cid();
      added({ cid, instrument: BTC, side: 'sell', qty: qty.toFixed(), price, orderId: null });
      const landsMs = START_MS + Math.floor(this.#rng.next() * KILL_SETTINGS.visibilityDelayMs);
      if (qty.greaterThan('0.001') && this.#rng.next() < 0.7) {
        this.#queue.at(landsMs, () => {
          this.#fixture.nowMs = this.#queue.nowMs;
          this.#fixture.limit('alice', 'SELL', qty.toFixed(), price, { newClientOrderId: cid });
        });
      }
    }
    return booksOf([BTC, PERPETUAL], this.#own, START_MS).orders;
  }

  #makers(at: number): void {
    const [size, contracts] = [(0.05 + this.#rng.next() * 0.4).toFixed(4), 1 + Math.floor(this.#rng.next() * 12)];
    this.#fixture.limit('bob', 'BUY', size, String(60_000 - at * 20));
    this.#fixture.limit('bob', 'SELL', size, String(60_100 + at * 20));
    this.#fixture.order('bob', 'BUY', contracts, 60_000 - at * 20);
    this.#fixture.order('bob', 'SELL', contracts, 60_100 + at * 20);
  }

  /** Others place new orders from time to time. */
  #marketGoesOn(): void {
    this.#queue.at(this.#queue.nowMs + 2000 + Math.floor(this.#rng.next() * 4000), () => {
      this.#fixture.nowMs = this.#queue.nowMs;
      // A trader without money places nothing.
      this.#fixture.post('/sapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: 0.3, price: 59_900 }, { as: 'bob' });
      for (const side of ['BUY', 'SELL'] as const) this.#fixture.create('bob', side, 15, side === 'BUY' ? 59_900 : 60_200);
      this.#marketGoesOn();
    });
  }

  #coins(): Decimal {
    const { free, locked } = this.#fixture.balance('alice', 'BTC');
    return new Decimal(free).plus(locked);
  }

  #contracts(): number {
    return this.#fixture
      .positions()
      .reduce(
        (sum, row) =>
          sum + Number(row['positionVolume'] ?? row['volume'] ?? 0) * (row['positionSide'] === 'BUY' || row['side'] === 'BUY' ? 1 : -1),
        0,
      );
  }

  #journal(books: JournalBooks): SliceJournal {
    const nextId = (): OrderId => ++this.#orders as OrderId;
    const parts = { nextId, cidOf: (id: OrderId) => clientOrderIdOf(PREFIX, id), nowMs: () => Math.floor(this.#queue.nowMs) };
    return rememberedSlices(books, parts, ({ side, qty, price }) => void this.slices.push(`${side} ${qty} at ${price}`));
  }

  #cid(): string {
    return clientOrderIdOf(PREFIX, ++this.#orders as OrderId);
  }

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

  readonly #wire: Wire = ({ method, url, headers, body }, done) => {
    const after = (run: () => void): void => void this.#queue.at(this.#queue.nowMs + 1 + Math.floor(this.#rng.next() ** 4 * 400), run);
    const target = url.slice(url.indexOf('/', 8));
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    after(() =>
      this.#faulty.receive({ method, target, headers: lower, body, ip: '127.0.0.1' }, this.#queue.nowMs, (response) => {
        this.#check(`after ${method} ${target.slice(0, 40)}`);
        after(() =>
          done(
            response === null
              ? { kind: 'failed', cause: 'connection lost', bytesWritten: null }
              : { kind: 'reply', status: response.status, headers: {}, body: new TextEncoder().encode(response.body) },
          ),
        );
      }),
    );
    return () => {};
  };

  #check(when: string): void {
    this.#fixture.nowMs = this.#queue.nowMs;
    const own = this.#coins().minus(FOREIGN);
    if (own.lessThan(0)) this.wrongs.push(`${when}: ${own.toFixed()} BTC, sold more than the bot held`);
    const contracts = this.#contracts();
    if (this.#sign !== 0 && Math.sign(contracts) === -this.#sign)
      this.wrongs.push(`${when}: ${contracts} contracts, the position was turned over`);
    if (this.#sign === 0 && contracts !== 0) this.wrongs.push(`${when}: ${contracts} contracts out of nothing`);
  }

  /** Time passes, event by event, until the kill is through. */
  async #through(killed: Promise<KillReport>): Promise<KillReport> {
    let report: KillReport | null = null;
    let failed: unknown = null;
    killed.then(
      (found) => (report = found),
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

const NO_FUTURES_LIMITS = Object.fromEntries(
  ['createOrder', 'createConditionOrder', 'cancelOrder', 'cancelTriggerOrder', 'openOrders', 'orderHistory', 'profitHistory', 'myTrades']
    .concat(['positions', 'account', 'orderInformation', 'triggerOrderList'])
    .map((name) => [`futures.${name}`, null]),
);
