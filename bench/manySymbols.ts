// A live bot over many symbols at a paper exchange with its rate limits on: when it decides after a close, and on how many fresh bars.

import { subscribe } from 'node:diagnostics_channel';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { strategyPlanOf } from '../dist/definition/load/strategies.js';
import { readLiveConfig } from '../dist/tasks/bot/config/read.js';
import { LiveLog } from '../dist/tasks/bot/run/log.js';
import { openLiveBot, type LiveOptions } from '../dist/tasks/bot/openLiveBot.js';
import { Strategy } from '../dist/index.js';
import { tuneV8 } from '../dist/adapters/runtime/v8.js';
import { JumpingScheduler } from './jumpingScheduler.ts';
import { PartProcess } from './partProcess.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** The bench as it was bundled, which its parts need not do again. */
const SELF = fileURLToPath(import.meta.url);
const STEP_MS = 3000;
const MAX_STEPS = 600;
/** From a jump to the close that is watched. */
const BEFORE_CLOSE_MS = 1500;
const AFTER_DECISION_MS = 1500;
/** After a close, at most. */
const WATCHED_MS = 40_000;

/** What the assumed limit of public calls admits. */
const CALLS_PER_S = 9;

/** What is measured: symbols, interval, mode, and how many closes. */
const CASES = {
  symbols50: { symbols: 50, interval: '1m', lengthMs: 60_000, decide: 'whenComplete', closes: 3 },
  symbols50PerFeed: { symbols: 50, interval: '1m', lengthMs: 60_000, decide: 'perFeed', closes: 3 },
  symbols200: { symbols: 200, interval: '15m', lengthMs: 900_000, decide: 'whenComplete', closes: 2 },
} as const;
type ManySymbolsCase = keyof typeof CASES;

const FIGURES = z.object({
  /** Fewest fresh bars at a close, over its decisions. */
  fresh: z.number(),
  /** From the close to the first and to the last decision, ms by the clock of the exchange: the worst close. */
  firstMs: z.number(),
  lastMs: z.number(),
  /** Calls that the exchange refused for its rate limits (429 and 418). */
  refused: z.number(),
  /** From a cancel in the middle of the kline calls to its bytes on the socket, ms; the worst close. */
  cancelMs: z.number(),
});
type ManySymbolsFigures = Readonly<z.output<typeof FIGURES>>;

/** Measures one case after the other; each takes about a minute. `print` receives the figures of each. */
export async function manySymbolsBench(folder: string, print: (figures: object) => void): Promise<void> {
  for (const kind of ['symbols50', 'symbols50PerFeed', 'symbols200'] as const) print({ [kind]: await figuresOf(join(folder, kind), kind) });
}

async function figuresOf(folder: string, kind: ManySymbolsCase): Promise<ManySymbolsFigures> {
  const file = writeExchange(folder, CASES[kind].symbols);
  const exchange = new PartProcess([join(ROOT, 'dist/cli/isobar.js'), 'exchange', file, '--port', '0', '--control', '0', '--quiet']);
  const bot = new PartProcess([SELF, '--symbols-part', `${folder} ${kind}`, await exchange.nextLine()]);
  try {
    return FIGURES.parse(JSON.parse(await bot.nextLine()));
  } finally {
    bot.end();
    await exchange.stop();
  }
}

const symbolOf = (at: number): string => `S${String(at).padStart(3, '0')}USDT`;

function writeExchange(folder: string, symbols: number): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of ['key', 'secret']) writeFileSync(join(folder, name), `bench-${name}-of-many-symbols`, { mode: 0o600 });
  const instruments = Array.from({ length: symbols }, (_, at) => ({
    symbol: symbolOf(at),
    base: symbolOf(at).slice(0, 4),
    quote: 'USDT',
    priceDigits: 2,
    quantityDigits: 5,
    prices: { price: String(100 + at), quantity: '1000' },
  }));
  const keys = [{ keyFile: join(folder, 'key'), secretFile: join(folder, 'secret') }];
  const accounts = [{ name: 'bot', uid: 10_001, balances: { USDT: '1000000' }, keys }];
  const path = join(folder, 'exchange.yaml');
  // JSON is YAML.
  writeFileSync(path, JSON.stringify({ seed: 1, accounts, instruments }));
  return path;
}

interface Decision {
  readonly barMs: number;
  readonly atMs: number;
  readonly fresh: number;
}
const decisions: Decision[] = [];
let venueMs: () => number = () => NaN;

/** Notes how many of its feeds are fresh; one order rests far below the market, to be cancelled. */
class Watcher extends Strategy {
  all = this.feeds('bars');
  override onBar() {
    decisions.push({ barMs: this.nowMs, atMs: venueMs(), fresh: this.all.filter(({ fresh }) => fresh).length });
    const feed = this.all[0]!;
    if (this.openOrders(feed).length === 0) this.buy({ base: '1' }, { feed, limit: feed.close.value / 2 });
  }
}

/** The same of one feed. */
const watcherOf = (at: number) =>
  class OwnFeed extends Strategy {
    own = this.feed(`f${at}`);
    override onBar() {
      decisions.push({ barMs: this.nowMs, atMs: venueMs(), fresh: 1 });
      if (at === 0 && this.openOrders(this.own).length === 0) {
        this.buy({ base: '1' }, { feed: this.own, limit: this.own.close.value / 2 });
      }
    }
  };

/** The process of the bot: prints its figures and ends with its input. */
export async function manySymbolsPart(given: string, opened: string): Promise<void> {
  tuneV8();
  const [folder = '', name = ''] = given.split(' ');
  const of = CASES[name as ManySymbolsCase];
  const { spot, control } = JSON.parse(opened) as Readonly<Record<'spot' | 'control', string>>;
  writeFileSync(join(folder, 'bot.yaml'), JSON.stringify(configOf(of, spot)));
  const classes = of.decide === 'perFeed' ? Array.from({ length: of.symbols }, (_, at) => watcherOf(at)) : [Watcher];
  let loaded = 0;
  const load: LiveOptions['load'] = async (entry, source) => {
    const strategy = classes[loaded++ % classes.length]!;
    return { plan: strategyPlanOf(entry, { strategy, name: 'Watcher', hash: 'Watcher' }, source), inputs: [], folder };
  };
  const wire = new Wire();
  const time = new JumpingScheduler();
  const jump = async (ms: number): Promise<void> => {
    await wire.rest();
    const stepMs = Math.ceil(ms);
    const answer = await fetch(`${control}/clock`, { method: 'POST', body: JSON.stringify({ stepMs }) });
    await answer.arrayBuffer();
    time.jump(stepMs);
    await pause(1);
  };
  const opening = openLiveBot(readLiveConfig(join(folder, 'bot.yaml'), {}), {
    log: (nowMs) => new LiveLog({ write: () => {}, isPretty: false, nowMs, formatTime: String, hide: (text) => text }),
    broken: (why) => {
      throw new Error(why);
    },
    scheduler: time,
    load,
  });
  const running = await hurried(opening, jump);
  const { bot } = running;
  venueMs = bot.deps.venueMs;
  const trading = new Promise<void>((resolve) => bot.start(resolve));
  await hurried(trading, jump);
  // The first calls for bars take some windowParams of the rate limit.
  await pause((of.symbols / CALLS_PER_S) * 1000 + 3000);
  const cancelMs: number[] = [];
  const found: { readonly fresh: number; readonly firstMs: number; readonly lastMs: number }[] = [];
  // The first close is not measured: it makes the connections, and its code is not compiled yet.
  for (let at = 0; at <= of.closes; at++) {
    await wire.rest();
    const closeMs = Math.ceil((venueMs() + BEFORE_CLOSE_MS) / of.lengthMs) * of.lengthMs;
    await jump(closeMs - venueMs() - BEFORE_CLOSE_MS);
    decisions.length = 0;
    const isWhole = (): boolean => decisions.reduce((sum, { fresh }) => sum + fresh, 0) >= of.symbols;
    await until(() => venueMs() > closeMs + 1000);
    const { engine } = bot.deps;
    const resting = engine.orders.active().find(({ lifecycle }) => lifecycle === 'working');
    if (resting !== undefined) {
      const fromMs = performance.now();
      const sent = wire.cancelled();
      bot.driver.step(() => engine.orders.cancel(resting, engine.nowMs));
      cancelMs.push((await sent) - fromMs);
    }
    await until(() => isWhole() || venueMs() > closeMs + WATCHED_MS);
    // The order of this close is sent and answered before the clocks jump.
    await pause(AFTER_DECISION_MS);
    const delays = decisions.map(({ barMs, atMs }) => atMs - barMs);
    if (at > 0) {
      const fresh = decisions.reduce((sum, each) => sum + each.fresh, 0);
      found.push({ fresh, firstMs: Math.min(...delays), lastMs: Math.max(...delays) });
    }
  }
  const worst = (values: readonly number[]): number => Math.max(...values);
  const figures: ManySymbolsFigures = {
    fresh: Math.min(...found.map(({ fresh }) => fresh)),
    firstMs: worst(found.map(({ firstMs }) => firstMs)),
    lastMs: worst(found.map(({ lastMs }) => lastMs)),
    refused: bot.requests.refused,
    cancelMs: worst(cancelMs),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  await new Promise<void>((resolve) => bot.stop(resolve));
  await running.close();
  time.close();
}

function configOf({ symbols, interval, decide }: (typeof CASES)[ManySymbolsCase], spotUrl: string): object {
  const names = Array.from({ length: symbols }, (_, at) => symbolOf(at));
  const isApart = decide === 'perFeed';
  return {
    mode: 'paper',
    exchange: { spotUrl, keyFile: 'key', secretFile: 'secret' },
    data: 'bot',
    strategy: isApart ? names.map((_, at) => `watcher${at}.ts`) : 'watcher.ts',
    feeds: isApart
      ? Object.fromEntries(names.map((symbol, at) => [`f${at}`, { symbol, interval }]))
      : { bars: { symbols: names, interval } },
    decide,
    cash: { USDT: '100000' },
    audit: { fastMs: 60_000, balanceMs: 600_000, fullMs: 86_400_000 },
    risk: { maxAuditAgeMs: 1_000_000 },
  };
}

/** What a start waits for need not be lived through: nothing is on the wire while both clocks jump. */
async function hurried<T>(work: Promise<T>, jump: (ms: number) => Promise<void>): Promise<T> {
  const state = { isDone: false };
  const done = work.finally(() => (state.isDone = true));
  done.catch(() => {});
  for (let steps = 0; !state.isDone; steps++) {
    if (steps > MAX_STEPS) throw new Error('the bot does not come to trade');
    await pause(20);
    if (!state.isDone) await jump(STEP_MS);
  }
  return done;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(1);
}

const Reported = z.object({ request: z.object({ path: z.string(), method: z.string() }) });

/** Counts requests without a reply, and notes cancels as they leave. */
class Wire {
  #open = 0;
  #sent: (() => void) | null = null;

  constructor() {
    subscribe('undici:request:create', () => this.#open++);
    subscribe('undici:request:error', () => this.#open--);
    subscribe('undici:request:trailers', () => this.#open--);
    subscribe('undici:request:bodySent', (message) => {
      if (Reported.parse(message).request.path.includes('cancel')) this.#sent?.();
    });
  }

  async rest(): Promise<void> {
    await until(() => this.#open <= 0);
  }
  /** Resolves with the time of day at which the next cancel has left, as `performance.now` has it. */
  cancelled(): Promise<number> {
    return new Promise((resolve) => {
      this.#sent = () => resolve(performance.now());
    });
  }
}
