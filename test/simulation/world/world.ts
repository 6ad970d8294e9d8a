// The world of one seed: a production bot and the production exchange on one virtual clock, for a day with faults and an hour without.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { ConfigError } from '../../../src/base/errors.ts';
import { seededRng, type Rng } from '../../../src/base/number/rng.ts';
import { DueQueue } from '../../../src/ports/dueQueue.ts';
import { rearm } from '../../../src/tasks/kill/killSwitch/killSwitch.ts';
import { SimulatedDisk } from '../../fixtures/simulatedDisk.ts';
import { BotProcess } from './botProcess.ts';
import { SimulatedNetwork } from './network.ts';
import { MAX_LOTS, Observer, type Seen } from './observer.ts';
import { CALM_MS, DAY_MS, isTimed, type Happening, type TimedFault } from './schedule.ts';
import { CASH, SimulatedVenue, SYMBOLS } from './venue.ts';

export const START_MS = Date.UTC(2026, 0, 5);

export interface DayResult {
  readonly seed: number;
  readonly orders: number;
  readonly fills: number;
  readonly instants: number;
  readonly unknown: number;
  readonly restarts: number;
  readonly kills: number;
  readonly violations: readonly string[];
  readonly hash: string;
}

export interface DayOptions {
  readonly lengthMs?: number;
  readonly print?: (line: string) => void;
}

class World {
  readonly queue = new DueQueue();
  readonly observer = new Observer();
  readonly venue: SimulatedVenue;
  readonly network: SimulatedNetwork;
  readonly folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-world-'));
  readonly hash = createHash('sha256');
  readonly #rng: Rng;
  readonly #schedule: readonly Happening[];
  readonly #print: (line: string) => void;
  readonly #endMs: number;
  disk = new SimulatedDisk();
  process: BotProcess | null = null;
  restarts = 0;
  kills = 0;
  #processes = 0;
  /** Work of promises that is under way: without any, no turn of the event loop is needed. */
  #pending = 0;
  #mustStart = false;
  #seenChanges = -1;

  constructor(seed: number, schedule: readonly Happening[], { lengthMs = DAY_MS, print = () => {} }: DayOptions) {
    this.#rng = seededRng(seed ^ 0x0dd);
    this.#schedule = schedule;
    this.#print = print;
    this.#endMs = START_MS + lengthMs;
    this.queue.runDue(START_MS);
    this.venue = new SimulatedVenue(seed, START_MS);
    const faults = new Map(schedule.flatMap((one) => (isTimed(one) ? [] : [[one.at, one]])));
    this.network = new SimulatedNetwork({
      queue: this.queue,
      venue: this.venue,
      rng: seededRng(seed ^ 0x4e7),
      faults,
      left: ({ target, body, create }) => {
        if (create === 0) return;
        const text = Buffer.from(body).toString();
        this.hash.update(`${this.queue.nowMs} ${target} ${text}\n`);
        print(`${this.#time} create ${create} leaves: ${text}${faults.has(create) ? ` (${faults.get(create)!.what})` : ''}`);
        this.observer.create(this.#seen, text);
      },
      answered: (status) => {
        if (status === 418 || status === 429) this.observer.say('S8', `the exchange answered ${status}`, this.queue.nowMs);
      },
    });
    this.#writeConfig();
  }

  get #time(): string {
    return new Date(this.queue.nowMs).toISOString().slice(11, 23);
  }
  get #seen(): Seen {
    return { venue: this.venue, process: this.process, nowMs: this.queue.nowMs };
  }

  #writeConfig(): void {
    const { key } = this.venue;
    writeFileSync(join(this.folder, 'key'), `${key.apiKey}\n`, { mode: 0o600 });
    writeFileSync(join(this.folder, 'secret'), `${key.secret}\n`, { mode: 0o600 });
    mkdirSync(join(this.folder, 'bot'), { mode: 0o700 });
    const config = {
      mode: 'paper',
      exchange: { spotUrl: 'http://127.0.0.1:1', keyFile: 'key', secretFile: 'secret' },
      data: 'bot',
      strategy: '/world/trader.ts',
      feeds: { bars: { symbols: SYMBOLS.map((base) => `${base}USDT`), interval: '1m' } },
      cash: { USDT: String(CASH) },
      bars: { graceMs: 20_000, delayMs: 400, spreadMs: 0 },
      orders: { deltaMinMs: 10_000 },
      audit: { fastMs: 15_000, balanceMs: 60_000, fullMs: 600_000 },
      risk: { maxPositionQty: String(MAX_LOTS / 10_000), maxAuditAgeMs: 60_000 },
    };
    writeFileSync(join(this.folder, 'bot.yaml'), JSON.stringify(config));
  }

  async run(): Promise<void> {
    this.#start();
    for (const one of this.#schedule) if (isTimed(one) && START_MS + one.at < this.#endMs) this.queue.at(START_MS + one.at, () => this.#happen(one));
    for (;;) {
      if (this.#pending > 0) await turn();
      if (this.#mustStart) this.#start();
      const nextMs = Math.min(this.queue.nextMs, this.venue.nextMs);
      if (nextMs > this.#endMs) break;
      if (this.venue.nextMs <= nextMs) this.venue.service.advance(nextMs);
      this.queue.runDue(nextMs);
      this.#look();
    }
    this.venue.service.advance(this.#endMs);
    this.queue.runDue(this.#endMs);
    const { disk } = this;
    const written = disk.list('/journal').map((name) => disk.read(`/journal/${name}`));
    this.observer.final(this.#seen, this.network.requests, this.venue.key.secret, written);
    for (const text of this.observer.violations) this.hash.update(text);
    this.hash.update(`${this.venue.tradeCount} ${this.venue.units('USDT')}`);
  }

  #look(): void {
    this.observer.look(this.#seen);
    this.#seenChanges = this.venue.changes;
  }

  // --- The bot

  #start(): void {
    this.#mustStart = false;
    const rng = this.#rng;
    const number = ++this.#processes;
    const process = new BotProcess({
      queue: this.queue,
      network: this.network,
      disk: this.disk,
      configFile: join(this.folder, 'bot.yaml'),
      random: () => rng.next(),
      skewMs: Math.floor((rng.next() - 0.5) * 6000),
      drift: (rng.next() - 0.5) * 1e-4,
      number,
      log: (line) => {
        this.#print(`${this.#time} ${line.trim()}`);
        if (line.includes(this.venue.key.secret)) this.observer.say('S12', 'the secret stands in the log', this.queue.nowMs);
      },
      broken: (why) => this.observer.say('BROKEN', why, this.queue.nowMs),
      crashed: () => this.#die(true, 5),
    });
    this.process = process;
    this.#print(`${this.#time} process ${number} starts`);
    this.#pending++;
    process.open().then(
      () => this.#pending--,
      (error: unknown) => {
        this.#pending--;
        if (process.isDead || this.process !== process) return;
        const text = error instanceof Error ? error.message : String(error);
        this.#print(`${this.#time} the start ended: ${text}`);
        // The exchange did not answer, or not evenly: a supervisor starts it again. Anything else is refused for good.
        const isOfNetwork = (error instanceof Error && error.constructor.name === 'NoAnswer') || /the clock of the|expected it to within|no answer/i.test(text);
        if (!isOfNetwork) this.observer.say('RESTART', `the start is refused: ${error instanceof ConfigError ? text : String((error as Error).stack)}`, this.queue.nowMs);
        this.#die(false, 60);
      },
    );
  }

  /** The process is gone; the next one starts after so many seconds. */
  #die(isPower: boolean, seconds: number): void {
    const { process } = this;
    if (process === null) return;
    process.die();
    this.process = null;
    const after = isPower ? this.disk.afterPowerLoss(this.#rng) : this.disk.afterKill('', 0);
    this.disk = after;
    this.restarts++;
    this.#print(`${this.#time} the process is gone${isPower ? ', and what was not synced with it' : ''}`);
    this.queue.at(this.queue.nowMs + seconds * 1000, () => (this.#mustStart = this.process === null));
  }

  // --- What happens to it

  #happen({ what, size }: TimedFault): void {
    const { process, network, queue, venue } = this;
    this.#print(`${this.#time} ${what} ${size.toFixed(3)}`);
    const downSeconds = 1 + Math.floor(size ** 4 * 900);
    if (what === 'kill') this.#die(false, downSeconds);
    else if (what === 'power') this.#die(true, downSeconds);
    else if (what === 'diskCrash') this.disk.crashAt = this.disk.operations + 1 + Math.floor(size * 40);
    else if (what === 'partition') network.partitionedUntilMs = queue.nowMs + 5000 + size ** 3 * 600_000;
    else if (what === 'stale') {
      network.staleUntilMs = queue.nowMs + 600_000;
      network.staleMs = Math.floor(size * 1200);
    } else if (what === 'gap') venue.factor *= 1 + (size - 0.5) * 0.1;
    else if (what === 'halt') this.#halt(process, size);
    else this.#kill(process, what === 'flatten');
  }

  #act(work: Promise<unknown>): void {
    this.#pending++;
    work.then(
      () => this.#pending--,
      (error: unknown) => {
        this.#pending--;
        this.observer.say('ACT', String(error), this.queue.nowMs);
      },
    );
  }

  #halt(process: BotProcess | null, size: number): void {
    const control = process?.control;
    if (!process || !control) return;
    this.#act(control.halt({ scope: 'account', state: size < 0.5 ? 'HALT_NEW' : 'CANCEL_ONLY', why: 'the operator looks' }, 'operator' as never));
    this.queue.at(this.queue.nowMs + 60_000 + Math.floor(size * 1_200_000), () => this.#resume());
  }
  /** The bot may be down: the operator tries again. */
  #resume(): void {
    const control = this.process?.control;
    if (!control) return void this.queue.at(this.queue.nowMs + 30_000, () => this.#resume());
    this.#act(control.resume({ scope: 'account', code: null, why: 'the operator has looked' } as never, 'operator' as never));
  }

  #kill(process: BotProcess | null, flatten: boolean): void {
    const control = process?.control;
    if (!process || !control || flatten) return;
    this.kills++;
    this.#act(control.kill({ flatten, why: 'the operator kills' }, 'operator' as never));
    this.queue.at(this.queue.nowMs + 900_000, () => this.#afterKill(process));
  }
  #afterKill(process: BotProcess): void {
    const view = this.process === process ? process.control?.view().kill : null;
    if (view && view.phase !== 'done') return void this.queue.at(this.queue.nowMs + 60_000, () => this.#afterKill(process));
    if (view && view.residuals.length === 0 && this.venue.live().length > 0)
      this.observer.say('KILL', `the kill says that all is cancelled, and ${this.venue.live().length} orders stand`, this.queue.nowMs);
    this.#die(false, 30);
    try {
      rearm(join(this.folder, 'bot'), 'operator', 'all was looked at');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
  }

  async close(): Promise<void> {
    this.process?.die();
    await this.process?.opened?.close().catch(() => {});
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function dayOf(seed: number, schedule: readonly Happening[], options: DayOptions = {}): Promise<DayResult> {
  const world = new World(seed, schedule, options);
  try {
    await world.run();
    const { observer, venue, restarts, kills, hash, process } = world;
    return {
      seed,
      orders: venue.orders.size,
      fills: venue.tradeCount,
      instants: process?.trader?.barCount ?? 0,
      unknown: observer.unknown.size,
      restarts,
      kills,
      violations: observer.violations,
      hash: hash.digest('hex').slice(0, 16),
    };
  } finally {
    await world.close();
  }
}
