// Simulates a live bot on a paper exchange in stepped time: its last order meets a fault, and the orders at the exchange judge a kill.

import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { callAsPromise } from '../../src/adapters/exchange/client/callAsPromise.ts';
import { openExchange, type Exchange } from '../../src/access/openExchange.ts';
import { accessSettings } from '../../src/access/settings.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { demoKey, demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import type { KillReport } from '../../src/tasks/kill/kill.ts';
import { standaloneKill } from '../../src/tasks/kill/separate/standaloneKill.ts';
import { readLiveConfig } from '../../src/tasks/bot/config/read.ts';
import { openLiveBot, type OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { killBot } from '../../src/tasks/bot/run/killBot.ts';
import { LiveLog } from '../../src/tasks/bot/run/log.ts';
import { Strategy, type FillInfo, type StrategyClass } from '../../src/index.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { Op, OpArgs } from '../../src/protocol/endpoints/endpoints.ts';
import type { Scheduler } from '../../src/ports/scheduler.ts';
import type { ServiceConfig } from '../../src/paperExchange/dialect/config.ts';
import { ordersOfMarkets } from '../../src/paperExchange/faults/truth.ts';
import { SteppedTime } from '../parity/steppedTime.ts';
import { moveExchange } from '../parity/world.ts';
import type { KillCase } from './killTruthCases.ts';

const START_MS = 120_000;
const FEE = new Decimal('0.001');
/** Lots that no order can have: less than this is dust. */
const DUST = { spot: new Decimal('0.00001'), futures: new Decimal(1) };
/** Longest time of a kill on the exchange's clock. A longer one counts as endless. */
const MAX_KILL_MS = 3_600_000;
const GIVE_UP_SECONDS = 600;
const SILENT_MS = 200_000;

/** The result of one case. */
export interface KillResult {
  readonly kind: 'flat' | 'residualNamed' | 'wrong';
  readonly why: string;
}

/** A scheduler that can be frozen like that of a stopped process: waiting callbacks never run. */
class FreezableTime implements Scheduler {
  readonly #time: Scheduler;
  isFrozen = false;
  constructor(time: Scheduler) {
    this.#time = time;
  }
  get nowMs(): number {
    return this.#time.nowMs;
  }
  at(timeMs: number, run: () => void): number {
    return this.#time.at(timeMs, () => void (this.isFrozen || run()));
  }
  cancel(handle: number): void {
    this.#time.cancel(handle);
  }
}

interface TrueOrder {
  readonly cid: string | null;
  readonly isBuy: boolean;
  readonly filled: Decimal;
  readonly isOpen: boolean;
}

export class KillTruthWorld {
  readonly folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-kill-truth-'));
  readonly text: string[] = [];
  readonly #case: KillCase;
  readonly #exchange: RunningExchange;
  readonly #config: ServiceConfig;
  readonly #time: SteppedTime;
  readonly #botTime: FreezableTime;
  readonly #manual: Exchange;
  readonly #rng: () => number;
  #opened: OpenedBot | null = null;
  /** Client ids of orders that a person has placed by hand. */
  readonly #manualIds = new Set<string>();

  private constructor(kill: KillCase, exchange: RunningExchange, config: ServiceConfig) {
    this.#case = kill;
    this.#exchange = exchange;
    this.#config = config;
    this.#time = new SteppedTime({
      nowMs: exchange.clock.nowMs(),
      moveTo: (timeMs) => moveExchange(exchange, timeMs),
      held: () => exchange.faulty.delayed,
    });
    this.#botTime = new FreezableTime(this.#time);
    const rng = seededRng(kill.seed);
    this.#rng = () => rng.next();
    this.#manual = this.#client();
  }

  static async open(kill: KillCase): Promise<KillTruthWorld> {
    const settings = demoSettings(kill.seed);
    const [account] = settings.service.accounts;
    const balances = { USDT: '100000', ...(kill.hasOther ? { BTC: '5' } : {}) };
    const service = { ...settings.service, accounts: [{ ...account!, balances }] };
    const exchange = await runExchange({ ...settings, service }, { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} });
    exchange.clock.pause(true);
    return new KillTruthWorld(kill, exchange, service);
  }

  async close(): Promise<void> {
    this.#botTime.isFrozen = true;
    await this.#opened?.close();
    await this.#manual.close();
    this.#time.close();
    await this.#exchange.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs the case from the start of the bot to the end of the kill. */
  async run(): Promise<KillResult> {
    await this.#startBot();
    await this.#lastOrder();
    // A bot halts when it sees foreign orders, so they are placed after its last order.
    if (this.#case.hasOther) await this.#byManual();
    const before = this.#position();
    this.#readFaults(this.#case.isAnswering);
    if (this.#case.comesBack) this.#time.at(this.#time.nowMs + SILENT_MS, () => this.#readFaults(true));
    const report = await this.#kill();
    return report === null ? this.#wrong('the kill has not ended') : this.#judged(before, report);
  }

  // Before the kill.

  get #isSpot(): boolean {
    return this.#case.market === 'spot';
  }
  get #symbol(): string {
    return this.#isSpot ? 'BTCUSDT' : 'E-BTC-USDT';
  }
  get #op(): Op {
    return this.#isSpot ? 'spot.newOrder' : 'futures.createOrder';
  }

  async #startBot(): Promise<void> {
    const key = demoKey(this.#case.seed);
    for (const [name, text] of Object.entries({ key: key.apiKey, secret: key.secret }))
      writeFileSync(join(this.folder, name), text, { mode: 0o600 });
    const { url } = this.#exchange;
    const config = {
      mode: 'paper',
      exchange: { spotUrl: url, futuresUrl: url, keyFile: join(this.folder, 'key'), secretFile: join(this.folder, 'secret') },
      data: join(this.folder, 'bot'),
      strategy: 'script.ts',
      market: this.#case.market,
      ...(this.#isSpot ? {} : { futures: { leverage: 5, margin: 'cross', positions: 'net' } }),
      feeds: { bars: { symbol: this.#symbol, interval: '1m' } },
      cash: { USDT: '50000' },
    };
    const path = join(this.folder, 'bot.yaml');
    writeFileSync(path, JSON.stringify(config));
    const read = readLiveConfig(path, { XDG_STATE_HOME: this.folder });
    const opening = openLiveBot(
      { ...read, clock: { ...read.clock, samples: 1 } },
      {
        log: (nowMs) =>
          new LiveLog({ write: (line) => this.text.push(line), isPretty: true, nowMs, formatTime: String, hide: (text) => text }),
        scheduler: this.#botTime,
        load: async (entry, source) => ({
          plan: strategyPlanOf(entry, { strategy: this.#script(), name: 'Script', hash: 'Script' }, source),
          inputs: [],
          folder: '.',
        }),
        broken: (why) => void this.text.push(`broken: ${why}`),
        room: 1024,
      },
    );
    this.#opened = await this.#whileTimePasses(opening);
    const { bot } = this.#opened;
    bot.start();
    await this.#until(() => bot.isTrading, START_MS, 'the bot trades');
    await this.#until(() => !this.#position().isZero(), 3 * 60_000, 'the bot holds something');
    await this.#pass(5000);
  }

  /** Returns a strategy that opens a position at the first bar, and sends the last order when the case asks for it. */
  #script(): StrategyClass {
    const { last: lastOrder, rests, positionSide, stop } = this.#case;
    const isSpot = this.#isSpot;
    const state = this.#state;
    const guards = stop === 'none' ? [] : [stop === 'near' ? 0.0005 : 0.05];
    return class Script extends Strategy {
      override onFill({ side, qty }: FillInfo) {
        // Places a stop as the strategy perpetualTrend does.
        const away = state.bar === 1 ? guards.shift() : undefined;
        if (away === undefined) return;
        const trigger = Math.round(this.bars.close.value * (side === 'buy' ? 1 - away : 1 + away));
        if (side === 'buy') this.sell({ base: qty }, { trigger, tag: 'stop' });
        else this.buy({ base: qty }, { trigger, tag: 'stop' });
      }
      override onBar() {
        const price = this.bars.close.value;
        const size = (qty: string) => ({ base: qty });
        const act = (side: 'buy' | 'sell', qty: string, tag: string, limit: number | null): void => {
          const options = limit === null ? { tag } : { tag, limit };
          if (side === 'buy') this.buy(size(qty), options);
          else this.sell(size(qty), options);
        };
        if (state.bar++ === 0) act(positionSide, isSpot ? '0.2' : '2000', 'in', null);
        else if (state.isLast && lastOrder !== 'none') {
          state.isLast = false;
          const far = lastOrder === 'buy' ? price * 0.97 : price * 1.03;
          act(lastOrder, isSpot ? '0.0999' : '999', 'last', rests ? Math.round(far) : null);
        }
      }
    };
  }
  readonly #state = { bar: 0, isLast: false };

  /** Places an order by hand on the same account. */
  async #byManual(): Promise<void> {
    const side = this.#rng() < 0.5 ? 'BUY' : 'SELL';
    await this.#manualOrder(side, this.#isSpot ? '0.05' : '500');
  }

  async #manualOrder(side: 'BUY' | 'SELL', volume: string): Promise<void> {
    const cid = `hand-${this.#manualIds.size}`;
    this.#manualIds.add(cid);
    const price = side === 'BUY' ? '80000' : '50000';
    if (this.#isSpot)
      await this.#call('spot.newOrder', { symbol: this.#symbol, side, type: 'LIMIT', volume, price, newClientOrderId: cid });
    else
      await this.#call('futures.createOrder', {
        contractName: this.#symbol,
        side,
        type: 'LIMIT',
        volume,
        price,
        open: 'OPEN',
        positionType: 1,
        clientOrderId: cid,
      });
  }

  async #lastOrder(): Promise<void> {
    const { last, reaches, answer, delayMs, lookalike } = this.#case;
    const fault = { op: this.#op, nth: 1 };
    const schedule = {
      lost: reaches ? { ...fault, point: 'NET.respDrop' } : { ...fault, point: 'NET.reqDrop' },
      late: reaches
        ? { ...fault, point: 'NET.respDelay', params: { ms: 4000 } }
        : { ...fault, point: 'NET.reqDelay', params: { ms: 8000 } },
      arrived: reaches ? null : { ...fault, point: 'GW.code', params: { code: -2017 } },
    }[answer];
    this.#faults(last === 'none' || schedule === null ? [] : [schedule]);
    this.#state.isLast = true;
    const { bot, counts, plan } = this.#opened!;
    const sent = counts.sent;
    const stops = this.#case.stopsAtOnce && (this.#case.bot === 'hung' || this.#case.bot === 'dead');
    if (stops) this.#atNextCreate(() => this.#stopBot(botFileOf({ bot, plan }).journal));
    if (last !== 'none') await this.#until(() => counts.sent > sent, 3 * 60_000, 'the last order is sent');
    if (lookalike && last !== 'none') {
      const volume = this.#isSpot ? '0.0999' : '999';
      await this.#manualOrder(last === 'buy' ? 'BUY' : 'SELL', volume);
    }
    await this.#pass(delayMs);
    this.#faults([]);
  }

  /** Calls `then` once the exchange has taken the next order, before an answer can be read. */
  #atNextCreate(then: () => void): void {
    const { faulty } = this.#exchange;
    const receive = faulty.receive.bind(faulty);
    faulty.receive = (request, nowMs, deliver) => {
      receive(request, nowMs, deliver);
      if (faulty.service.opOf(request) !== this.#op) return;
      faulty.receive = receive;
      then();
    };
  }

  #faults(schedule: readonly unknown[]): void {
    this.#exchange.faulty.faults.set({ seed: this.#case.seed, schedule });
  }

  /** Sets the faults of the exchange during the kill. */
  #readFaults(isAnswering: boolean): void {
    const { isReadable, isComplete } = this.#case;
    const remove = (op: Op, field: string) => ({ point: 'READ.remove', op, p: 1, params: { field } });
    const { slice } = this.#case;
    this.#faults([
      ...(isAnswering ? [] : [{ point: 'NET.reqDrop', p: 1 }]),
      ...(slice === 'answered' ? [] : [{ op: this.#op, nth: 1, point: slice === 'answerLost' ? 'NET.respDrop' : 'NET.reqDrop' }]),
      ...(isReadable
        ? []
        : [
            remove('spot.queryOrder', 'clientOrderId'),
            remove('spot.openOrders', 'clientOrderId'),
            remove('futures.orderHistory', 'clientId'),
          ]),
      ...(isComplete
        ? []
        : [{ point: 'READ.truncate', op: this.#isSpot ? 'spot.myTrades' : 'futures.myTrades', p: 1, params: { rows: 1 } }]),
    ]);
  }

  // The kill.

  async #kill(): Promise<KillReport | null> {
    const opened = this.#opened!;
    const onPhase = (phase: string, message: string): void => void this.text.push(`kill ${phase}: ${message}`);
    const botFile = { ...botFileOf(opened), timeScale: 1 };
    opened.killSwitch.close();
    if (this.#case.bot === 'alive') {
      return this.#inTime(killBot(opened.bot, true, (phase, otherMessage) => onPhase(phase, otherMessage)));
    }
    const journal = join(this.folder, 'taken', 'journal');
    if (this.#case.bot !== 'asked') this.#stopBot(botFile.journal);
    const client = this.#client();
    const endBot = async (): Promise<null> => {
      if (this.#case.bot !== 'asked') return null;
      // Ends the bot as SIGTERM does: it stops, closes its journal, and the journal is copied.
      await new Promise<void>((resolve) => {
        this.#time.at(this.#time.nowMs + 20_000, resolve);
        opened.bot.stop(resolve);
      });
      this.#copyJournal(botFile.journal, journal);
      return null;
    };
    if (this.#case.bot === 'asked') {
      // The command asks the bot to cancel first, and does the rest itself.
      void killBot(opened.bot, false, onPhase).catch(() => {});
      this.#copyJournal(botFile.journal, journal);
    }
    const report = await this.#inTime(
      standaloneKill(
        { ...botFile, journal },
        { flatten: true, all: false, onPhase, giveUpSeconds: GIVE_UP_SECONDS, exchange: client, endBot },
      ),
    );
    await client.close();
    return report;
  }

  /** Stops the bot, and copies its journal as the disk has it now. */
  #stopBot(from: string): void {
    if (this.#botTime.isFrozen) return;
    this.#botTime.isFrozen = true;
    this.#copyJournal(from, join(this.folder, 'taken', 'journal'));
  }

  /** Copies the journal from the disk, without the lock of the process. */
  #copyJournal(from: string, to: string): void {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true, filter: (path) => !/\/lock-/.test(path) });
    for (const name of readdirSync(to)) if (name.startsWith('lock-')) rmSync(join(to, name));
  }

  // The truth of the exchange.

  #orders(): readonly TrueOrder[] {
    const { spot, futures } = this.#exchange.service.sides;
    const marketSide = this.#isSpot ? spot! : futures!;
    const numbers = Array.from({ length: marketSide.counters.orders }, (_, index) => marketSide.orders.orderNumbered(index + 1));
    const rows = new Map(ordersOfMarkets(this.#exchange.service, this.#config).map((row) => [row.id, row]));
    return numbers.flatMap((order) => {
      if (order === null || order.instrument.wireName !== this.#symbol) return [];
      const row = rows.get(order.id)!;
      return [
        { cid: order.clientOrderId, isBuy: order.intent.side === 'buy', filled: new Decimal(row.filled), isOpen: order.live !== null },
      ];
    });
  }

  /** Orders of the bot: all except those that a person has placed. */
  get #own(): readonly TrueOrder[] {
    return this.#orders().filter(({ cid }) => cid !== null && !this.#manualIds.has(cid));
  }

  #position(): Decimal {
    return this.#own.reduce((sum, { isBuy, filled }) => {
      if (!isBuy) return sum.minus(filled);
      return sum.plus(this.#isSpot ? filled.times(new Decimal(1).minus(FEE)) : filled);
    }, new Decimal(0));
  }

  /** The part of the bot's position that the account still has: another trader may have closed some contracts of it. */
  #left(): Decimal {
    const position = this.#position();
    if (this.#isSpot) return position;
    const { wallets } = this.#exchange.service.sides.futures!.venue;
    const held = wallets.openPositions(0).filter(({ index }) => wallets.contracts[index]!.instrument.wireName === this.#symbol);
    const net = held.reduce((sum, { isLong, lots }) => sum.plus(isLong ? lots : -lots), new Decimal(0));
    if (net.times(position).lessThan(0)) return new Decimal(0);
    return Decimal.min(position.abs(), net.abs()).times(position.isNegative() ? -1 : 1);
  }

  #judged(before: Decimal, { residuals }: KillReport): KillResult {
    const after = this.#left();
    const dust = DUST[this.#case.market];
    const { isAnswering, comesBack, isReadable, isComplete } = this.#case;
    const figures = `position ${before.toFixed()} before, ${after.toFixed()} after; residuals: ${residuals.join(' | ') || 'none'}`;
    const openOrders = this.#own.filter(({ isOpen }) => isOpen).length;
    // A rounding of the fee is not a position.
    const slack = this.#isSpot ? '0.00000005' : '0';
    const position = this.#position();
    const isBeyond = this.#isSpot
      ? position.lessThan(`-${slack}`)
      : position.times(before).lessThan(0) || position.abs().greaterThan(before.abs().plus(this.#pending));
    if (isBeyond) return this.#wrong(`closed beyond the position: ${figures}`);
    const isFlat = after.abs().lessThan(dust) && openOrders === 0;
    if (residuals.length === 0 && this.#waits > 0) return this.#wrong(`said flat with ${this.#waits} trigger orders that wait: ${figures}`);
    if (residuals.length === 0)
      return isFlat ? { kind: 'flat', why: figures } : this.#wrong(`said flat with ${openOrders} open orders; ${figures}`);
    if ((isAnswering || comesBack) && isReadable && isComplete)
      return this.#wrong(`everything could be read, and something was left: ${figures}`);
    const instrument = `${this.#case.market}:${this.#symbol}`;
    if (!isFlat && !residuals.some((each) => each.includes(instrument))) return this.#wrong(`the residual is not named: ${figures}`);
    return { kind: 'residualNamed', why: figures };
  }

  /** Trigger orders of the account that have not fired: all are the bot's. */
  get #waits(): number {
    if (this.#isSpot) return 0;
    const { triggers, venue } = this.#exchange.service.sides.futures!;
    const contract = venue.wallets.contracts.find(({ instrument }) => instrument.wireName === this.#symbol)!;
    const { rows } = triggers.list(0, contract.instrument, 0, 1000);
    return rows.filter(({ trigger }) => trigger.status === 'pending').length;
  }

  /** The quantity that may still fill after the kill began: that of the last order. */
  get #pending(): Decimal {
    return new Decimal(this.#case.last === 'none' ? 0 : 999);
  }

  #wrong(why: string): KillResult {
    return { kind: 'wrong', why };
  }

  // Calls and time.

  #client(): Exchange {
    const key = demoKey(this.#case.seed);
    const { url } = this.#exchange;
    const environment = {
      ISOBAR_API_KEY: key.apiKey,
      ISOBAR_API_SECRET: key.secret,
      ISOBAR_SPOT_URL: url,
      ISOBAR_FUTURES_URL: url,
      XDG_STATE_HOME: this.folder,
    };
    return openExchange(accessSettings({}, environment), { scheduler: this.#time, clock: { samples: 1 } });
  }

  async #call<O extends Op>(op: O, args: OpArgs<O>): Promise<void> {
    const outcome = await this.#whileTimePasses(callAsPromise(this.#manual.client, op, args));
    if (outcome.kind !== 'acked') throw new Error(`${op}: ${JSON.stringify(outcome)}`);
  }

  async #pass(ms: number): Promise<void> {
    const time = this.#time;
    const endMs = time.nowMs + ms;
    await time.quiet();
    while (time.nextMs <= endMs) await time.stepTo(time.nextMs);
    await time.stepTo(endMs);
  }

  async #until(holds: () => boolean, maxMs: number, what: string): Promise<void> {
    const time = this.#time;
    const endMs = time.nowMs + maxMs;
    await time.quiet();
    while (!holds()) {
      if (time.nowMs > endMs) throw new Error(`seed ${this.#case.seed}: not in time: ${what}\n${this.text.slice(-15).join('')}`);
      await time.stepTo(Math.min(time.nextMs, time.nowMs + 1000));
    }
  }

  /** Null: it does not end. */
  async #inTime<T>(work: Promise<T>): Promise<T | null> {
    const endMs = this.#time.nowMs + MAX_KILL_MS;
    const late = Symbol('late');
    const state: { out: T | typeof late; error: unknown; isDone: boolean } = { out: late, error: null, isDone: false };
    work.then(
      (value) => Object.assign(state, { out: value, isDone: true }),
      (error: unknown) => Object.assign(state, { error, isDone: true }),
    );
    await this.#time.quiet();
    while (!state.isDone && this.#time.nowMs < endMs) await this.#time.stepTo(Math.min(this.#time.nextMs, this.#time.nowMs + 1000));
    if (state.error !== null) throw state.error;
    return state.out === late ? null : state.out;
  }

  async #whileTimePasses<T>(work: Promise<T>): Promise<T> {
    const done = await this.#inTime(work);
    if (done === null) throw new Error('it does not come to an end');
    return done;
  }
}
