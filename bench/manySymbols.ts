// Measures a live bot over many symbols at a paper exchange with rate limits: the delay of its decisions, and how many bars are fresh.

import { subscribe } from 'node:diagnostics_channel';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { strategyPlanOf } from '../dist/definition/load/strategies.js';
import { readLiveConfig } from '../dist/tasks/bot/config/liveConfig.js';
import { LiveLog } from '../dist/tasks/bot/run/liveLog.js';
import { openLiveBot, type LiveOptions } from '../dist/tasks/bot/openLiveBot.js';
import type { LiveBot } from '../dist/tasks/bot/run/liveBot.js';
import { Strategy } from '../dist/index.js';
import { tuneV8 } from '../dist/adapters/runtime/tuneV8.js';
import { JumpingScheduler } from './jumpingScheduler.ts';
import { PartProcess } from './partProcess.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** The bundled bench. Its part processes run this file, so that they do not bundle it again. */
const SELF = fileURLToPath(import.meta.url);
/** Length of one jump of the clocks during the start, ms. */
const JUMP_MS = 3000;
const MAX_JUMPS = 600;
/** Real time between two jumps, ms. In it the bot does the work that has become due. */
const JUMP_PAUSE_MS = 20;
/** Time from a jump to the close that is measured. */
const BEFORE_CLOSE_MS = 1500;
/** Time after a close at which the kline calls are under way. */
const KLINE_CALLS_MS = 1000;
/** Time that the first calls for bars may take beyond what the rate limit admits. */
const FIRST_CALLS_MARGIN_MS = 3000;
/** Time for the order of a close to be sent and acknowledged. */
const AFTER_DECISION_MS = 1500;
/** Longest wait for the decisions of a close. */
const MAX_DECISION_MS = 40_000;

/** Public calls that the assumed rate limit admits in a second. */
const CALLS_PER_S = 9;

/** The cases: number of symbols, interval, decision mode and number of measured closes. */
const CASES = {
  symbols50: { symbolCount: 50, interval: '1m', intervalMs: 60_000, decide: 'whenComplete', closeCount: 3 },
  symbols50PerFeed: { symbolCount: 50, interval: '1m', intervalMs: 60_000, decide: 'perFeed', closeCount: 3 },
  symbols200: { symbolCount: 200, interval: '15m', intervalMs: 900_000, decide: 'whenComplete', closeCount: 2 },
} as const;
type ManySymbolsCase = keyof typeof CASES;
type BenchCase = (typeof CASES)[ManySymbolsCase];

/** The figures of a case. The names are members of the JSON output. */
const FIGURES_SCHEMA = z.object({
  /** Number of fresh bars over all decisions of a close; the fewest of all closes. */
  fresh: z.number(),
  /** Delay of the first decision and of the last decision after the close, by the clock of the exchange; the longest of all closes. */
  firstMs: z.number(),
  lastMs: z.number(),
  /** Calls that the exchange refused for its rate limits (429 and 418). */
  refused: z.number(),
  /** Time from a cancel in the middle of the kline calls to its bytes on the socket; the longest of all closes. */
  cancelMs: z.number(),
});
type ManySymbolsFigures = Readonly<z.output<typeof FIGURES_SCHEMA>>;

/** Measures one case after the other and passes the figures of each to `print`. A case takes about a minute. */
export async function manySymbolsBench(folder: string, print: (figures: object) => void): Promise<void> {
  for (const caseName of ['symbols50', 'symbols50PerFeed', 'symbols200'] as const) {
    print({ [caseName]: await measureCase(join(folder, caseName), caseName) });
  }
}

/** Runs an exchange and a bot in processes of their own, and returns the figures of the bot. */
async function measureCase(folder: string, caseName: ManySymbolsCase): Promise<ManySymbolsFigures> {
  const file = writeExchangeConfig(folder, CASES[caseName].symbolCount);
  const exchange = new PartProcess([join(ROOT, 'dist/cli/isobar.js'), 'exchange', file, '--port', '0', '--control', '0', '--quiet']);
  // A part process has two arguments, so the first one has both names.
  const bot = new PartProcess([SELF, '--symbols-part', `${folder} ${caseName}`, await exchange.nextLine()]);
  try {
    return FIGURES_SCHEMA.parse(JSON.parse(await bot.nextLine()));
  } finally {
    bot.end();
    await exchange.stop();
  }
}

const symbolOf = (index: number): string => `S${String(index).padStart(3, '0')}USDT`;

/** Writes the config and the key files of an exchange with `symbolCount` symbols. Returns the path of the config. */
function writeExchangeConfig(folder: string, symbolCount: number): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of ['key', 'secret']) writeFileSync(join(folder, name), `bench-${name}-of-many-symbols`, { mode: 0o600 });
  const instruments = Array.from({ length: symbolCount }, (_, index) => ({
    symbol: symbolOf(index),
    base: symbolOf(index).slice(0, 4),
    quote: 'USDT',
    priceDigits: 2,
    quantityDigits: 5,
    prices: { price: String(100 + index), quantity: '1000' },
  }));
  const keyFiles = [{ keyFile: join(folder, 'key'), secretFile: join(folder, 'secret') }];
  const accounts = [{ name: 'bot', uid: 10_001, balances: { USDT: '1000000' }, keys: keyFiles }];
  const path = join(folder, 'exchange.yaml');
  // JSON is valid YAML.
  writeFileSync(path, JSON.stringify({ seed: 1, accounts, instruments }));
  return path;
}

/** One decision of the bot. */
interface Decision {
  /** Close of the bar. */
  readonly barMs: number;
  /** Time of the decision by the clock of the exchange. */
  readonly decidedMs: number;
  /** Number of feeds whose bar of this close the bot has. */
  readonly freshCount: number;
}
/** The decisions since the last jump. The strategies below add them, and `measureClose` clears and reads them. */
const decisions: Decision[] = [];
/** The clock of the exchange, which the strategies read. Set once the bot is open. */
let venueMs: () => number = () => NaN;

/** Notes how many of its feeds are fresh at each decision. Keeps one order far below the market, which the benchmark cancels. */
class AllFeeds extends Strategy {
  allFeeds = this.feeds('bars');
  override onBar() {
    decisions.push({ barMs: this.nowMs, decidedMs: venueMs(), freshCount: this.allFeeds.filter(({ fresh }) => fresh).length });
    const feed = this.allFeeds[0]!;
    if (this.openOrders(feed).length === 0) this.buy({ base: '1' }, { feed, limit: feed.close.value / 2 });
  }
}

/** Returns a class that does the same with one feed. Only the class of the first feed keeps an order. */
const oneFeedClass = (index: number) =>
  class OneFeed extends Strategy {
    ownFeed = this.feed(`f${index}`);
    override onBar() {
      decisions.push({ barMs: this.nowMs, decidedMs: venueMs(), freshCount: 1 });
      if (index === 0 && this.openOrders(this.ownFeed).length === 0) {
        this.buy({ base: '1' }, { feed: this.ownFeed, limit: this.ownFeed.close.value / 2 });
      }
    }
  };

/** The delays of the decisions at one close. */
interface CloseFigures {
  readonly freshCount: number;
  readonly firstDelayMs: number;
  readonly lastDelayMs: number;
  /** Time from a cancel to its bytes on the socket. Null if no order was working. */
  readonly cancelMs: number | null;
}

/**
 * Runs the process of the bot and prints its figures as JSON. `folderAndCase` is the folder and the name of the case, with a space between
 * them. `exchangeJson` is the line that the exchange printed.
 */
export async function manySymbolsPart(folderAndCase: string, exchangeJson: string): Promise<void> {
  tuneV8();
  const [folder = '', caseName = ''] = folderAndCase.split(' ');
  const benchCase = CASES[caseName as ManySymbolsCase];
  const { spot, control } = JSON.parse(exchangeJson) as Readonly<Record<'spot' | 'control', string>>;
  writeFileSync(join(folder, 'bot.yaml'), JSON.stringify(botConfig(benchCase, spot)));
  const requestMonitor = new RequestMonitor();
  const scheduler = new JumpingScheduler();
  /** Moves the clocks of the exchange and of the bot ahead. */
  const jump = async (ms: number): Promise<void> => {
    await requestMonitor.waitUntilIdle();
    const stepMs = Math.ceil(ms);
    const reply = await fetch(`${control}/clock`, { method: 'POST', body: JSON.stringify({ stepMs }) });
    await reply.arrayBuffer();
    scheduler.jump(stepMs);
    await pause(1);
  };
  const opening = openLiveBot(readLiveConfig(join(folder, 'bot.yaml'), {}), {
    // The log is dropped, so it needs no real texts.
    log: (nowMs) => new LiveLog({ write: () => {}, isPretty: false, nowMs, formatTime: String, removeSecrets: (text) => text }),
    broken: (reason) => {
      throw new Error(reason);
    },
    scheduler,
    load: strategyLoader(folder, benchCase),
  });
  const running = await jumpUntilDone(opening, jump);
  const { bot } = running;
  venueMs = bot.deps.venueMs;
  const started = new Promise<void>((resolve) => bot.start(resolve));
  await jumpUntilDone(started, jump);
  // The first calls for bars need several windows of the rate limit.
  await pause((benchCase.symbolCount / CALLS_PER_S) * 1000 + FIRST_CALLS_MARGIN_MS);
  const allCloses: CloseFigures[] = [];
  for (let close = 0; close <= benchCase.closeCount; close++) allCloses.push(await measureClose(bot, benchCase, requestMonitor, jump));
  // The decisions of the first close do not count: it opens the connections, and its code is not compiled yet. Its cancel counts.
  const measuredCloses = allCloses.slice(1);
  const cancelsMs = allCloses.map(({ cancelMs }) => cancelMs).filter((cancelMs) => cancelMs !== null);
  const figures: ManySymbolsFigures = {
    fresh: Math.min(...measuredCloses.map(({ freshCount }) => freshCount)),
    firstMs: Math.max(...measuredCloses.map(({ firstDelayMs }) => firstDelayMs)),
    lastMs: Math.max(...measuredCloses.map(({ lastDelayMs }) => lastDelayMs)),
    refused: bot.requests.refused,
    cancelMs: Math.max(...cancelsMs),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  await new Promise<void>((resolve) => bot.stop(resolve));
  await running.close();
  scheduler.close();
}

/** Returns a loader that gives the bot one class for all feeds, or in the mode `perFeed` one class for each feed. */
function strategyLoader(folder: string, { decide, symbolCount }: BenchCase): LiveOptions['load'] {
  const classes = decide === 'perFeed' ? Array.from({ length: symbolCount }, (_, index) => oneFeedClass(index)) : [AllFeeds];
  let loadedCount = 0;
  return async (entry, source) => {
    const strategy = classes[loadedCount++ % classes.length]!;
    const plan = strategyPlanOf(entry, { strategy, name: 'DecisionRecorder', hash: 'DecisionRecorder' }, source);
    return { plan, inputs: [], folder };
  };
}

/** Moves the clocks to shortly before the next close, waits for its decisions and returns its figures. */
async function measureClose(
  { deps, driver }: LiveBot,
  { intervalMs, symbolCount }: BenchCase,
  requestMonitor: RequestMonitor,
  jump: (ms: number) => Promise<void>,
): Promise<CloseFigures> {
  await requestMonitor.waitUntilIdle();
  const closeMs = Math.ceil((venueMs() + BEFORE_CLOSE_MS) / intervalMs) * intervalMs;
  await jump(closeMs - venueMs() - BEFORE_CLOSE_MS);
  decisions.length = 0;
  const countFresh = (): number => decisions.reduce((sum, { freshCount }) => sum + freshCount, 0);
  await until(() => venueMs() > closeMs + KLINE_CALLS_MS);
  const { engine } = deps;
  const workingOrder = engine.orders.active().find(({ lifecycle }) => lifecycle === 'working');
  let cancelMs: number | null = null;
  if (workingOrder !== undefined) {
    const startMs = performance.now();
    const cancelSent = requestMonitor.nextCancelSent();
    driver.step(() => engine.orders.cancel(workingOrder, engine.nowMs));
    cancelMs = (await cancelSent) - startMs;
  }
  await until(() => countFresh() >= symbolCount || venueMs() > closeMs + MAX_DECISION_MS);
  // The exchange acknowledges the order of this close before the clocks jump.
  await pause(AFTER_DECISION_MS);
  const delaysMs = decisions.map(({ barMs, decidedMs }) => decidedMs - barMs);
  return { freshCount: countFresh(), firstDelayMs: Math.min(...delaysMs), lastDelayMs: Math.max(...delaysMs), cancelMs };
}

/** Returns the live config of the bot. */
function botConfig({ symbolCount, interval, decide }: BenchCase, spotUrl: string): object {
  const symbols = Array.from({ length: symbolCount }, (_, index) => symbolOf(index));
  const isPerFeed = decide === 'perFeed';
  const singleFeeds = Object.fromEntries(symbols.map((symbol, index) => [`f${index}`, { symbol, interval }]));
  return {
    mode: 'paper',
    exchange: { spotUrl, keyFile: 'key', secretFile: 'secret' },
    data: 'bot',
    strategy: isPerFeed ? symbols.map((_, index) => `watcher${index}.ts`) : 'watcher.ts',
    feeds: isPerFeed ? singleFeeds : { bars: { symbols, interval } },
    decide,
    cash: { USDT: '100000' },
    audit: { fastMs: 60_000, balanceMs: 600_000, fullMs: 86_400_000 },
    risk: { maxAuditAgeMs: 1_000_000 },
  };
}

/** Moves both clocks ahead until `work` is done. They move only while no request is open. */
async function jumpUntilDone<T>(work: Promise<T>, jump: (ms: number) => Promise<void>): Promise<T> {
  const progress = { isDone: false };
  const done = work.finally(() => (progress.isDone = true));
  // The caller gets a failure from the return value. Until then it must not count as unhandled.
  done.catch(() => {});
  for (let jumpCount = 0; !progress.isDone; jumpCount++) {
    if (jumpCount > MAX_JUMPS) throw new Error(`the bot did not start within ${MAX_JUMPS} jumps`);
    await pause(JUMP_PAUSE_MS);
    if (!progress.isDone) await jump(JUMP_MS);
  }
  return done;
}

/** Waits until the condition holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(1);
}

/** The part of an undici diagnostics message that the benchmark reads. */
const RequestMessage = z.object({ request: z.object({ path: z.string(), method: z.string() }) });

/** Counts the requests of this process without a reply, and reports cancels when they have been sent. */
class RequestMonitor {
  #openRequests = 0;
  #onCancelSent: (() => void) | null = null;

  constructor() {
    subscribe('undici:request:create', () => this.#openRequests++);
    subscribe('undici:request:error', () => this.#openRequests--);
    subscribe('undici:request:trailers', () => this.#openRequests--);
    subscribe('undici:request:bodySent', (message) => {
      if (RequestMessage.parse(message).request.path.includes('cancel')) this.#onCancelSent?.();
    });
  }

  /** Resolves when no request waits for its reply. */
  async waitUntilIdle(): Promise<void> {
    await until(() => this.#openRequests <= 0);
  }
  /** Resolves with the time at which the next cancel has been sent, as `performance.now()` counts it. */
  nextCancelSent(): Promise<number> {
    return new Promise((resolve) => {
      this.#onCancelSent = () => resolve(performance.now());
    });
  }
}
