// A live bot from a bar that has been received to the signed order on its socket: CPU time beside ccxt's createOrder, and the time of day.

import { closeSync, existsSync, fdatasync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { strategyPlanOf } from '../dist/definition/load/strategies.js';
import { readLiveConfig } from '../dist/tasks/bot/config/read.js';
import { LiveLog } from '../dist/tasks/bot/run/log.js';
import { openLiveBot, type LiveOptions } from '../dist/tasks/bot/openLiveBot.js';
import { sma, Strategy } from '../dist/index.js';
import { tuneV8 } from '../dist/adapters/runtime/v8.js';
import { JumpingScheduler } from './jumpingScheduler.ts';
import { PartProcess } from './partProcess.ts';
import { ccxtCreateOrder } from './restCreate.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** The bench as it was bundled, which its parts need not do again. */
const SELF = fileURLToPath(import.meta.url);
const MINUTE_MS = 60_000;
/** V8-warm after these. */
const WARM_BARS = 300;
const BARS = 50;
const ROUNDS = 6;
const SYNCED_ROUNDS = 2;
const SYNCS = 200;
/** About from one order of the bot to the next. */
const RHYTHM_MS = 20;
/** From the close of a bar to the jump's end, when the bot is about to request it: the default of `bars.delayMs`. */
const AFTER_CLOSE_MS = 400;
/** The length of a jump between bars. */
const STEP_MS = 3000;
const MAX_STEPS = 600;
const MAX_MS = 30_000;

export interface LiveFigures {
  /** Process CPU time from a bar that has been read to the last byte of the signed order: median, of the best round. */
  readonly barToBytesCpuUs: number;
  /** The same of all rounds; one in a hundred takes longer, for example because of a garbage collection. */
  readonly barToBytesCpuP99Us: number;
  /** The same from the last byte of the answer with the bar, whose rows are still to be read. */
  readonly answerToBytesCpuUs: number;
  /** The first over what a call of ccxt's createOrder costs, as warm and in the same rhythm; null where ccxt cannot be installed. */
  readonly ratioToCcxt: number | null;
  /**
   * The same over the part of that call up to the last byte of its order on the socket: the answer is not read, nor made an order of
   * ccxt's.
   */
  readonly ratioToCcxtSocket: number | null;
  /**
   * From the close of the bar to the same byte, with the wait, the kline call and its answer: median by the time of day, journal in memory.
   */
  readonly closeToBytesMs: number;
  /** The process CPU time of that: timers, the kline call, its rows, the decision, the order. Median, of the best round. */
  readonly closeToBytesCpuUs: number;
  /** From the answer by the time of day, the journal in memory. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Median with the journal on the disk: two records last before the order leaves. */
  readonly syncedMs: number;
  /** Median of a write and its fdatasync on that disk, alone. */
  readonly bareSyncMs: number;
}

export async function liveBench(folder: string, print: (text: string) => void): Promise<LiveFigures> {
  const memory = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/isobar-bench-') : join(folder, 'memory');
  try {
    const inMemory = await figuresOf(memory, ROUNDS);
    const onDisk = await figuresOf(join(folder, 'disk'), SYNCED_ROUNDS);
    const ccxt = await ccxtCreateOrder(print, { warmUpOrders: WARM_BARS, rounds: ROUNDS, orders: BARS, pauseMs: RHYTHM_MS });
    const wall = inMemory.flatMap(({ wallMs }) => wallMs);
    const barToBytesCpuUs = Math.min(...inMemory.map(({ barUs }) => quantile(barUs, 0.5)));
    return {
      barToBytesCpuUs,
      barToBytesCpuP99Us: quantile(inMemory.flatMap(({ barUs }) => barUs), 0.99), // prettier-ignore
      answerToBytesCpuUs: Math.min(...inMemory.map(({ answerUs }) => quantile(answerUs, 0.5))),
      ratioToCcxt: ccxt === null ? null : barToBytesCpuUs / ccxt.toAnswerUs,
      ratioToCcxtSocket: ccxt === null ? null : barToBytesCpuUs / ccxt.toSocketUs,
      closeToBytesMs: quantile(inMemory.flatMap(({ closeMs }) => closeMs), 0.5), // prettier-ignore
      closeToBytesCpuUs: Math.min(...inMemory.map(({ closeUs }) => quantile(closeUs, 0.5))),
      p50Ms: quantile(wall, 0.5),
      p99Ms: quantile(wall, 0.99),
      syncedMs: quantile(onDisk.flatMap(({ wallMs }) => wallMs), 0.5), // prettier-ignore
      bareSyncMs: await bareSyncMs(folder),
    };
  } finally {
    rmSync(memory, { recursive: true, force: true });
  }
}

interface Round {
  /** The time of each bar. */
  readonly barUs: readonly number[];
  readonly answerUs: readonly number[];
  readonly wallMs: readonly number[];
  readonly closeUs: readonly number[];
  readonly closeMs: readonly number[];
}

/** A bot in a process of its own, on an exchange of its own: some bars for V8, then rounds. */
async function figuresOf(folder: string, rounds: number): Promise<readonly Round[]> {
  const exchange = new PartProcess([join(ROOT, 'dist/cli/isobar.js'), 'exchange', '--demo', '--port', '0', '--control', '0', '--quiet']);
  const bot = new PartProcess([SELF, '--live-part', folder, await exchange.nextLine()]);
  try {
    await bot.nextLine();
    await bot.request(WARM_BARS);
    const found: Round[] = [];
    for (let round = 0; round < rounds; round++) found.push(JSON.parse(await bot.request(BARS)) as Round);
    return found;
  } finally {
    bot.end();
    await exchange.stop();
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;
}

/** Returns the time to append and sync as many bytes as the records of an order have. */
async function bareSyncMs(folder: string): Promise<number> {
  const file = openSync(join(folder, 'sync'), 'a', 0o600);
  const bytes = Buffer.alloc(2000, 'a');
  const times: number[] = [];
  try {
    for (let at = 0; at < SYNCS; at++) {
      const fromMs = performance.now();
      writeSync(file, bytes);
      await new Promise<void>((resolve, reject) => fdatasync(file, (error) => (error ? reject(error) : resolve())));
      times.push(performance.now() - fromMs);
    }
  } finally {
    closeSync(file);
  }
  return quantile(times, 0.5);
}

/** In at one bar, out at the next, with an indicator to keep. */
class EachBar extends Strategy {
  average = this.use(sma(this.bars.close, 20));
  override onBar() {
    if (this.position().isFlat) this.buy({ quote: this.average.value > 0 ? 100 : 101 });
    else this.exit();
  }
}

/** The process of the bot: for each line of its input, a number, it trades as many bars and prints a Round. */
export async function livePart(folder: string, opened: string): Promise<void> {
  // As the process of a bot begins.
  tuneV8();
  const { spot, control, key, secret } = JSON.parse(opened) as Readonly<Record<'spot' | 'control' | 'key' | 'secret', string>>;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of [['key', key], ['secret', secret]] as const) writeFileSync(join(folder, name), text, { mode: 0o600 }); // prettier-ignore
  writeFileSync(join(folder, 'bot.yaml'), configText(spot));
  const config = readLiveConfig(join(folder, 'bot.yaml'), {});
  const time = new JumpingScheduler();
  const load: LiveOptions['load'] = async (entry, source) => ({
    plan: strategyPlanOf(entry, { strategy: EachBar, name: 'EachBar', hash: 'EachBar' }, source),
    inputs: [],
    folder,
  });
  const watch = new OrderWatch();
  const running = await openLiveBot(config, {
    log: (nowMs) => new LiveLog({ write: () => {}, isPretty: false, nowMs, formatTime: String, hide: (text) => text }),
    broken: (why) => {
      throw new Error(why);
    },
    scheduler: time,
    load,
  });
  const { bot } = running;
  const { journal } = bot.deps;
  const instant = journal.instant.bind(journal);
  journal.instant = (body) => {
    watch.bar();
    return instant(body);
  };
  let isTrading = false;
  bot.start(() => (isTrading = true));
  const rests = (): boolean => bot.isIdle && bot.deps.engine.orders.active().length === 0;
  /** What is waited for in between need not be lived through; nothing is on the wire while both clocks jump. */
  const hurryTo = async (holds: () => boolean, what: string): Promise<void> => {
    for (let steps = 0; !holds(); steps++) {
      if (steps > MAX_STEPS) throw new Error(`${what} did not come`);
      await until(() => watch.onWire === 0, 'an answer');
      await jump(time, control, STEP_MS);
      await pause(1);
    }
  };
  await hurryTo(() => isTrading, 'the start');
  process.stdout.write('ready\n');
  for await (const line of createInterface({ input: process.stdin })) {
    watch.forget();
    for (let bar = 0; bar < Number(line); bar++) {
      await hurryTo(rests, 'the end of an order');
      await until(() => watch.onWire === 0, 'an answer');
      const order = watch.order();
      const aheadMs = MINUTE_MS - (bot.deps.venueMs() % MINUTE_MS) + AFTER_CLOSE_MS;
      await jump(time, control, aheadMs, () => watch.closed(AFTER_CLOSE_MS));
      await order;
    }
    process.stdout.write(`${JSON.stringify(watch.round)}\n`);
  }
  await new Promise<void>((resolve) => bot.stop(resolve));
  await running.close();
  time.close();
}

/** Both clocks, that of the exchange first, because a request must not be signed in its future. */
async function jump(time: JumpingScheduler, control: string, wantedMs: number, before: () => void = () => {}): Promise<void> {
  const ms = Math.ceil(wantedMs);
  const answer = await fetch(`${control}/clock`, { method: 'POST', body: JSON.stringify({ stepMs: ms }) });
  // Read to its end here, or it would be on the bot's time.
  await answer.arrayBuffer();
  const { ok, status } = answer;
  if (!ok) throw new Error(`the clock of the exchange cannot be stepped (HTTP ${status})`);
  before();
  time.jump(ms);
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const endMs = performance.now() + MAX_MS;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`${what} did not come within ${MAX_MS} ms`);
    await pause(1);
  }
}

const Reported = z.object({ request: z.object({ path: z.string(), method: z.string() }) });

/**
 * Is called for each answer with bars, and of the first order after it. It reads the clock before all else, and while an order is awaited
 * nothing of the bench runs, no timer either: of ccxt's orders, too, only their own work is counted.
 */
class OrderWatch {
  #beganUs = NaN;
  #beganMs = NaN;
  #barAtUs = NaN;
  #barUs: number[] = [];
  #answerUs: number[] = [];
  #wallMs: number[] = [];
  #closeUs: number[] = [];
  #closeMs: number[] = [];
  #closedUs = NaN;
  #closedMs = NaN;
  #received: () => void = () => {};
  onWire = 0;

  constructor() {
    subscribe('undici:request:create', () => this.onWire++);
    subscribe('undici:request:error', () => this.onWire--);
    subscribe('undici:request:trailers', (message) => {
      this.onWire--;
      if (!Reported.parse(message).request.path.includes('klines')) return;
      this.#beganMs = performance.now();
      this.#beganUs = processUs();
    });
    subscribe('undici:request:bodySent', (message) => {
      const nowUs = processUs();
      const nowMs = performance.now();
      const { method, path } = Reported.parse(message).request;
      if (method !== 'POST' || !path.includes('order') || Number.isNaN(this.#beganUs)) return;
      this.#barUs.push(nowUs - this.#barAtUs);
      this.#answerUs.push(nowUs - this.#beganUs);
      this.#wallMs.push(nowMs - this.#beganMs);
      this.#closeUs.push(nowUs - this.#closedUs);
      this.#closeMs.push(nowMs - this.#closedMs);
      this.#beganUs = NaN;
      this.#received();
    });
  }

  /** A bar closed `agoMs` ago, by the clock of the exchange, and the timers of the bot are about to run. */
  closed(agoMs: number): void {
    this.#closedUs = processUs();
    this.#closedMs = performance.now() - agoMs;
  }
  /** The bars of an instant have been read: the next thing done is to write them down and to decide. */
  bar(): void {
    this.#barAtUs = processUs();
  }
  /** Resolves with the next order. */
  order(): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = setTimeout(() => reject(new Error(`no order came within ${MAX_MS} ms`)), MAX_MS);
      this.#received = () => {
        clearTimeout(end);
        resolve();
      };
    });
  }
  get round(): Round {
    return { barUs: this.#barUs, answerUs: this.#answerUs, wallMs: this.#wallMs, closeUs: this.#closeUs, closeMs: this.#closeMs };
  }
  forget(): void {
    this.#barUs = [];
    this.#answerUs = [];
    this.#wallMs = [];
    this.#closeUs = [];
    this.#closeMs = [];
    this.#beganUs = NaN;
  }
}

function processUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const configText = (url: string): string => `mode: paper
exchange: { spotUrl: '${url}', keyFile: key, secretFile: secret }
data: bot
strategy: eachBar.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
audit: { fastMs: 60000, balanceMs: 600000, fullMs: 86400000 }
risk: { maxAuditAgeMs: 1000000 }
bars: { graceMs: 60000 }
`;
