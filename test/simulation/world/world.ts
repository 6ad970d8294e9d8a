// The world of one seed: a production bot and the production exchange on one virtual clock, for a day with faults and an hour without.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/base/errors.ts';
import { seededRng, type Rng } from '../../../src/base/number/rng.ts';
import { orderIdIn } from '../../../src/protocol/clientOrderId.ts';
import { DueQueue } from '../../../src/ports/dueQueue.ts';
import { rearm } from '../../../src/tasks/kill/killSwitch/killSwitch.ts';
import { Crash } from '../../fixtures/simulatedDisk.ts';
import { settlePromises } from '../../../src/worlds/computer/simulatedProcess.ts';
import { BotProcess } from './botProcess.ts';
import { JournalDisk } from './journalDisk.ts';
import { SimulatedNetwork } from './network.ts';
import { Observer, type Seen } from './observer.ts';
import { CALM_MS, DAY_MS, isBusyDay, isTimed, type Happening, type TimedFault } from './schedule.ts';
import { BusyTrader, Trader } from './trader.ts';
import { CASH, SimulatedVenue, SYMBOLS } from './venue.ts';

/** At the end of the day no new order leaves. */
const QUIET_MS = 900_000;
/** Periods of reads about an unknown outcome; a bot has one of them. */
const RESOLVE_MS = [2000, 10_000, 20_000, 30_000] as const;
/** A bot trades one symbol to this many. */
const MAX_SYMBOLS = 3;
export const START_MS = Date.UTC(2026, 0, 5);

export interface DayResult {
  readonly seed: number;
  readonly orders: number;
  /** Creates that left, or were about to. */
  readonly creates: number;
  readonly fills: number;
  readonly instants: number;
  readonly unknown: number;
  readonly restarts: number;
  readonly kills: number;
  readonly duplicates: number;
  readonly forgotten: number;
  readonly violations: readonly string[];
  readonly hash: string;
}

export interface DayOptions {
  readonly lengthMs?: number;
  /** The day ends with the first violation. */
  readonly untilViolation?: boolean;
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
  readonly #untilViolation: boolean;
  readonly #isBusy: boolean;
  readonly #maxLots: number;
  readonly journal = new JournalDisk(join(this.folder, 'bot', 'journal'));
  process: BotProcess | null = null;
  restarts = 0;
  kills = 0;
  #processes = 0;
  #mustStart = false;
  #seenState = -1;
  #lookMs = -Infinity;
  /** The create whose answer is lost, and which a kill follows; NaN: none; Infinity: the next one. */
  #flattenAt = NaN;
  /** The operator's halt that stands. */
  #halted: 'HALT_NEW' | 'CANCEL_ONLY' | null = null;

  constructor(seed: number, schedule: readonly Happening[], { lengthMs = DAY_MS, untilViolation = false, print = () => {} }: DayOptions) {
    this.#rng = seededRng(seed ^ 0x0dd);
    this.#schedule = schedule;
    this.#print = print;
    this.#endMs = START_MS + lengthMs;
    this.#untilViolation = untilViolation;
    this.#isBusy = isBusyDay(seed);
    this.#maxLots = this.#isBusy ? 25_000 : 80_000;
    this.queue.runDue(START_MS);
    this.venue = new SimulatedVenue(seed, START_MS);
    const faults = new Map(schedule.flatMap((one) => (isTimed(one) ? [] : [[one.at, one]])));
    this.network = new SimulatedNetwork({
      queue: this.queue,
      venue: this.venue,
      rng: seededRng(seed ^ 0x4e7),
      faultOf: (create) => {
        if (this.queue.nowMs >= this.#endMs - CALM_MS) return undefined;
        if (this.#flattenAt !== Infinity) return faults.get(create);
        this.#flattenAt = create;
        return { what: 'loseReply', at: create, size: 0.9 };
      },
      left: ({ target, body, create }) => {
        if (create === 0) return;
        const text = Buffer.from(body).toString();
        this.hash.update(`${this.queue.nowMs} ${target} ${text}\n`);
        print(`${this.#time} create ${create} leaves: ${text}${faults.has(create) ? ` (${faults.get(create)!.what})` : ''}`);
        this.observer.create(this.#seen, text, () => this.journal.lasting(this.queue.nowMs));
        if (create === this.#flattenAt) this.queue.at(this.queue.nowMs + 50, () => this.#kill(this.process, true));
      },
      copied: (body) => {
        const cid = /"newClientOrderId":"([^"]+)"/i.exec(Buffer.from(body).toString())?.[1] ?? '';
        this.venue.copied.set(cid, (this.venue.copied.get(cid) ?? 0) + 1);
        // The operator looks at the second copy, and lets the bot continue.
        this.queue.at(this.queue.nowMs + 1_200_000, () => this.#resume('DUPLICATE'));
      },
      mistaken: () => this.queue.at(this.queue.nowMs + 600_000, () => this.#resume('ECHO')),
      answered: (status) => {
        if (status === 418 || status === 429) this.observer.report('S8', `the exchange answered ${status}`, this.queue.nowMs);
      },
    });
    this.venue.knownId = (cid) => {
      const deps = this.process?.opened?.bot.deps;
      const id = deps ? orderIdIn(deps.cidOf(1 as never).slice(0, 16), cid) : null;
      return (id === null ? null : (deps?.engine.orders.get(id)?.venueId ?? null)) as string | null;
    };
    this.#writeConfig(seededRng(seed ^ 0xc0f));
  }

  get #time(): string {
    return new Date(this.queue.nowMs).toISOString().slice(11, 23);
  }
  get #seen(): Seen {
    return { venue: this.venue, process: this.process, nowMs: this.queue.nowMs, halted: this.#halted, maxLots: this.#maxLots };
  }

  #writeConfig(rng: Rng): void {
    const oneOf = (list: readonly number[]): number => list[Math.floor(rng.next() * list.length)]!;
    const resolveEveryMs = oneOf(RESOLVE_MS);
    const symbols = SYMBOLS.slice(0, 1 + Math.floor(rng.next() * MAX_SYMBOLS));
    const { key } = this.venue;
    writeFileSync(join(this.folder, 'key'), `${key.apiKey}\n`, { mode: 0o600 });
    writeFileSync(join(this.folder, 'secret'), `${key.secret}\n`, { mode: 0o600 });
    mkdirSync(join(this.folder, 'bot'), { mode: 0o700 });
    const config = {
      mode: 'paper',
      exchange: { spotUrl: 'http://127.0.0.1:1', keyFile: 'key', secretFile: 'secret' },
      data: 'bot',
      strategy: '/world/trader.ts',
      feeds: { bars: { symbols: symbols.map((base) => `${base}USDT`), interval: '1m' } },
      cash: { USDT: String(CASH) },
      bars: { graceMs: 20_000, delayMs: 400, spreadMs: 0 },
      orders: { deltaMinMs: 10_000, resolveEveryMs },
      audit: { fastMs: 60_000, balanceMs: 120_000, fullMs: 900_000 },
      risk: { maxPositionQty: String(this.#maxLots / 10_000), maxAuditAgeMs: 300_000 },
    };
    writeFileSync(join(this.folder, 'bot.yaml'), JSON.stringify(config));
  }

  async run(): Promise<void> {
    this.#start();
    for (const one of this.#schedule)
      if (isTimed(one) && START_MS + one.at < this.#endMs) this.queue.at(START_MS + one.at, () => this.#happen(one));
    this.queue.at(this.#endMs - QUIET_MS, () => this.#quiet());
    for (;;) {
      if (this.process?.isBusy) await settlePromises();
      if (this.#mustStart) this.#start();
      const nextMs = Math.min(this.queue.nextMs, this.venue.nextMs);
      if (nextMs > this.#endMs) break;
      if (this.venue.nextMs <= nextMs) this.venue.service.advance(nextMs);
      this.queue.runDue(nextMs);
      if (this.process !== null && this.process.flattens) this.journal.mirror();
      this.#look();
      if (this.#untilViolation && this.observer.violations.length > 0) return;
    }
    this.venue.service.advance(this.#endMs);
    this.queue.runDue(this.#endMs);
    this.observer.final(this.#seen, this.network.requests, this.venue.key.secret, this.journal.contents());
    for (const text of this.observer.violations) this.hash.update(text);
    this.hash.update(`${this.venue.tradeCount} ${this.venue.units('USDT')}`);
  }

  /** After every event that changed something at the exchange, in the journal or in the reports to the strategy. */
  #look(): void {
    const { process, venue } = this;
    const journal = process?.opened?.bot.deps.journal.lastSeq ?? 0;
    const state = venue.changes + journal + (process?.trader?.notifiedCount ?? 0) + this.#processes;
    if (state === this.#seenState && this.queue.nowMs < this.#lookMs) return;
    this.#seenState = state;
    this.#lookMs = this.queue.nowMs + 60_000;
    this.observer.look(this.#seen);
  }

  // --- The bot

  #start(): void {
    this.#mustStart = false;
    const rng = this.#rng;
    const number = ++this.#processes;
    const process = new BotProcess({
      queue: this.queue,
      network: this.network,
      disk: this.journal.disk,
      configFile: join(this.folder, 'bot.yaml'),
      random: () => rng.next(),
      skewMs: Math.floor((rng.next() - 0.5) * 6000),
      drift: (rng.next() - 0.5) * 1e-4,
      number,
      strategy: this.#isBusy ? BusyTrader : Trader,
      runs: (other) => other === this.process?.number && !this.process.isDead,
      log: (line) => {
        this.#print(`${this.#time} ${line.trim()}`);
        this.observer.noteCopies(line);
        if (line.includes(this.venue.key.secret)) this.observer.report('S12', 'the secret stands in the log', this.queue.nowMs);
      },
      broken: (why) => {
        this.#print(`${this.#time} broken: ${why}`);
        if (!this.journal.mustStopBot) this.observer.report('BROKEN', why, this.queue.nowMs);
        else this.queue.at(this.queue.nowMs, () => process === this.process && this.#die(false, 30));
      },
      crashed: () => this.#die(true, 5),
    });
    this.process = process;
    this.#print(`${this.#time} process ${number} starts`);
    process.pending++;
    process.open().then(
      () => {
        process.pending--;
        if (this.journal.isFlipped) this.observer.report('DAMAGE', 'a start took a journal in which a bit was flipped', this.queue.nowMs);
      },
      (error: unknown) => {
        process.pending--;
        if (process.isDead || this.process !== process) return;
        if (error instanceof Crash) return this.#die(true, 5);
        const text = error instanceof Error ? error.message : String(error);
        this.#print(`${this.#time} the start ended: ${text}`);
        // The exchange did not answer, or not evenly: a supervisor starts it again. Anything else is refused for good.
        const isOfNetwork =
          (error instanceof Error && error.constructor.name === 'NoAnswer') ||
          /the clock of the|expected it to within|no answer/i.test(text);
        // The operator brings the folder back from a copy.
        const isOfFlip = this.journal.isFlipped && error instanceof ConfigError;
        if (isOfFlip) this.journal.restore();
        if (!isOfNetwork && !isOfFlip)
          this.observer.report(
            'RESTART',
            `the start is refused: ${error instanceof ConfigError ? text : String((error as Error).stack)}`,
            this.queue.nowMs,
          );
        this.#die(false, 60);
      },
    );
  }

  /** The process has ended; the next one starts after `seconds`. */
  #die(isPower: boolean, seconds: number): void {
    const { process } = this;
    if (process === null) return;
    process.die();
    this.process = null;
    this.journal.endProcess(isPower, this.#rng);
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
    else if (what === 'diskCrash') this.journal.disk.crashAt = this.journal.disk.operations + 1 + Math.floor(size * 40);
    else if (what === 'partition') network.partitionedUntilMs = queue.nowMs + 5000 + size ** 3 * 600_000;
    else if (what === 'stale') {
      network.staleUntilMs = queue.nowMs + 600_000;
      network.staleMs = Math.floor(size * 1200);
    } else if (what === 'gap') venue.factor *= 1 + (size - 0.5) * 0.1;
    else if (what === 'lostFlatten') this.#flattenAt = Infinity;
    else if (what === 'unlink' && process !== null) this.journal.unlink(queue.nowMs);
    else if (what === 'syncFails' && process?.opened != null) this.journal.failSync();
    else if (what === 'bitFlips') this.#flipBit(size);
    else if (what === 'secondStart') {
      if (process?.opened && process.startSecond()) this.observer.report('LOCK', 'a second process opened the journal', queue.nowMs);
    } else if (what === 'halt') this.#halt(process, size);
    else this.#kill(process, what === 'flatten');
  }

  /** The process ends, and a bit of its journal is another one. */
  #flipBit(size: number): void {
    const flip = this.process?.opened == null ? null : this.journal.flipBit(size);
    if (flip === null) return;
    this.#die(false, 5);
    flip();
  }

  #act(process: BotProcess, work: Promise<unknown>): void {
    process.pending++;
    work.then(
      () => process.pending--,
      (error: unknown) => {
        process.pending--;
        this.observer.report('ACT', String(error), this.queue.nowMs);
      },
    );
  }

  #halt(process: BotProcess | null, size: number): void {
    const control = process?.control;
    if (!process || !control) return;
    const state = size < 0.5 ? 'HALT_NEW' : 'CANCEL_ONLY';
    const halting = control.halt({ scope: 'account', state, why: 'the operator looks' }, 'operator');
    this.#act(
      process,
      halting.then(({ done }) => done && (this.#halted = state)),
    );
    this.queue.at(this.queue.nowMs + 60_000 + Math.floor(size * 1_200_000), () => this.#resume());
  }
  /** No new order, so that what is open at the end has been open for long. */
  #quiet(): void {
    const { process } = this;
    const control = process?.control;
    if (!process || !control) return void this.queue.at(this.queue.nowMs + 5000, () => this.#quiet());
    this.#act(process, control.halt({ scope: 'account', state: 'CANCEL_ONLY', why: 'the day ends' }, 'operator'));
  }
  /** The bot may be down, or die before it answers: the operator tries again. */
  #resume(code: string | null = null): void {
    const { process } = this;
    const control = process?.control;
    if (code === null && control) this.#halted = null;
    if (!process || !control) return void this.queue.at(this.queue.nowMs + 30_000, () => this.#resume(code));
    this.observer.readHalts(process);
    let isAnswered = false;
    const resuming = control.resume({ scope: 'account', code, why: 'the operator has looked' }, 'operator');
    this.#act(
      process,
      resuming.then(() => (isAnswered = true)),
    );
    this.queue.at(this.queue.nowMs + 30_000, () => isAnswered || this.#resume(code));
  }

  #kill(process: BotProcess | null, flatten: boolean): void {
    const control = process?.control;
    if (!process || !control) return;
    this.kills++;
    process.isKilled = true;
    process.flattens = flatten;
    if (flatten) this.journal.mirror();
    this.#act(process, control.kill({ flatten, why: 'the operator kills' }, 'operator'));
    this.queue.at(this.queue.nowMs + 900_000, () => this.#afterKill(process));
  }
  #afterKill(process: BotProcess): void {
    const view = this.process === process ? process.control?.ownKill : null;
    if (view && view.phase !== 'done') return void this.queue.at(this.queue.nowMs + 60_000, () => this.#afterKill(process));
    if (view && view.residuals.length === 0 && this.venue.live().length > 0)
      this.observer.report('KILL', `the kill says that all is cancelled, and ${this.venue.live().length} orders stand`, this.queue.nowMs);
    if (view?.flatten && view.residuals.length === 0)
      for (const base of SYMBOLS)
        if (this.venue.closableLots(base) >= 1)
          this.observer.report('KILL', `the kill says that all is closed, and ${base} is held`, this.queue.nowMs);
    this.#print(`${this.#time} the kill left ${view?.residuals.join('; ') || 'nothing'}`);
    // The operator reads the halts, and lets the account trade again as a whole.
    this.observer.readHalts(this.process);
    this.#die(false, 30);
    this.#halted = null;
    try {
      rearm(join(this.folder, 'bot'), 'operator', 'all was looked at');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
  }

  close(): void {
    this.process?.die();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function dayOf(seed: number, schedule: readonly Happening[], options: DayOptions = {}): Promise<DayResult> {
  const world = new World(seed, schedule, options);
  try {
    await world.run();
    const { observer, venue, network, restarts, kills, hash, process } = world;
    return {
      seed,
      orders: venue.orders.size,
      creates: network.creates,
      fills: venue.tradeCount,
      instants: process?.trader?.barCount ?? 0,
      unknown: observer.unknown.size,
      restarts,
      kills,
      duplicates: observer.duplicates,
      forgotten: observer.forgotten,
      violations: observer.violations,
      hash: hash.digest('hex').slice(0, 16),
    };
  } finally {
    world.close();
  }
}
