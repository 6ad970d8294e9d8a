// A paper exchange and the process of a live bot on it, which is killed and restarted, and the state of both sides afterwards.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askView } from '../../src/tasks/control/client.ts';
import type { BotView } from '../../src/tasks/control/botView.ts';
import type { RecordKind } from '../../src/adapters/journal/records/records.ts';
import type { Market } from '../../src/model/instrument.ts';
import { PaperExchange, type FaultRow, type TrueOrder, type Truth } from '../faults/paperExchange.ts';
import { writeExchange } from '../faults/setUp.ts';
import { Belief, differences } from './belief.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'dist/tasks/bot/process/main.js');
const CASH = '1000000';
const LOOK_MS = 40;

/** The step of a write at which the process dies: before it, in the middle, once it is written, once it is durable but not reported. */
export type Step = 'before' | 'torn' | 'written' | 'lasting';

/** Dies at the `nth` write that has a record of the kind. */
export interface KillAt {
  readonly kind: RecordKind;
  readonly step: Step;
  readonly nth: number;
}

const GIVEN_UP = ['no answer within', 'the clock of the', 'INVALID_TIMESTAMP'];

export interface WorldOptions {
  readonly seed: number;
  readonly market: Market;
  readonly symbols: number;
  /** Ms of the exchange in one of this computer. */
  readonly speed: number;
  /** Keys of the bot's config over those of the world. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export class BotProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  readonly startMs = performance.now();
  #text = '';

  constructor(config: string, at: KillAt | null) {
    // Timers of a busy bot may have run a step later than its replay runs them: what these kills are for is the orders.
    const program = at === null ? [MAIN] : [join(ROOT, 'test/kills/botToKill.mjs'), MAIN, at.kind, at.step, String(at.nth)];
    this.child = spawn(process.execPath, [...program, config, '--plain', '--accept-changes'], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (more: Buffer) => (this.#text += more.toString()));
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
  /** It ended by itself at its start, as the exchange did not answer in time, or not evenly: a supervisor starts it again. */
  get hasGivenUp(): boolean {
    return this.child.exitCode !== null && !this.isTrading && GIVEN_UP.some((text) => this.#text.includes(text));
  }
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

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

  #writeConfig(): string {
    const { market, symbols, seed, speed, more = {} } = this.options;
    const names = Array.from({ length: symbols }, (_, at) => String.fromCharCode(65 + at).repeat(3));
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
      // What a lost answer means is proved sooner: the exchange shows what it has within 120 ms.
      orders: { deltaMinMs: 10_000 },
      risk: { maxOpenOrdersTotal: 1000 },
      ...more,
    };
    writeFileSync(path, JSON.stringify(config, null, 2));
    return path;
  }

  start(at: KillAt | null = null): BotProcess {
    const bot = new BotProcess(this.config, at);
    this.#bots.add(bot);
    void bot.ended.then(() => this.#bots.delete(bot));
    return bot;
  }

  /** A bot that trades. */
  async started(maxMs: number): Promise<BotProcess> {
    let bot = this.start();
    const endMs = performance.now() + maxMs;
    while (!bot.isTrading) {
      if (bot.hasGivenUp) bot = this.start();
      if (bot.isOver || performance.now() > endMs) {
        await bot.kill();
        throw new Error(`the bot does not come to trade: ${bot.text}`);
      }
      await pause(LOOK_MS);
    }
    return bot;
  }

  async faults(schedule: readonly FaultRow[]): Promise<void> {
    await this.exchange.faults(this.options.seed, schedule);
  }

  /** What the journal says, read as it lies there. */
  belief(): Belief {
    return Belief.of(join(this.data, 'journal'), CASH);
  }

  /** What holds at any moment, with a dead bot too: no order twice, none that the journal does not have. */
  async safety(): Promise<readonly string[]> {
    const orders = await this.exchange.orders();
    const belief = this.belief();
    return [
      ...twice(orders),
      ...orders.flatMap(({ clientOrderId }) =>
        belief.hasSent(clientOrderId ?? '') ? [] : [`${clientOrderId} was sent and is not in the journal`],
      ),
    ];
  }

  /** Waits until journal and exchange agree; throws a difference that lasts too long. */
  async agreed(bot: BotProcess, limitMs: number): Promise<void> {
    const endMs = performance.now() + limitMs;
    let found: readonly string[] = ['nothing was compared'];
    while (performance.now() < endMs) {
      if (bot.isOver) throw new Error(`the bot ended: ${bot.text}`);
      const before = await this.#reported();
      const belief = this.belief();
      const after = await this.#reported();
      const isStill = JSON.stringify([before.truth.accounts, before.orders]) === JSON.stringify([after.truth.accounts, after.orders]);
      found = differences(belief, after.truth, after.orders, this.options.market);
      if (isStill && found.length === 0) return;
      await pause(LOOK_MS);
    }
    throw new Error(`after ${Math.round(limitMs)} ms the bot and the exchange still differ:\n${found.slice(0, 10).join('\n')}`);
  }

  async #reported(): Promise<{ readonly truth: Truth; readonly orders: readonly TrueOrder[] }> {
    return { truth: await this.exchange.truth(), orders: await this.exchange.orders() };
  }

  /** Until the view holds; null of the view: the bot does not answer yet. */
  async until(bot: BotProcess, what: string, upperMs: number, holds: (view: BotView) => boolean): Promise<BotView> {
    const endMs = performance.now() + upperMs;
    let last: BotView | null = null;
    while (performance.now() < endMs) {
      if (bot.isOver) throw new Error(`${what}: the bot ended: ${bot.text}`);
      last = await askView(this.data).catch(() => null);
      if (last !== null && holds(last)) return last;
      await pause(LOOK_MS);
    }
    const why = last?.scopes
      .flatMap(({ scope, causes }) => causes.map(({ code, why: message }) => `${scope} ${code}: ${message}`))
      .join('; ');
    throw new Error(
      `${what} did not come within ${Math.round(upperMs)} ms; ${why}; audit: ${last?.audit.message}; unknown: ${last?.unknown.length}`,
    );
  }

  /** Kills bots that still run. `isKept`: the folder stays for a person to look at. */
  async close(isKept = false): Promise<void> {
    await Promise.all([...this.#bots].map((bot) => bot.kill()));
    await this.exchange.close();
    if (!isKept) rmSync(this.folder, { recursive: true, force: true });
  }
}

function twice(orders: readonly TrueOrder[]): readonly string[] {
  const seen = new Set<string>();
  return orders.flatMap(({ clientOrderId }) => {
    const cid = clientOrderId ?? '';
    if (seen.has(cid)) return [`${cid} is there twice`];
    seen.add(cid);
    return [];
  });
}

/** Halts that clear by themselves, or are absent. */
export const isFree = ({ scopes, unknown }: BotView): boolean => unknown.length === 0 && scopes.every(({ causes }) => causes.length === 0);

export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
