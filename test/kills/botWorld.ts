// Runs a paper exchange and the process of a live bot that is killed and restarted, and compares the state of both.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askView } from '../../src/tasks/control/controlClient.ts';
import type { BotView } from '../../src/tasks/control/botView.ts';
import type { RecordKind } from '../../src/adapters/journal/records/records.ts';
import type { Market } from '../../src/model/instrument.ts';
import { PaperExchange, type FaultRow, type TrueOrder, type Truth } from '../faults/paperExchange.ts';
import { writeExchange } from '../faults/setUp.ts';
import { Belief, differences } from './belief.ts';
import { pause } from '../fixtures/pause.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'dist/tasks/bot/process/main.js');
const CASH = '1000000';
const POLL_MS = 40;

/** The step of a write at which the process is killed: before it, inside it, after it, or once it is durable but not reported. */
export type Step = 'before' | 'torn' | 'written' | 'lasting';

/** The process is killed at the `nth` write that has a record of this kind. */
export interface KillAt {
  readonly kind: RecordKind;
  readonly step: Step;
  readonly nth: number;
}

/** Errors with which a start gives up when the exchange is slow. A supervisor starts the bot again. */
const GIVEN_UP_ERRORS = ['no answer within', 'the clock of the', 'INVALID_TIMESTAMP'];

/** The input of one campaign of kills. */
export interface WorldOptions {
  readonly seed: number;
  readonly market: Market;
  readonly symbols: number;
  /** Milliseconds of venue time in one of this computer. */
  readonly speed: number;
  /** Keys that replace those of the bot's usual config. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A process of the bot. */
export class BotProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  readonly startMs = performance.now();
  #text = '';

  constructor(config: string, killAt: KillAt | null) {
    const killer = join(ROOT, 'test/kills/botToKill.mjs');
    const program = killAt === null ? [MAIN] : [killer, MAIN, killAt.kind, killAt.step, String(killAt.nth)];
    // Changes are accepted, because a busy bot may run a timer one step later than its replay. These kills test orders.
    this.child = spawn(process.execPath, [...program, config, '--plain', '--accept-changes'], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (chunk: Buffer) => (this.#text += chunk.toString()));
    this.ended = once(this.child, 'close').then(() => {});
  }

  get text(): string {
    return this.#text;
  }
  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
  get isTrading(): boolean {
    return this.#text.includes('two audits were clean');
  }
  /** True when the bot ended by itself at its start, because the exchange did not reply in time. */
  get hasGivenUp(): boolean {
    return this.child.exitCode !== null && !this.isTrading && GIVEN_UP_ERRORS.some((text) => this.#text.includes(text));
  }
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

/** An exchange with one bot. One process of the bot runs at a time. */
export class BotWorld {
  readonly exchange: PaperExchange;
  readonly folder: string;
  readonly options: WorldOptions;
  readonly config: string;
  readonly #bots = new Set<BotProcess>();

  private constructor(exchange: PaperExchange, folder: string, options: WorldOptions) {
    this.exchange = exchange;
    this.folder = folder;
    this.options = options;
    this.config = this.#writeConfig();
  }

  static async open(options: WorldOptions): Promise<BotWorld> {
    if (!existsSync(MAIN)) throw new Error('the package is not built: run npm run build');
    const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-kills-'));
    const file = writeExchange(folder, { name: 'kills', market: options.market, schedule: [] }, options.seed);
    return new BotWorld(await PaperExchange.open(ROOT, file, null, options.speed), folder, options);
  }

  get data(): string {
    return join(this.folder, 'bot');
  }

  /** Writes the config of the bot, and returns its path. */
  #writeConfig(): string {
    const { market, symbols, seed, speed, more = {} } = this.options;
    const names = Array.from({ length: symbols }, (_, index) => String.fromCharCode(65 + index).repeat(3));
    const path = join(this.folder, 'bot.yaml');
    const config = {
      mode: 'paper',
      exchange: { [`${market}Url`]: this.exchange.url, keyFile: join(this.folder, 'key'), secretFile: join(this.folder, 'secret') },
      data: this.data,
      timeScale: speed,
      strategy: join(ROOT, 'test/kills/busy.ts'),
      params: { seed, pace: 5 },
      market,
      ...(market === 'futures' ? { futures: { leverage: 5, margin: 'cross', positions: 'net' } } : {}),
      feeds: { bars: { symbols: names.map((name) => (market === 'spot' ? `${name}USDT` : `E-${name}-USDT`)), interval: '1m' } },
      cash: { USDT: CASH },
      // A busy computer is slow, and one second of it is a minute of the exchange.
      bars: { graceMs: 40_000, delayMs: 200, spreadMs: 400 },
      // This exchange shows orders within 120 ms, so a lost reply can be proved sooner.
      orders: { deltaMinMs: 10_000 },
      risk: { maxOpenOrdersTotal: 1000 },
      ...more,
    };
    writeFileSync(path, JSON.stringify(config, null, 2));
    return path;
  }

  /** Starts a process of the bot. */
  start(killAt: KillAt | null = null): BotProcess {
    const bot = new BotProcess(this.config, killAt);
    this.#bots.add(bot);
    void bot.ended.then(() => this.#bots.delete(bot));
    return bot;
  }

  /** Starts the bot and waits until it trades. */
  async startBot(maxMs: number): Promise<BotProcess> {
    let bot = this.start();
    const endMs = performance.now() + maxMs;
    while (!bot.isTrading) {
      if (bot.hasGivenUp) bot = this.start();
      if (bot.isOver || performance.now() > endMs) {
        await bot.kill();
        throw new Error(`the bot does not come to trade: ${bot.text}`);
      }
      await pause(POLL_MS);
    }
    return bot;
  }

  /** Sets the faults of the exchange. */
  async faults(schedule: readonly FaultRow[]): Promise<void> {
    await this.exchange.faults(this.options.seed, schedule);
  }

  /** Reads the journal of the bot. */
  belief(): Belief {
    return Belief.of(join(this.data, 'journal'), CASH);
  }

  /** Returns violations of what holds at any time, also for a killed bot: no order exists twice, and the journal has every order. */
  async safety(): Promise<readonly string[]> {
    const orders = await this.exchange.orders();
    const belief = this.belief();
    return [
      ...duplicates(orders),
      ...orders.flatMap(({ clientOrderId }) =>
        belief.hasSent(clientOrderId ?? '') ? [] : [`${clientOrderId} was sent and is not in the journal`],
      ),
    ];
  }

  /** Waits until journal and exchange agree. Throws when they still differ after `limitMs`. */
  async agreed(bot: BotProcess, limitMs: number): Promise<void> {
    const endMs = performance.now() + limitMs;
    let differencesFound: readonly string[] = ['nothing was compared'];
    while (performance.now() < endMs) {
      if (bot.isOver) throw new Error(`the bot ended: ${bot.text}`);
      const stateBefore = await this.#exchangeState();
      const belief = this.belief();
      const stateAfter = await this.#exchangeState();
      const isUnchanged =
        JSON.stringify([stateBefore.truth.accounts, stateBefore.orders]) === JSON.stringify([stateAfter.truth.accounts, stateAfter.orders]);
      differencesFound = differences(belief, stateAfter.truth, stateAfter.orders, this.options.market);
      if (isUnchanged && differencesFound.length === 0) return;
      await pause(POLL_MS);
    }
    throw new Error(`after ${Math.round(limitMs)} ms the bot and the exchange still differ:\n${differencesFound.slice(0, 10).join('\n')}`);
  }

  async #exchangeState(): Promise<{ readonly truth: Truth; readonly orders: readonly TrueOrder[] }> {
    return { truth: await this.exchange.truth(), orders: await this.exchange.orders() };
  }

  /** Waits until `condition` is true for the bot's view. Throws after `limitMs`, or when the bot ends. */
  async until(bot: BotProcess, awaited: string, limitMs: number, condition: (view: BotView) => boolean): Promise<BotView> {
    const endMs = performance.now() + limitMs;
    let lastView: BotView | null = null;
    while (performance.now() < endMs) {
      if (bot.isOver) throw new Error(`${awaited}: the bot ended: ${bot.text}`);
      lastView = await askView(this.data).catch(() => null);
      if (lastView !== null && condition(lastView)) return lastView;
      await pause(POLL_MS);
    }
    const why = lastView?.scopes
      .flatMap(({ scope, causes }) => causes.map(({ code, why: message }) => `${scope} ${code}: ${message}`))
      .join('; ');
    throw new Error(
      `${awaited} did not come within ${Math.round(limitMs)} ms; ${why}; audit: ${lastView?.audit.message}; unknown: ${lastView?.unknown.length}`,
    );
  }

  /** Kills running bots and closes the exchange. With `isKept` the folder stays for an inspection. */
  async close(isKept = false): Promise<void> {
    await Promise.all([...this.#bots].map((bot) => bot.kill()));
    await this.exchange.close();
    if (!isKept) rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Returns the client order ids that more than one order has, as text. */
function duplicates(orders: readonly TrueOrder[]): readonly string[] {
  const knownIds = new Set<string>();
  return orders.flatMap(({ clientOrderId: id }) => {
    const clientOrderId = id ?? '';
    if (knownIds.has(clientOrderId)) return [`${clientOrderId} is there twice`];
    knownIds.add(clientOrderId);
    return [];
  });
}

/** True when the bot has no halt and no unknown outcome. */
export const isFree = ({ scopes, unknown }: BotView): boolean => unknown.length === 0 && scopes.every(({ causes }) => causes.length === 0);
