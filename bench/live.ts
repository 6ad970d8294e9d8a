// Measures a live bot from a received bar to the signed order on its socket: CPU time compared with ccxt's createOrder, and wall time.

import { closeSync, existsSync, fdatasync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { strategyPlanOf } from '../dist/definition/load/strategies.js';
import { readLiveConfig } from '../dist/tasks/bot/config/liveConfig.js';
import { LiveLog } from '../dist/tasks/bot/run/liveLog.js';
import { openLiveBot, type LiveOptions } from '../dist/tasks/bot/openLiveBot.js';
import { sma, Strategy } from '../dist/index.js';
import { tuneV8 } from '../dist/adapters/runtime/tuneV8.js';
import { JumpingScheduler } from './jumpingScheduler.ts';
import { PartProcess } from './partProcess.ts';
import { ccxtCreateOrder } from './restCreate.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** The bundled bench. Its part processes run this file, so that they do not bundle it again. */
const SELF = fileURLToPath(import.meta.url);
const MINUTE_MS = 60_000;
/** After these bars the code of the bot is compiled. */
const WARM_UP_BARS = 300;
/** Bars of each measured round. */
const BARS_PER_ROUND = 50;
/** Rounds with the journal in memory, and with the journal on the disk. */
const ROUNDS = 6;
const DISK_ROUNDS = 2;
/** Bare syncs of the disk that are measured, and the bytes of each: about those of the records of an order. */
const SYNCS = 200;
const RECORD_BYTES = 2000;
/** Pause between orders of ccxt, roughly that between orders of the bot. */
const ORDER_PAUSE_MS = 20;
/** Time from the close of a bar to the end of a jump, when the bot is about to request the bar: the default of `bars.delayMs`. */
const AFTER_CLOSE_MS = 400;
/** Length of one jump of the clocks between bars. */
const JUMP_MS = 3000;
const MAX_JUMPS = 600;
/** Time limit of each wait. */
const MAX_WAIT_MS = 30_000;

/** The times of a live bot from a bar to its order. */
export interface LiveFigures {
  /** CPU time of the process from a bar that has been read to the last byte of the signed order: the median of the best round. */
  readonly barToBytesCpuUs: number;
  /** The 99th percentile of that time over all rounds. Slower orders meet, for example, a garbage collection. */
  readonly barToBytesCpuP99Us: number;
  /** CPU time to the same byte from the last byte of the reply with the bar, whose rows are not read yet: the median of the best round. */
  readonly answerToBytesCpuUs: number;
  /**
   * `barToBytesCpuUs` divided by the cost of a call of ccxt's createOrder, as warm and with the same pauses. Null where ccxt cannot be
   * installed.
   */
  readonly ratioToCcxt: number | null;
  /**
   * `barToBytesCpuUs` divided by the cost of that call up to the last byte of its order on the socket. Null where ccxt cannot be installed.
   */
  readonly ratioToCcxtSocket: number | null;
  /**
   * Median wall time from the close of the bar to the last byte of the order, with the wait and the kline call. The journal is in memory.
   */
  readonly closeToBytesMs: number;
  /** CPU time of the process in that span: timers, the kline call, its rows, the decision, the order. The median of the best round. */
  readonly closeToBytesCpuUs: number;
  /** Wall time from the reply with the bar to the last byte of the order, with the journal in memory. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Median wall time with the journal on the disk: two records are synced before the order leaves. */
  readonly syncedMs: number;
  /** Median time of a write and its fdatasync alone on that disk. */
  readonly bareSyncMs: number;
}

/** Runs the bot with its journal in memory and on disk, then ccxt, and returns the figures. */
export async function liveBench(folder: string, print: (text: string) => void): Promise<LiveFigures> {
  const memory = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/isobar-bench-') : join(folder, 'memory');
  try {
    const inMemory = await roundsOfBot(memory, ROUNDS);
    const onDisk = await roundsOfBot(join(folder, 'disk'), DISK_ROUNDS);
    const ccxt = await ccxtCreateOrder(print, {
      warmUpOrders: WARM_UP_BARS,
      rounds: ROUNDS,
      orders: BARS_PER_ROUND,
      pauseMs: ORDER_PAUSE_MS,
    });
    const wallMs = inMemory.flatMap((round) => round.wallMs);
    const barCpuUs = inMemory.flatMap((round) => round.barCpuUs);
    const closeMs = inMemory.flatMap((round) => round.closeMs);
    const diskWallMs = onDisk.flatMap((round) => round.wallMs);
    const barToBytesCpuUs = Math.min(...inMemory.map((round) => quantile(round.barCpuUs, 0.5)));
    return {
      barToBytesCpuUs,
      barToBytesCpuP99Us: quantile(barCpuUs, 0.99),
      answerToBytesCpuUs: Math.min(...inMemory.map(({ replyCpuUs }) => quantile(replyCpuUs, 0.5))),
      ratioToCcxt: ccxt === null ? null : barToBytesCpuUs / ccxt.toAnswerUs,
      ratioToCcxtSocket: ccxt === null ? null : barToBytesCpuUs / ccxt.toSocketUs,
      closeToBytesMs: quantile(closeMs, 0.5),
      closeToBytesCpuUs: Math.min(...inMemory.map(({ closeCpuUs }) => quantile(closeCpuUs, 0.5))),
      p50Ms: quantile(wallMs, 0.5),
      p99Ms: quantile(wallMs, 0.99),
      syncedMs: quantile(diskWallMs, 0.5),
      bareSyncMs: await medianBareSyncMs(folder),
    };
  } finally {
    rmSync(memory, { recursive: true, force: true });
  }
}

/** The measurements of one round, up to the last byte of the order: each list has one value for each bar. */
interface Round {
  /** CPU time from the bar that has been read. */
  readonly barCpuUs: readonly number[];
  /** CPU time and wall time from the reply with the bar. */
  readonly replyCpuUs: readonly number[];
  readonly wallMs: readonly number[];
  /** CPU time and wall time from the close of the bar. */
  readonly closeCpuUs: readonly number[];
  readonly closeMs: readonly number[];
}

/** Runs a bot and an exchange in processes of their own. Returns the rounds that follow the warm-up. */
async function roundsOfBot(folder: string, roundCount: number): Promise<readonly Round[]> {
  const exchange = new PartProcess([join(ROOT, 'dist/cli/isobar.js'), 'exchange', '--demo', '--port', '0', '--control', '0', '--quiet']);
  const bot = new PartProcess([SELF, '--live-part', folder, await exchange.nextLine()]);
  try {
    await bot.nextLine();
    await bot.request(WARM_UP_BARS);
    const measuredRounds: Round[] = [];
    for (let round = 0; round < roundCount; round++) measuredRounds.push(JSON.parse(await bot.request(BARS_PER_ROUND)) as Round);
    return measuredRounds;
  } finally {
    bot.end();
    await exchange.stop();
  }
}

/** Returns the value below which `fraction` of the values are. */
function quantile(values: readonly number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * fraction))] ?? NaN;
}

/** Returns the median time to append RECORD_BYTES to a file and sync it. */
async function medianBareSyncMs(folder: string): Promise<number> {
  const file = openSync(join(folder, 'sync'), 'a', 0o600);
  const bytes = Buffer.alloc(RECORD_BYTES, 'a');
  const durationsMs: number[] = [];
  try {
    for (let sync = 0; sync < SYNCS; sync++) {
      const startMs = performance.now();
      writeSync(file, bytes);
      await new Promise<void>((resolve, reject) => fdatasync(file, (error) => (error ? reject(error) : resolve())));
      durationsMs.push(performance.now() - startMs);
    }
  } finally {
    closeSync(file);
  }
  return quantile(durationsMs, 0.5);
}

/** Buys at one bar and sells at the next. Its average makes the bot update an indicator at each bar, as a usual strategy does. */
class EachBar extends Strategy {
  average = this.use(sma(this.bars.close, 20));
  override onBar() {
    // The average is always above 0. Reading it keeps the compiler from removing the indicator.
    if (this.position().isFlat) this.buy({ quote: this.average.value > 0 ? 100 : 101 });
    else this.exit();
  }
}

/**
 * Runs the process of the bot. `exchangeJson` is the line that the exchange printed. For each line of input, a number of bars, the bot trades at
 * as many bars and prints a Round.
 */
export async function livePart(folder: string, exchangeJson: string): Promise<void> {
  // The process of a bot starts with the same call.
  tuneV8();
  const { spot, control, key, secret } = JSON.parse(exchangeJson) as Readonly<Record<'spot' | 'control' | 'key' | 'secret', string>>;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'key'), key, { mode: 0o600 });
  writeFileSync(join(folder, 'secret'), secret, { mode: 0o600 });
  writeFileSync(join(folder, 'bot.yaml'), configText(spot));
  const config = readLiveConfig(join(folder, 'bot.yaml'), {});
  const scheduler = new JumpingScheduler();
  const load: LiveOptions['load'] = async (entry, source) => ({
    plan: strategyPlanOf(entry, { strategy: EachBar, name: 'EachBar', hash: 'EachBar' }, source),
    inputs: [],
    folder,
  });
  const watch = new OrderWatch();
  const running = await openLiveBot(config, {
    log: (nowMs) => new LiveLog({ write: () => {}, isPretty: false, nowMs, formatTime: String, removeSecrets: (text) => text }),
    broken: (reason) => {
      throw new Error(reason);
    },
    scheduler,
    load,
  });
  const { bot } = running;
  const { journal } = bot.deps;
  // The bot journals an instant right after it has read the bars.
  const journalInstant = journal.instant.bind(journal);
  journal.instant = (body) => {
    watch.onBar();
    return journalInstant(body);
  };
  let isTrading = false;
  bot.start(() => (isTrading = true));
  const hasNoOpenOrder = (): boolean => bot.isIdle && bot.deps.engine.orders.active().length === 0;
  /** Moves both clocks ahead until `condition` holds. They move only while no request is open. */
  const jumpUntil = async (condition: () => boolean, awaited: string): Promise<void> => {
    for (let jumpCount = 0; !condition(); jumpCount++) {
      if (jumpCount > MAX_JUMPS) throw new Error(`${awaited} did not come within ${MAX_JUMPS} jumps`);
      await until(() => watch.openRequests === 0, 'a reply');
      await jump(scheduler, control, JUMP_MS);
      await pause(1);
    }
  };
  await jumpUntil(() => isTrading, 'the start');
  process.stdout.write('ready\n');
  for await (const line of createInterface({ input: process.stdin })) {
    watch.reset();
    for (let bar = 0; bar < Number(line); bar++) {
      await jumpUntil(hasNoOpenOrder, 'the end of an order');
      await until(() => watch.openRequests === 0, 'a reply');
      const orderSent = watch.nextOrder();
      const aheadMs = MINUTE_MS - (bot.deps.venueMs() % MINUTE_MS) + AFTER_CLOSE_MS;
      await jump(scheduler, control, aheadMs, () => watch.onClose(AFTER_CLOSE_MS));
      await orderSent;
    }
    process.stdout.write(`${JSON.stringify(watch.round)}\n`);
  }
  await new Promise<void>((resolve) => bot.stop(resolve));
  await running.close();
  scheduler.close();
}

/**
 * Moves both clocks ahead by `spanMs`, the exchange first, because a request must not have a timestamp in its future. Calls `beforeBot` between
 * the two.
 */
async function jump(scheduler: JumpingScheduler, control: string, spanMs: number, beforeBot: () => void = () => {}): Promise<void> {
  const ms = Math.ceil(spanMs);
  const reply = await fetch(`${control}/clock`, { method: 'POST', body: JSON.stringify({ stepMs: ms }) });
  // Reads the reply to its end here. Otherwise its work would count for the bot.
  await reply.arrayBuffer();
  const { ok, status } = reply;
  if (!ok) throw new Error(`the clock of the exchange cannot be stepped (HTTP ${status})`);
  beforeBot();
  scheduler.jump(ms);
}

/** Waits for a condition. Throws Error after MAX_WAIT_MS. */
async function until(condition: () => boolean, awaited: string): Promise<void> {
  const endMs = performance.now() + MAX_WAIT_MS;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`${awaited} did not come within ${MAX_WAIT_MS} ms`);
    await pause(1);
  }
}

/** The part of an undici diagnostics message that the benchmark reads. */
const RequestMessage = z.object({ request: z.object({ path: z.string(), method: z.string() }) });

/**
 * Measures from each reply with bars to the first order after it. Each handler reads the clock first. While the bot works on an order, no code
 * and no timer of the benchmark runs, so that only the work of the bot counts, as with ccxt.
 */
class OrderWatch {
  /** CPU and wall time of the last reply with bars; NaN once its order has been sent. */
  #lastReplyCpuUs = NaN;
  #lastReplyWallMs = NaN;
  /** CPU time at which the bars of an instant had been read. */
  #barReadCpuUs = NaN;
  /** CPU and wall time at which the bar closed. */
  #barCloseCpuUs = NaN;
  #barCloseWallMs = NaN;
  // The lists of the round. Each order adds one value to each.
  #barCpuUs: number[] = [];
  #replyCpuUs: number[] = [];
  #wallMs: number[] = [];
  #closeCpuUs: number[] = [];
  #closeMs: number[] = [];
  #onOrder: () => void = () => {};
  openRequests = 0;

  constructor() {
    subscribe('undici:request:create', () => this.openRequests++);
    subscribe('undici:request:error', () => this.openRequests--);
    subscribe('undici:request:trailers', (message) => {
      this.openRequests--;
      if (!RequestMessage.parse(message).request.path.includes('klines')) return;
      this.#lastReplyWallMs = performance.now();
      this.#lastReplyCpuUs = processCpuUs();
    });
    subscribe('undici:request:bodySent', (message) => {
      const nowCpuUs = processCpuUs();
      const nowMs = performance.now();
      const { method, path } = RequestMessage.parse(message).request;
      if (method !== 'POST' || !path.includes('order') || Number.isNaN(this.#lastReplyCpuUs)) return;
      this.#barCpuUs.push(nowCpuUs - this.#barReadCpuUs);
      this.#replyCpuUs.push(nowCpuUs - this.#lastReplyCpuUs);
      this.#wallMs.push(nowMs - this.#lastReplyWallMs);
      this.#closeCpuUs.push(nowCpuUs - this.#barCloseCpuUs);
      this.#closeMs.push(nowMs - this.#barCloseWallMs);
      this.#lastReplyCpuUs = NaN;
      this.#onOrder();
    });
  }

  /** Notes that a bar closed `agoMs` ago by the clock of the exchange. The timers of the bot are about to run. */
  onClose(agoMs: number): void {
    this.#barCloseCpuUs = processCpuUs();
    this.#barCloseWallMs = performance.now() - agoMs;
  }
  /** Notes that the bars of an instant have been read. Next the bot journals them and decides. */
  onBar(): void {
    this.#barReadCpuUs = processCpuUs();
  }
  /** Resolves when the next order has been sent. */
  nextOrder(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => reject(new Error(`no order came within ${MAX_WAIT_MS} ms`)), MAX_WAIT_MS);
      this.#onOrder = () => {
        clearTimeout(timeout);
        resolve();
      };
    });
  }
  get round(): Round {
    return {
      barCpuUs: this.#barCpuUs,
      replyCpuUs: this.#replyCpuUs,
      wallMs: this.#wallMs,
      closeCpuUs: this.#closeCpuUs,
      closeMs: this.#closeMs,
    };
  }
  /** Drops all measurements. */
  reset(): void {
    this.#barCpuUs = [];
    this.#replyCpuUs = [];
    this.#wallMs = [];
    this.#closeCpuUs = [];
    this.#closeMs = [];
    this.#lastReplyCpuUs = NaN;
  }
}

/** Returns the CPU time of this process in microseconds. */
function processCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Returns the config of the bot. */
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
