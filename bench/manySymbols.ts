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
/** Length of one jump of the clocks during the start. */
const STEP_MS = 3000;
const MAX_STEPS = 600;
/** Time from a jump to the close that is measured. */
const BEFORE_CLOSE_MS = 1500;
/** Time for the order of a close to be sent and acknowledged. */
const AFTER_DECISION_MS = 1500;
/** Longest wait for the decisions of a close. */
const MAX_DECISION_MS = 40_000;

/** Public calls that the assumed rate limit admits in a second. */
const CALLS_PER_S = 9;

/** The cases: number of symbols, interval, decision mode and number of closes. */
const CASES = {
  symbols50: { symbols: 50, interval: '1m', lengthMs: 60_000, decide: 'whenComplete', closes: 3 },
  symbols50PerFeed: { symbols: 50, interval: '1m', lengthMs: 60_000, decide: 'perFeed', closes: 3 },
  symbols200: { symbols: 200, interval: '15m', lengthMs: 900_000, decide: 'whenComplete', closes: 2 },
} as const;
type ManySymbolsCase = keyof typeof CASES;
type BenchCase = (typeof CASES)[ManySymbolsCase];

const FIGURES = z.object({
  /** Fresh bars over all decisions of a close; the fewest of all closes. */
  fresh: z.number(),
  /** Time from the close to the first and to the last decision by the clock of the exchange; the longest of all closes. */
  firstMs: z.number(),
  lastMs: z.number(),
  /** Calls that the exchange refused for its rate limits (429 and 418). */
  refused: z.number(),
  /** Time from a cancel in the middle of the kline calls to its bytes on the socket; the longest of all closes. */
  cancelMs: z.number(),
});
type ManySymbolsFigures = Readonly<z.output<typeof FIGURES>>;

/** Measures one case after the other and passes the figures of each to `print`. A case takes about a minute. */
export async function manySymbolsBench(folder: string, print: (figures: object) => void): Promise<void> {
  for (const caseName of ['symbols50', 'symbols50PerFeed', 'symbols200'] as const) {
    print({ [caseName]: await figuresOf(join(folder, caseName), caseName) });
  }
}

/** Runs an exchange and a bot, and returns the figures of the bot. */
async function figuresOf(folder: string, caseName: ManySymbolsCase): Promise<ManySymbolsFigures> {
  const file = writeExchangeConfig(folder, CASES[caseName].symbols);
  const exchange = new PartProcess([join(ROOT, 'dist/cli/isobar.js'), 'exchange', file, '--port', '0', '--control', '0', '--quiet']);
  const bot = new PartProcess([SELF, '--symbols-part', `${folder} ${caseName}`, await exchange.nextLine()]);
  try {
    return FIGURES.parse(JSON.parse(await bot.nextLine()));
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
  readonly fresh: number;
}
const decisions: Decision[] = [];
let venueMs: () => number = () => NaN;

/** Records how many of its feeds are fresh at each decision. Keeps one order far below the market, which the benchmark cancels. */
class AllFeeds extends Strategy {
  allFeeds = this.feeds('bars');
  override onBar() {
    decisions.push({ barMs: this.nowMs, decidedMs: venueMs(), fresh: this.allFeeds.filter(({ fresh }) => fresh).length });
    const feed = this.allFeeds[0]!;
    if (this.openOrders(feed).length === 0) this.buy({ base: '1' }, { feed, limit: feed.close.value / 2 });
  }
}

/** Returns a class that does the same with one feed. Only the class of the first feed keeps an order. */
const oneFeedClass = (index: number) =>
  class OneFeed extends Strategy {
    ownFeed = this.feed(`f${index}`);
    override onBar() {
      decisions.push({ barMs: this.nowMs, decidedMs: venueMs(), fresh: 1 });
      if (index === 0 && this.openOrders(this.ownFeed).length === 0) {
        this.buy({ base: '1' }, { feed: this.ownFeed, limit: this.ownFeed.close.value / 2 });
      }
    }
  };

/**
 * Runs the process of the bot: prints its figures as JSON. `folderAndCase` has both names, `exchangeJson` is the line that the exchange
 * printed.
 */
export async function manySymbolsPart(folderAndCase: string, exchangeJson: string): Promise<void> {
  tuneV8();
  const [folder = '', caseName = ''] = folderAndCase.split(' ');
  const benchCase = CASES[caseName as ManySymbolsCase];
  const { spot, control } = JSON.parse(exchangeJson) as Readonly<Record<'spot' | 'control', string>>;
  writeFileSync(join(folder, 'bot.yaml'), JSON.stringify(botConfig(benchCase, spot)));
  const wire = new Wire();
  const scheduler = new JumpingScheduler();
  const jump = async (ms: number): Promise<void> => {
    await wire.idle();
    const stepMs = Math.ceil(ms);
    const reply = await fetch(`${control}/clock`, { method: 'POST', body: JSON.stringify({ stepMs }) });
    await reply.arrayBuffer();
    scheduler.jump(stepMs);
    await pause(1);
  };
  const opening = openLiveBot(readLiveConfig(join(folder, 'bot.yaml'), {}), {
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
  const trading = new Promise<void>((resolve) => bot.start(resolve));
  await jumpUntilDone(trading, jump);
  // The first calls for bars need several windows of the rate limit.
  await pause((benchCase.symbols / CALLS_PER_S) * 1000 + 3000);
  const allCloses: CloseFigures[] = [];
  for (let close = 0; close <= benchCase.closes; close++) allCloses.push(await measureClose(bot, benchCase, wire, jump));
  // The decisions of the first close do not count: it opens the connections, and its code is not compiled yet.
  const closes = allCloses.slice(1);
  const figures: ManySymbolsFigures = {
    fresh: Math.min(...closes.map(({ fresh }) => fresh)),
    firstMs: Math.max(...closes.map(({ firstMs }) => firstMs)),
    lastMs: Math.max(...closes.map(({ lastMs }) => lastMs)),
    refused: bot.requests.refused,
    cancelMs: Math.max(...allCloses.flatMap(({ cancelMs }) => cancelMs ?? [])),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  await new Promise<void>((resolve) => bot.stop(resolve));
  await running.close();
  scheduler.close();
}

/** Returns a loader that gives the bot one class for all feeds, or in the mode `perFeed` one class for each feed. */
function strategyLoader(folder: string, { decide, symbols }: BenchCase): LiveOptions['load'] {
  const classes = decide === 'perFeed' ? Array.from({ length: symbols }, (_, index) => oneFeedClass(index)) : [AllFeeds];
  let loadedCount = 0;
  return async (entry, source) => {
    const strategy = classes[loadedCount++ % classes.length]!;
    const plan = strategyPlanOf(entry, { strategy, name: 'DecisionRecorder', hash: 'DecisionRecorder' }, source);
    return { plan, inputs: [], folder };
  };
}

/** The delays of the decisions at one close. */
interface CloseFigures {
  readonly fresh: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Null if no order was working. */
  readonly cancelMs: number | null;
}

/** Moves the clocks to shortly before the next close, waits for its decisions and returns its figures. */
async function measureClose(
  { deps, driver }: LiveBot,
  { lengthMs, symbols }: BenchCase,
  wire: Wire,
  jump: (ms: number) => Promise<void>,
): Promise<CloseFigures> {
  await wire.idle();
  const closeMs = Math.ceil((venueMs() + BEFORE_CLOSE_MS) / lengthMs) * lengthMs;
  await jump(closeMs - venueMs() - BEFORE_CLOSE_MS);
  decisions.length = 0;
  const freshCount = (): number => decisions.reduce((sum, { fresh }) => sum + fresh, 0);
  // One second after the close the kline calls are under way.
  await until(() => venueMs() > closeMs + 1000);
  const { engine } = deps;
  const workingOrder = engine.orders.active().find(({ lifecycle }) => lifecycle === 'working');
  let cancelMs: number | null = null;
  if (workingOrder !== undefined) {
    const startMs = performance.now();
    const cancelSent = wire.nextCancelSent();
    driver.step(() => engine.orders.cancel(workingOrder, engine.nowMs));
    cancelMs = (await cancelSent) - startMs;
  }
  await until(() => freshCount() >= symbols || venueMs() > closeMs + MAX_DECISION_MS);
  // The exchange acknowledges the order of this close before the clocks jump.
  await pause(AFTER_DECISION_MS);
  const delays = decisions.map(({ barMs, decidedMs }) => decidedMs - barMs);
  return { fresh: freshCount(), firstMs: Math.min(...delays), lastMs: Math.max(...delays), cancelMs };
}

/** Returns the live config of the bot. */
function botConfig({ symbols, interval, decide }: BenchCase, spotUrl: string): object {
  const names = Array.from({ length: symbols }, (_, index) => symbolOf(index));
  const isPerFeed = decide === 'perFeed';
  const singleFeeds = Object.fromEntries(names.map((symbol, index) => [`f${index}`, { symbol, interval }]));
  return {
    mode: 'paper',
    exchange: { spotUrl, keyFile: 'key', secretFile: 'secret' },
    data: 'bot',
    strategy: isPerFeed ? names.map((_, index) => `watcher${index}.ts`) : 'watcher.ts',
    feeds: isPerFeed ? singleFeeds : { bars: { symbols: names, interval } },
    decide,
    cash: { USDT: '100000' },
    audit: { fastMs: 60_000, balanceMs: 600_000, fullMs: 86_400_000 },
    risk: { maxAuditAgeMs: 1_000_000 },
  };
}

/** Moves both clocks ahead until `work` is done. They move only while no request is open. */
async function jumpUntilDone<T>(work: Promise<T>, jump: (ms: number) => Promise<void>): Promise<T> {
  const state = { isDone: false };
  const done = work.finally(() => (state.isDone = true));
  done.catch(() => {});
  for (let steps = 0; !state.isDone; steps++) {
    if (steps > MAX_STEPS) throw new Error(`the bot did not start within ${MAX_STEPS} jumps`);
    await pause(20);
    if (!state.isDone) await jump(STEP_MS);
  }
  return done;
}

/** Waits until the condition holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(1);
}

/** The part of an undici diagnostics message that the benchmark reads. */
const RequestMessage = z.object({ request: z.object({ path: z.string(), method: z.string() }) });

/** Counts requests without a reply and reports cancels when they have been sent. */
class Wire {
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
  async idle(): Promise<void> {
    await until(() => this.#openRequests <= 0);
  }
  /** Resolves with the time at which the next cancel has been sent, as `performance.now()` counts it. */
  nextCancelSent(): Promise<number> {
    return new Promise((resolve) => {
      this.#onCancelSent = () => resolve(performance.now());
    });
  }
}
