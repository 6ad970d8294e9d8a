// Runs a simulated day: a production bot and the production exchange on one virtual clock. Its last hour has no faults.

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/base/errors.ts';
import { seededRng, type Rng } from '../../../src/base/number/rng.ts';
import { orderIdIn } from '../../../src/protocol/clientOrderId.ts';
import { DueQueue } from '../../../src/ports/dueQueue.ts';
import { Crash } from '../../fixtures/simulatedDisk.ts';
import { settlePromises } from '../../../src/worlds/computer/simulatedProcess.ts';
import { writeBotConfig } from './botConfig.ts';
import { BotProcess } from './botProcess.ts';
import { drawContracts, FIRST_HOUR_MS, type ContractTerms } from './futures/contractDay.ts';
import { ContractRules } from './futures/contractRules.ts';
import { ContractVenue } from './futures/contractVenue.ts';
import { BurstTrader } from './hard/burstTrader.ts';
import { dayTermsOf, isHardDay, isHardTimed, type DayTerms } from './hard/hardDay.ts';
import { HardFaults } from './hard/hardFaults.ts';
import { JournalDisk } from './journalDisk.ts';
import { SimulatedNetwork } from './network.ts';
import { clientOrderIdIn, Observer, type WorldFacts } from './observer.ts';
import { Operator } from './operator.ts';
import type { DayOptions, DayResult } from './dayResult.ts';
import { CALM_MS, DAY_MS, isBusyDay, isTimed, type ScheduledFault, type RequestFault, type TimedFault } from './schedule.ts';
import { CrowdTrader } from './themes/crowdTrader.ts';
import { LastKill } from './themes/lastKill.ts';
import { isThemedTimed, landsVeryLate, themeOf, type Theme } from './themes/themedDay.ts';
import { ThemedFaults } from './themes/themedFaults.ts';
import { BusyTrader, Trader } from './trader.ts';
import { SimulatedVenue } from './venue.ts';

/** Time before the end of the day from which the operator allows no new order, ms. */
const QUIET_MS = 900_000;
export const START_MS = Date.UTC(2026, 0, 5);

class World {
  readonly queue = new DueQueue();
  readonly observer: Observer;
  readonly venue: SimulatedVenue;
  readonly network: SimulatedNetwork;
  readonly folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-world-'));
  readonly hash = createHash('sha256');
  readonly #rng: Rng;
  readonly #schedule: readonly ScheduledFault[];
  readonly #print: ((line: string) => void) | undefined;
  readonly #startMs: number;
  readonly #endMs: number;
  /** The settings of a day of contracts; null on a day of coins. */
  readonly #contracts: ContractTerms | null;
  readonly #untilViolation: boolean;
  readonly #isBusy: boolean;
  readonly #terms: DayTerms;
  /** The faults of a hard day; null on other days. */
  #hard: HardFaults | null = null;
  #themed: ThemedFaults | null = null;
  #lastKill: LastKill | null = null;
  readonly #maxLots: number;
  readonly journal = new JournalDisk(join(this.folder, 'bot', 'journal'));
  process: BotProcess | null = null;
  restarts = 0;
  readonly operator: Operator;
  #processCount = 0;
  #mustStart = false;
  #checkedState = -1;
  #nextCheckMs = -Infinity;
  /** Number of the create request whose reply is lost and that a kill follows. NaN for none, Infinity for the next one. */
  #flattenAtCreate = NaN;

  constructor(
    seed: number,
    schedule: readonly ScheduledFault[],
    { lengthMs = DAY_MS, untilViolation = false, futures = false, print }: DayOptions,
  ) {
    this.#rng = seededRng(seed ^ 0x0dd);
    this.#schedule = schedule;
    this.#print = print;
    this.#startMs = START_MS + (futures ? FIRST_HOUR_MS : 0);
    this.#endMs = this.#startMs + lengthMs;
    this.#untilViolation = untilViolation;
    this.#isBusy = isBusyDay(seed) || themeOf(seed) !== null;
    this.#terms = dayTermsOf(seed);
    this.#contracts = futures ? drawContracts(seededRng(seed ^ 0xf07), this.#isBusy, themeOf(seed) === 'contractKills') : null;
    this.#maxLots = this.#contracts?.maxLots ?? (this.#isBusy && !landsVeryLate(seed) ? 25_000 : 80_000);
    this.queue.runDue(this.#startMs);
    const contractVenue = futures ? new ContractVenue(seed, this.#startMs) : null;
    this.venue = contractVenue ?? new SimulatedVenue(seed, this.#startMs);
    this.observer = new Observer(contractVenue === null ? null : new ContractRules(contractVenue));
    this.operator = new Operator({
      queue: this.queue,
      observer: this.observer,
      venue: this.venue,
      journal: this.journal,
      folder: join(this.folder, 'bot'),
      print: (text) => this.#log(text),
      // Nobody reaches a computer that sleeps.
      process: () => (this.process?.isAsleep ? null : this.process),
      endProcess: (seconds) => this.#endProcess(false, seconds),
    });
    const faultByCreate = new Map(schedule.flatMap((event) => (isTimed(event) ? [] : [[event.at, event]])));
    this.network = this.#connectNetwork(faultByCreate, seededRng(seed ^ 0x4e7));
    this.venue.venueIdInBot = (clientOrderId) => {
      const prefix = this.process?.idPrefix ?? null;
      const id = prefix === null ? null : orderIdIn(prefix, clientOrderId);
      return (id === null ? null : (this.process?.opened?.bot.deps.engine.orders.get(id)?.venueId ?? null)) as string | null;
    };
    const theme = themeOf(seed);
    if (isHardDay(seed) || theme !== null) {
      const { queue, venue, observer, operator, journal, network } = this;
      this.#hard = new HardFaults(
        { queue, venue, observer, operator, journal, network, process: () => this.process, print: (text) => this.#log(text) },
        seed,
      );
      this.network.hard = this.#hard;
      if (theme !== null) this.#openTheme(seed, theme);
    }
    writeBotConfig(seed, { folder: this.folder, venue: this.venue, contracts: this.#contracts, maxLots: this.#maxLots });
  }

  #openTheme(seed: number, theme: Theme): void {
    const { queue, venue, observer, operator, journal, network } = this;
    const [process, print] = [() => this.process, (text: string) => this.#log(text)];
    const calmFromMs = this.#endMs - CALM_MS;
    const endProcess = (seconds: number): void => this.#endProcess(false, seconds);
    const refuseSlices = (size: number): void => this.#hard?.apply('refusedFlatten', size);
    this.#themed = new ThemedFaults({ queue, venue, observer, operator, calmFromMs, process, endProcess, refuseSlices }, seed, theme);
    network.themed = this.#themed;
    if (theme !== 'twins') return;
    const deps = { queue, venue, observer, journal, network, process, print, folder: join(this.folder, 'bot') };
    this.#lastKill = new LastKill({ ...deps, endProcess: () => this.#endProcess(false, Infinity) }, seed);
    this.#themed.lastKill = this.#lastKill;
  }

  /** Returns the network between the bot and the exchange. Its events are hashed, checked and followed by acts of the operator. */
  #connectNetwork(faultByCreate: ReadonlyMap<number, RequestFault>, rng: Rng): SimulatedNetwork {
    return new SimulatedNetwork({
      queue: this.queue,
      venue: this.venue,
      rng,
      faultOf: (createNumber) => {
        if (this.queue.nowMs >= this.#endMs - CALM_MS) return undefined;
        if (this.#lastKill?.isLosing || this.#lastKill?.isRunning) return this.#lastKill.faultOf(createNumber);
        if (this.#flattenAtCreate !== Infinity) return this.#lastKill?.faultOf(createNumber) ?? faultByCreate.get(createNumber);
        this.#flattenAtCreate = createNumber;
        return { what: 'loseReply', at: createNumber, size: 0.9 };
      },
      onRequest: ({ target, body, createNumber }) => {
        if (createNumber === 0 || this.#lastKill?.isRunning) return;
        const text = Buffer.from(body).toString();
        const fault = faultByCreate.get(createNumber);
        this.hash.update(`${this.queue.nowMs} ${target} ${text}\n`);
        this.#log(`create ${createNumber} leaves: ${text}${fault === undefined ? '' : ` (${fault.what})`}`);
        this.observer.checkCreate(this.#facts, text, (sought) => this.journal.isDurable(sought, this.queue.nowMs));
        if (createNumber === this.#flattenAtCreate)
          this.queue.at(this.queue.nowMs + 50, () => !this.process?.isAsleep && this.operator.kill(this.process, true));
      },
      onDuplicate: (body) => {
        const clientOrderId = clientOrderIdIn(Buffer.from(body).toString()) ?? '';
        const copies = this.venue.copyCountByClientId;
        copies.set(clientOrderId, (copies.get(clientOrderId) ?? 0) + 1);
        // 20 minutes later the operator has looked at the second copy, and lets the bot continue.
        this.queue.at(this.queue.nowMs + 1_200_000, () => this.operator.resume('DUPLICATE'));
      },
      onWrongReply: () => this.queue.at(this.queue.nowMs + 600_000, () => this.operator.resume('ECHO')),
      onRead: (target, answeredMs) => {
        if (this.venue instanceof ContractVenue && !this.process?.isDead) this.venue.noteRead(target, answeredMs);
      },
      onReply: (status) => {
        if ((status === 418 || status === 429) && !this.#hard?.isOfBan(status))
          this.observer.report('S8', `the exchange answered ${status}`, this.queue.nowMs);
      },
    });
  }

  /** Prints a line with the virtual time of day, if the log is printed. */
  #log(text: string): void {
    this.#print?.(`${new Date(this.queue.nowMs).toISOString().slice(11, 23)} ${text}`);
  }
  get #facts(): WorldFacts {
    return { venue: this.venue, process: this.process, nowMs: this.queue.nowMs, halted: this.operator.halted, maxLots: this.#maxLots };
  }

  /** Runs the day event by event, and checks the rules after each. */
  async run(): Promise<void> {
    this.#start();
    for (const event of this.#schedule)
      if (isTimed(event) && this.#startMs + event.at < this.#endMs)
        this.queue.at(this.#startMs + event.at, () => this.#applyTimedFault(event));
    this.queue.at(this.#endMs - QUIET_MS, () => this.operator.stopOpening());
    if (this.#contracts !== null) this.queue.at(this.#startMs + 90_000, () => this.operator.decideForeignOrders());
    for (;;) {
      if ((this.process?.needsEventLoop() && !this.process.isAsleep) || this.#lastKill?.isRunning) await settlePromises();
      // A kill without the bot ends the day.
      if (this.#lastKill?.isOver) return this.#hashEnd();
      if (this.#mustStart) this.#start();
      const nextMs = Math.min(this.queue.nextMs, this.venue.nextMs);
      if (nextMs > this.#endMs) break;
      if (this.venue.nextMs <= nextMs) this.venue.service.advance(nextMs);
      this.queue.runDue(nextMs);
      if (this.process !== null && this.process.isFlattening) this.journal.mirror();
      this.#checkIfChanged();
      if (this.#untilViolation && this.observer.violations.length > 0) return;
    }
    this.venue.service.advance(this.#endMs);
    this.queue.runDue(this.#endMs);
    const endFacts = { requests: this.network.requests, secret: this.venue.key.secret, journalFiles: this.journal.contents() };
    this.observer.checkEnd(this.#facts, endFacts);
    this.#hard?.checkEnd();
    this.#hashEnd();
  }
  #hashEnd(): void {
    for (const text of this.observer.violations) this.hash.update(text);
    this.hash.update(`${this.venue.tradeCount} ${this.venue.units('USDT')}`);
  }

  /** Checks the rules if the last event changed something at the exchange, in the journal or in the reports to the strategy. */
  #checkIfChanged(): void {
    const { process, venue } = this;
    // An exchange that is down has no state: it may have lost a part of the last one.
    if (venue.isDown) return;
    const lastSeq = process?.opened?.bot.deps.journal.lastSeq ?? 0;
    const state = venue.changes + lastSeq + (process?.trader?.notifiedCount ?? 0) + this.#processCount;
    if (state === this.#checkedState && this.queue.nowMs < this.#nextCheckMs) return;
    this.#checkedState = state;
    this.#nextCheckMs = this.queue.nowMs + 60_000;
    this.observer.checkAfterEvent(this.#facts);
  }

  // --- The bot

  #start(): void {
    this.#mustStart = false;
    const rng = this.#rng;
    const processNumber = ++this.#processCount;
    const process = new BotProcess({
      queue: this.queue,
      network: this.network,
      disk: this.journal.disk,
      configFile: join(this.folder, 'bot.yaml'),
      random: () => rng.next(),
      skewMs: Math.floor((rng.next() - 0.5) * 2 * this.#terms.maxSkewMs) + (this.#hard?.clockStepMs ?? 0),
      drift: (rng.next() - 0.5) * 1e-4,
      number: processNumber,
      strategy:
        this.#contracts?.strategy ??
        (this.#themed?.isCrowd ? CrowdTrader : this.#terms.hasBursts ? BurstTrader : this.#isBusy ? BusyTrader : Trader),
      isRunning: (otherNumber) => otherNumber === this.process?.processNumber && !this.process.isDead,
      log: (line) => {
        this.#log(line.trim());
        this.observer.noteCopies(line);
        if (line.includes(this.venue.key.secret)) this.observer.report('S12', 'the secret stands in the log', this.queue.nowMs);
      },
      broken: (why) => {
        this.#log(`broken: ${why}`);
        if (!this.journal.mustBotStop) this.observer.report('BROKEN', why, this.queue.nowMs);
        else this.queue.at(this.queue.nowMs, () => process === this.process && this.#endProcess(false, 30));
      },
      crashed: () => this.#endProcess(true, 5),
    });
    this.process = process;
    this.#log(`process ${processNumber} starts`);
    process.pending++;
    process.open().then(
      () => {
        process.pending--;
        if (this.journal.isFlipped) this.observer.report('DAMAGE', 'a start took a journal in which a bit was flipped', this.queue.nowMs);
      },
      (error: unknown) => {
        process.pending--;
        if (!process.isDead && this.process === process) this.#startFailed(error);
      },
    );
  }

  /** Handles a start that has failed: a network fault or a flipped bit explains it, or else it is a violation. */
  #startFailed(error: unknown): void {
    if (error instanceof Crash) return this.#endProcess(true, 5);
    const text = error instanceof Error ? error.message : String(error);
    this.#log(`the start ended: ${text}`);
    // Without an answer, or with uneven ones, a supervisor starts the bot again.
    const isNetworkFault =
      (error instanceof Error && error.constructor.name === 'NoAnswer') || /the clock of the|expected it to within|no answer/i.test(text);
    // The operator brings the folder back from a copy.
    const isBitFlip = this.journal.isFlipped && error instanceof ConfigError;
    if (isBitFlip) this.journal.restore();
    if (!isNetworkFault && !isBitFlip) {
      const reason = error instanceof ConfigError ? text : String((error as Error).stack);
      this.observer.report('RESTART', `the start is refused: ${reason}`, this.queue.nowMs);
    }
    this.#endProcess(false, 60);
  }

  /** Ends the process. The next one starts after `seconds`. */
  #endProcess(isPowerLoss: boolean, seconds: number): void {
    const { process } = this;
    if (process === null) return;
    process.die();
    this.process = null;
    this.journal.endProcess(isPowerLoss, this.#rng);
    this.restarts++;
    this.#log(`the process is gone${isPowerLoss ? ', and what was not synced with it' : ''}`);
    if (seconds < Infinity) this.queue.at(this.queue.nowMs + seconds * 1000, () => (this.#mustStart = this.process === null));
  }

  // --- Faults and the operator

  /** Applies a fault of the schedule. `size`, in [0, 1), scales its duration or amount. */
  #applyTimedFault({ what, size }: TimedFault): void {
    const { network, queue, venue } = this;
    // A computer that sleeps can be killed or lose power. All else that is done to its process waits for another time.
    const process = this.process?.isAsleep ? null : this.process;
    this.#log(`${what} ${size.toFixed(3)}`);
    const downSeconds = 1 + Math.floor(size ** 4 * 900);
    if (what === 'kill') this.#endProcess(false, downSeconds);
    else if (what === 'power') this.#endProcess(true, downSeconds);
    else if (what === 'diskCrash') this.journal.disk.crashAt = this.journal.disk.operations + 1 + Math.floor(size * 40);
    else if (what === 'partition') network.partitionedUntilMs = queue.nowMs + 5000 + size ** 3 * 600_000;
    else if (what === 'stale') {
      network.staleUntilMs = queue.nowMs + 600_000;
      network.staleMs = Math.floor(size * 1200);
    } else if (what === 'gap') venue.priceFactor *= 1 + (size - 0.5) * 0.1;
    else if (what === 'lostFlatten') this.#flattenAtCreate = Infinity;
    else if (what === 'unlink' && process?.opened != null) this.journal.unlink(queue.nowMs);
    else if (what === 'syncFails' && process?.opened != null) this.journal.failSync();
    else if (isHardTimed(what)) this.#hard?.apply(what, size);
    else if (isThemedTimed(what)) this.#themed?.apply(what, size);
    else if (what === 'bitFlips') this.#flipBit(size);
    else if (what === 'secondStart') {
      if (process?.opened && process.startSecond()) this.observer.report('LOCK', 'a second process opened the journal', queue.nowMs);
    } else if (what === 'halt') this.operator.halt(size);
    else this.operator.kill(process, what === 'flatten');
  }

  /** Ends the process and flips a bit of its journal. */
  #flipBit(size: number): void {
    const flip = this.process?.opened == null || this.process.isAsleep ? null : this.journal.flipBit(size);
    if (flip === null) return;
    this.#endProcess(false, 5);
    flip();
  }

  close(): void {
    this.process?.die();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs the day of a seed and returns its result. */
export async function runDay(seed: number, schedule: readonly ScheduledFault[], options: DayOptions = {}): Promise<DayResult> {
  const world = new World(seed, schedule, options);
  try {
    await world.run();
    const { observer, venue, network, restarts, operator, hash, process } = world;
    return {
      seed,
      orders: venue.orders.size,
      creates: network.creates,
      fills: venue.tradeCount,
      instants: process?.trader?.barCount ?? 0,
      unknown: observer.unknown.size,
      restarts,
      kills: operator.kills,
      duplicates: observer.duplicates,
      forgotten: observer.forgotten,
      exchangeCrashes: venue.crashes,
      lostOrders: venue.lostOrders,
      violations: observer.violations,
      hash: hash.digest('hex').slice(0, 16),
    };
  } finally {
    world.close();
  }
}
