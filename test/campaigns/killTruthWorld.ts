// Simulates a live bot on a paper exchange in stepped time, whose last order meets a fault, and a kill of that bot. The exchange's own
// orders then say whether the kill closed exactly what the bot held.

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
import { readLiveConfig } from '../../src/tasks/bot/config/liveConfig.ts';
import { openLiveBot, type OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { killBot } from '../../src/tasks/bot/run/killBot.ts';
import { LiveLog } from '../../src/tasks/bot/run/liveLog.ts';
import { Strategy, type FillInfo, type StrategyClass } from '../../src/index.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { Op, OpArgs } from '../../src/protocol/endpoints/endpoints.ts';
import type { Scheduler } from '../../src/ports/scheduler.ts';
import type { ServiceConfig } from '../../src/paperExchange/dialect/config.ts';
import { ordersOfMarkets } from '../../src/paperExchange/faults/truth.ts';
import { SteppedTime } from '../parity/steppedTime.ts';
import { moveExchange } from '../parity/world.ts';
import type { KillCase } from './killTruthCases.ts';

/** Longest time from the start of the bot to its first decision. */
const MAX_START_MS = 120_000;
/** Share of a spot purchase that the exchange keeps as its fee, in the coin. */
const FEE_SHARE = new Decimal('0.001');
/** Smallest quantity of an order. A remainder below it is dust. */
const DUST = { spot: new Decimal('0.00001'), futures: new Decimal(1) };
/** Longest time of a kill on the exchange's clock. A longer one counts as endless. */
const MAX_KILL_MS = 3_600_000;
/** The time after which a separate kill reports what it could not close. */
const GIVE_UP_SECONDS = 600;
/** The time after which a silent exchange replies again, if the case says so. */
const SILENT_MS = 200_000;
/** The stop of the script: its distance from the close, as a share. */
const STOP_DISTANCE = { near: 0.0005, far: 0.05 };
/** Quantity of the script's entry, in coins or contracts. */
const ENTRY_QUANTITY = { spot: '0.2', futures: '2000' };
/** Quantity of the script's last order, in coins or contracts. */
const LAST_QUANTITY = { spot: '0.0999', futures: '999' };
/** Quantity of an order that a person places by hand, in coins or contracts. */
const MANUAL_QUANTITY = { spot: '0.05', futures: '500' };

/** The result of one case. `wrong`: the report of the kill disagrees with the exchange; `why` says how. */
export interface KillResult {
  readonly kind: 'flat' | 'residualNamed' | 'wrong';
  readonly why: string;
}

/** A scheduler that can stop like that of an ended process: its waiting callbacks never run. */
class StoppableTime implements Scheduler {
  readonly #time: Scheduler;
  isStopped = false;
  constructor(time: Scheduler) {
    this.#time = time;
  }
  get nowMs(): number {
    return this.#time.nowMs;
  }
  at(timeMs: number, run: () => void): number {
    return this.#time.at(timeMs, () => void (this.isStopped || run()));
  }
  cancel(handle: number): void {
    this.#time.cancel(handle);
  }
}

/** An order as the exchange has it. */
interface TrueOrder {
  readonly clientOrderId: string | null;
  readonly isBuy: boolean;
  readonly filled: Decimal;
  readonly isOpen: boolean;
}

/** One case: a paper exchange, a bot on it, and the kill of that bot. */
export class KillTruthWorld {
  readonly folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-kill-truth-'));
  /** What the bot and the kill have printed, for the report of a failure. */
  readonly text: string[] = [];
  readonly #case: KillCase;
  readonly #exchange: RunningExchange;
  readonly #config: ServiceConfig;
  readonly #time: SteppedTime;
  readonly #botTime: StoppableTime;
  /** The client with which a person trades by hand. */
  readonly #manual: Exchange;
  readonly #rng: () => number;
  #opened: OpenedBot | null = null;
  /** Client order ids of the orders that a person has placed by hand. */
  readonly #manualIds = new Set<string>();

  private constructor(killCase: KillCase, exchange: RunningExchange, config: ServiceConfig) {
    this.#case = killCase;
    this.#exchange = exchange;
    this.#config = config;
    this.#time = new SteppedTime({
      nowMs: exchange.clock.nowMs(),
      moveTo: (timeMs) => moveExchange(exchange, timeMs),
      held: () => exchange.faulty.heldCount,
    });
    this.#botTime = new StoppableTime(this.#time);
    const rng = seededRng(killCase.seed);
    this.#rng = () => rng.next();
    this.#manual = this.#client();
  }

  /** Starts the exchange of a case. Its clock stands until the world moves it. */
  static async open(killCase: KillCase): Promise<KillTruthWorld> {
    const settings = demoSettings(killCase.seed);
    const [account] = settings.service.accounts;
    const balances = { USDT: '100000', ...(killCase.hasOtherCoins ? { BTC: '5' } : {}) };
    const service = { ...settings.service, accounts: [{ ...account!, balances }] };
    const exchange = await runExchange({ ...settings, service }, { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} });
    exchange.clock.pause(true);
    return new KillTruthWorld(killCase, exchange, service);
  }

  async close(): Promise<void> {
    this.#botTime.isStopped = true;
    await this.#opened?.close();
    await this.#manual.close();
    this.#time.close();
    await this.#exchange.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs the case from the start of the bot to the end of the kill. */
  async run(): Promise<KillResult> {
    await this.#startBot();
    await this.#sendLastOrder();
    // A bot halts when it sees foreign orders, so they are placed after its last order.
    if (this.#case.hasOtherCoins) await this.#placeManualOrder();
    const positionBefore = this.#position();
    this.#setFaultsOfKill(this.#case.isAnswering);
    if (this.#case.comesBack) this.#time.at(this.#time.nowMs + SILENT_MS, () => this.#setFaultsOfKill(true));
    const report = await this.#kill();
    return report === null ? this.#wrong('the kill has not ended') : this.#judge(positionBefore, report);
  }

  // Before the kill.

  get #isSpot(): boolean {
    return this.#case.market === 'spot';
  }
  get #symbol(): string {
    return this.#isSpot ? 'BTCUSDT' : 'E-BTC-USDT';
  }
  get #createOp(): Op {
    return this.#isSpot ? 'spot.newOrder' : 'futures.createOrder';
  }

  /** Starts the bot and returns once it holds a position. */
  async #startBot(): Promise<void> {
    this.#opened = await this.#whileTimePasses(this.#openBot(this.#writeBotConfig()));
    const { bot } = this.#opened;
    bot.start();
    await this.#until(() => bot.isTrading, MAX_START_MS, 'the bot trades');
    await this.#until(() => !this.#position().isZero(), 3 * 60_000, 'the bot holds a position');
    await this.#passTime(5000);
  }

  /** Writes the bot config with the keys of the demo account. Returns its path. */
  #writeBotConfig(): string {
    const { apiKey, secret } = demoKey(this.#case.seed);
    for (const [name, text] of Object.entries({ key: apiKey, secret })) writeFileSync(join(this.folder, name), text, { mode: 0o600 });
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
    return path;
  }

  /** Opens the bot in this process, on its own simulated time. */
  #openBot(configPath: string): Promise<OpenedBot> {
    const config = readLiveConfig(configPath, { XDG_STATE_HOME: this.folder });
    const write = (line: string) => this.text.push(line);
    return openLiveBot(
      { ...config, clock: { ...config.clock, samples: 1 } },
      {
        log: (nowMs) => new LiveLog({ write, isPretty: true, nowMs, formatTime: String, removeSecrets: (text) => text }),
        scheduler: this.#botTime,
        load: async (entry, source) => ({
          plan: strategyPlanOf(entry, { strategy: this.#script(), name: 'Script', hash: 'Script' }, source),
          inputs: [],
          folder: '.',
        }),
        broken: (why) => void this.text.push(`broken: ${why}`),
        capacityRows: 1024,
      },
    );
  }

  /** Returns a strategy that opens a position at the first bar, and sends the last order when the case asks for it. */
  #script(): StrategyClass {
    const { lastOrderSide, isLastOrderResting, positionSide, stop, market } = this.#case;
    const state = this.#scriptState;
    return class Script extends Strategy {
      #needsStop = stop !== 'none';

      override onFill({ side, qty }: FillInfo) {
        if (stop === 'none' || !this.#needsStop || state.bars !== 1) return;
        this.#needsStop = false;
        // Places a stop at the exchange, as the strategy perpetualTrend does.
        const distance = STOP_DISTANCE[stop];
        const trigger = Math.round(this.bars.close.value * (side === 'buy' ? 1 - distance : 1 + distance));
        if (side === 'buy') this.sell({ base: qty }, { trigger, tag: 'stop' });
        else this.buy({ base: qty }, { trigger, tag: 'stop' });
      }
      override onBar() {
        const isFirstBar = state.bars++ === 0;
        if (isFirstBar) this.#place(positionSide, { base: ENTRY_QUANTITY[market] }, { tag: 'in' });
        else if (state.isLastOrderDue && lastOrderSide !== 'none') {
          state.isLastOrderDue = false;
          const farPrice = Math.round(this.bars.close.value * (lastOrderSide === 'buy' ? 0.97 : 1.03));
          this.#place(
            lastOrderSide,
            { base: LAST_QUANTITY[market] },
            isLastOrderResting ? { tag: 'last', limit: farPrice } : { tag: 'last' },
          );
        }
      }
      #place(side: 'buy' | 'sell', size: { base: string }, options: { tag: string; limit?: number }): void {
        if (side === 'buy') this.buy(size, options);
        else this.sell(size, options);
      }
    };
  }
  /** Shared with the strategy: the bars that it received, and whether it sends its last order at the next one. */
  readonly #scriptState = { bars: 0, isLastOrderDue: false };

  /** Places an order by hand on the same account. It looks like no order of the bot. */
  async #placeManualOrder(): Promise<void> {
    const side = this.#rng() < 0.5 ? 'BUY' : 'SELL';
    await this.#placeForPerson(side, MANUAL_QUANTITY[this.#case.market]);
  }

  /** Trades by hand on the bot's account: an order that fills at once. */
  async #placeForPerson(side: 'BUY' | 'SELL', volume: string): Promise<void> {
    const clientOrderId = `hand-${this.#manualIds.size}`;
    this.#manualIds.add(clientOrderId);
    // The price is far beyond the market, so the order fills at once.
    const price = side === 'BUY' ? '80000' : '50000';
    const terms = { side, type: 'LIMIT', volume, price } as const;
    if (this.#isSpot) await this.#call('spot.newOrder', { ...terms, symbol: this.#symbol, newClientOrderId: clientOrderId });
    else await this.#call('futures.createOrder', { ...terms, contractName: this.#symbol, open: 'OPEN', positionType: 1, clientOrderId });
  }

  /** Lets the bot send its last order, whose request or reply meets the fault of the case. */
  async #sendLastOrder(): Promise<void> {
    const { lastOrderSide, delayMs, hasLookalike, market, stopsAtOnce } = this.#case;
    const hasLastOrder = lastOrderSide !== 'none';
    const fault = this.#faultOfLastOrder();
    this.#setFaults(!hasLastOrder || fault === null ? [] : [fault]);
    this.#scriptState.isLastOrderDue = true;
    const { bot, counts, plan } = this.#opened!;
    const sentBefore = counts.sent;
    const stopsWithLastOrder = stopsAtOnce && (this.#case.bot === 'hung' || this.#case.bot === 'dead');
    if (stopsWithLastOrder) this.#atNextCreate(() => this.#stopBot(botFileOf({ bot, plan }).journal));
    if (hasLastOrder) await this.#until(() => counts.sent > sentBefore, 3 * 60_000, 'the last order is sent');
    if (hasLookalike && hasLastOrder) await this.#placeForPerson(lastOrderSide === 'buy' ? 'BUY' : 'SELL', LAST_QUANTITY[market]);
    await this.#passTime(delayMs);
    this.#setFaults([]);
  }

  /** Returns the fault of the last order, or null if its reply arrives as usual. */
  #faultOfLastOrder(): object | null {
    const { isLastOrderReceived, lastReply } = this.#case;
    const ofCreate = { op: this.#createOp, nth: 1 };
    if (lastReply === 'lost') return { ...ofCreate, point: isLastOrderReceived ? 'NET.respDrop' : 'NET.reqDrop' };
    if (lastReply === 'late' && isLastOrderReceived) return { ...ofCreate, point: 'NET.respDelay', params: { ms: 4000 } };
    if (lastReply === 'late') return { ...ofCreate, point: 'NET.reqDelay', params: { ms: 8000 } };
    return isLastOrderReceived ? null : { ...ofCreate, point: 'GW.code', params: { code: -2017 } };
  }

  /** Calls `then` once the exchange has received the next create request, before its reply can be read. */
  #atNextCreate(then: () => void): void {
    const { faulty } = this.#exchange;
    const receive = faulty.receive.bind(faulty);
    faulty.receive = (request, nowMs, deliver) => {
      receive(request, nowMs, deliver);
      if (faulty.service.opOf(request) !== this.#createOp) return;
      faulty.receive = receive;
      then();
    };
  }

  #setFaults(schedule: readonly unknown[]): void {
    this.#exchange.faulty.faults.setSchedule({ seed: this.#case.seed, schedule });
  }

  /** Sets the faults of the exchange during the kill. In a schedule, `p` is the probability of a fault and `nth` the call that it hits. */
  #setFaultsOfKill(isAnswering: boolean): void {
    const { isReadable, isComplete, firstSlice } = this.#case;
    const silence = { point: 'NET.reqDrop', p: 1 };
    const lostSlice = { op: this.#createOp, nth: 1, point: firstSlice === 'replyLost' ? 'NET.respDrop' : 'NET.reqDrop' };
    const withoutField = (op: Op, field: string) => ({ point: 'READ.remove', op, p: 1, params: { field } });
    const withoutClientOrderIds = [
      withoutField('spot.queryOrder', 'clientOrderId'),
      withoutField('spot.openOrders', 'clientOrderId'),
      withoutField('futures.orderHistory', 'clientId'),
    ];
    const cutTrades = { point: 'READ.truncate', op: this.#isSpot ? 'spot.myTrades' : 'futures.myTrades', p: 1, params: { rows: 1 } };
    this.#setFaults([
      ...(isAnswering ? [] : [silence]),
      ...(firstSlice === 'answered' ? [] : [lostSlice]),
      ...(isReadable ? [] : withoutClientOrderIds),
      ...(isComplete ? [] : [cutTrades]),
    ]);
  }

  // The kill.

  /** Kills the bot in the way of the case. Returns the report, or null if the kill does not end. */
  async #kill(): Promise<KillReport | null> {
    const opened = this.#opened!;
    opened.killSwitch.engage();
    if (this.#case.bot !== 'alive') return this.#killSeparately(opened);
    return this.#valueInTime(killBot(opened.bot, true, this.#onPhase));
  }
  readonly #onPhase = (phase: string, message: string): void => void this.text.push(`kill ${phase}: ${message}`);

  /** Kills as `isobar kill` does without the help of the bot, from a copy of its journal. */
  async #killSeparately(opened: OpenedBot): Promise<KillReport | null> {
    const botFile = { ...botFileOf(opened), timeScale: 1 };
    const journal = this.#copiedJournal;
    const isHelping = this.#case.bot === 'asked';
    if (!isHelping) this.#stopBot(botFile.journal);
    const client = this.#client();
    const endBot = async (): Promise<null> => {
      if (!isHelping) return null;
      // Ends the bot as SIGTERM does: it stops, closes its journal, and the journal is copied.
      await new Promise<void>((resolve) => {
        this.#time.at(this.#time.nowMs + 20_000, resolve);
        opened.bot.stop(resolve);
      });
      this.#copyJournal(botFile.journal);
      return null;
    };
    if (isHelping) {
      // The command asks the bot to cancel first, and does the rest itself.
      void killBot(opened.bot, false, this.#onPhase).catch(() => {});
      this.#copyJournal(botFile.journal);
    }
    const options = { flatten: true, all: false, onPhase: this.#onPhase, giveUpSeconds: GIVE_UP_SECONDS, exchange: client, endBot };
    const report = await this.#valueInTime(standaloneKill({ ...botFile, journal }, options));
    await client.close();
    return report;
  }

  /** Stops the bot, and copies its journal as the disk has it now. */
  #stopBot(from: string): void {
    if (this.#botTime.isStopped) return;
    this.#botTime.isStopped = true;
    this.#copyJournal(from);
  }

  get #copiedJournal(): string {
    return join(this.folder, 'copy', 'journal');
  }

  /** Copies the journal from the disk, without the lock of the process. */
  #copyJournal(from: string): void {
    const to = this.#copiedJournal;
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true, filter: (path) => !/\/lock-/.test(path) });
    for (const name of readdirSync(to)) if (name.startsWith('lock-')) rmSync(join(to, name));
  }

  // The truth of the exchange.

  /** Returns all orders of the symbol that the exchange has ever had, in the order of their numbers. */
  #orders(): readonly TrueOrder[] {
    const { spot, futures } = this.#exchange.service.sides;
    const marketSide = this.#isSpot ? spot! : futures!;
    const numbers = Array.from({ length: marketSide.counters.orders }, (_, index) => marketSide.orders.orderNumbered(index + 1));
    const rows = new Map(ordersOfMarkets(this.#exchange.service, this.#config).map((row) => [row.id, row]));
    return numbers.flatMap((order) => {
      if (order === null || order.instrument.wireName !== this.#symbol) return [];
      const row = rows.get(order.id)!;
      const { clientOrderId, intent, venueOrder } = order;
      return [{ clientOrderId, isBuy: intent.side === 'buy', filled: new Decimal(row.filled), isOpen: venueOrder !== null }];
    });
  }

  /** Orders of the bot: all except those that a person has placed. */
  get #ordersOfBot(): readonly TrueOrder[] {
    return this.#orders().filter(({ clientOrderId }) => clientOrderId !== null && !this.#manualIds.has(clientOrderId));
  }

  /** Returns the position that the fills of the bot's orders make: coins less fees, or contracts with a sign. */
  #position(): Decimal {
    return this.#ordersOfBot.reduce((sum, { isBuy, filled }) => {
      if (!isBuy) return sum.minus(filled);
      return sum.plus(this.#isSpot ? filled.times(new Decimal(1).minus(FEE_SHARE)) : filled);
    }, new Decimal(0));
  }

  /** Returns the part of the bot's position that the account still has: another trader may have closed some contracts of it. */
  #remainingPosition(): Decimal {
    const position = this.#position();
    if (this.#isSpot) return position;
    const { wallets } = this.#exchange.service.sides.futures!.venue;
    const openPositions = wallets.openPositions(0).filter(({ index }) => wallets.contracts[index]!.instrument.wireName === this.#symbol);
    const net = openPositions.reduce((sum, { isLong, lots }) => sum.plus(isLong ? lots : -lots), new Decimal(0));
    if (net.times(position).lessThan(0)) return new Decimal(0);
    return Decimal.min(position.abs(), net.abs()).times(position.isNegative() ? -1 : 1);
  }

  /** Compares the report of a kill with the exchange: flat must be flat, and what is left must be named. */
  #judge(before: Decimal, { residuals }: KillReport): KillResult {
    const after = this.#remainingPosition();
    const { isAnswering, comesBack, isReadable, isComplete } = this.#case;
    const figures = `position ${before.toFixed()} before, ${after.toFixed()} after; residuals: ${residuals.join(' | ') || 'none'}`;
    if (this.#closedBeyond(before)) return this.#wrong(`closed beyond the position: ${figures}`);
    const openOrders = this.#ordersOfBot.filter(({ isOpen }) => isOpen).length;
    const isFlat = after.abs().lessThan(DUST[this.#case.market]) && openOrders === 0;
    if (residuals.length === 0) {
      const waiting = this.#waitingTriggers;
      if (waiting > 0) return this.#wrong(`reported flat with ${waiting} waiting trigger orders: ${figures}`);
      return isFlat ? { kind: 'flat', why: figures } : this.#wrong(`reported flat with ${openOrders} open orders; ${figures}`);
    }
    if ((isAnswering || comesBack) && isReadable && isComplete)
      return this.#wrong(`everything could be read, and something was left: ${figures}`);
    const instrument = `${this.#case.market}:${this.#symbol}`;
    const isNamed = residuals.some((residual) => residual.includes(instrument));
    return isFlat || isNamed ? { kind: 'residualNamed', why: figures } : this.#wrong(`the residual is not named: ${figures}`);
  }

  /** True when the kill sold more than the bot held, or reversed its position. */
  #closedBeyond(before: Decimal): boolean {
    const position = this.#position();
    // The exchange rounds the fee of each purchase, so a position that was closed exactly may differ from 0 by a few units.
    if (this.#isSpot) return position.lessThan('-0.00000005');
    // The last order may still fill after the kill began.
    const pending = this.#case.lastOrderSide === 'none' ? 0 : LAST_QUANTITY.futures;
    return position.times(before).lessThan(0) || position.abs().greaterThan(before.abs().plus(pending));
  }

  /** Number of trigger orders of the account that have not fired. All are the bot's. */
  get #waitingTriggers(): number {
    if (this.#isSpot) return 0;
    const { triggers, venue } = this.#exchange.service.sides.futures!;
    const contract = venue.wallets.contracts.find(({ instrument }) => instrument.wireName === this.#symbol)!;
    const { rows } = triggers.list(0, contract.instrument, 0, 1000);
    return rows.filter(({ trigger }) => trigger.status === 'pending').length;
  }

  /** Returns the result of a case whose report disagrees with the exchange. */
  #wrong(why: string): KillResult {
    return { kind: 'wrong', why };
  }

  // Calls and time.

  /** Opens the exchange with the key of the bot, for a kill from outside of it. */
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

  /** Sends a request by hand. Throws an error if it is not acknowledged. */
  async #call<O extends Op>(op: O, args: OpArgs<O>): Promise<void> {
    const outcome = await this.#whileTimePasses(callAsPromise(this.#manual.client, op, args));
    if (outcome.kind !== 'acked') throw new Error(`${op}: ${JSON.stringify(outcome)}`);
  }

  /** Lets time pass, event by event. */
  async #passTime(ms: number): Promise<void> {
    const time = this.#time;
    const endMs = time.nowMs + ms;
    await time.quiet();
    while (time.nextMs <= endMs) await time.stepTo(time.nextMs);
    await time.stepTo(endMs);
  }

  /** Lets time pass until the condition holds. Throws an error that names it after `maxMs`. */
  async #until(holds: () => boolean, maxMs: number, condition: string): Promise<void> {
    const time = this.#time;
    const endMs = time.nowMs + maxMs;
    await time.quiet();
    while (!holds()) {
      if (time.nowMs > endMs) throw new Error(`seed ${this.#case.seed}: not in time: ${condition}\n${this.text.slice(-15).join('')}`);
      await time.stepTo(Math.min(time.nextMs, time.nowMs + 1000));
    }
  }

  /** Lets time pass until the work ends, and returns its value. Returns null if it has not ended after `MAX_KILL_MS`. */
  async #valueInTime<T>(work: Promise<T>): Promise<T | null> {
    const endMs = this.#time.nowMs + MAX_KILL_MS;
    const state: { value: T | null; error: unknown; isDone: boolean } = { value: null, error: null, isDone: false };
    work.then(
      (value) => Object.assign(state, { value, isDone: true }),
      (error: unknown) => Object.assign(state, { error, isDone: true }),
    );
    await this.#time.quiet();
    while (!state.isDone && this.#time.nowMs < endMs) await this.#time.stepTo(Math.min(this.#time.nextMs, this.#time.nowMs + 1000));
    if (state.error !== null) throw state.error;
    return state.value;
  }

  /** Lets time pass until the work ends, and returns its value. Throws an error after `MAX_KILL_MS`. */
  async #whileTimePasses<T>(work: Promise<T>): Promise<T> {
    const done = await this.#valueInTime(work);
    if (done === null) throw new Error(`the work did not end in ${MAX_KILL_MS} ms`);
    return done;
  }
}
