// The world of a simulated day: a production bot and the production exchange on one virtual clock. Its last hour has no faults.

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/base/errors.ts';
import type { Rng } from '../../../src/base/number/rng.ts';
import { orderIdIn } from '../../../src/protocol/clientOrderId.ts';
import { DueQueue } from '../../../src/ports/dueQueue.ts';
import { Crash } from '../../fixtures/simulatedDisk.ts';
import { settlePromises } from '../../../src/worlds/computer/simulatedProcess.ts';
import { writeBotConfig } from './botConfig.ts';
import { BotProcess } from './botProcess.ts';
import { drawContracts, FIRST_HOUR_MS, type ContractDayTerms } from './futures/contractDay.ts';
import { ContractRules } from './futures/contractRules.ts';
import { ContractVenue } from './futures/contractVenue.ts';
import { BurstTrader } from './hard/burstTrader.ts';
import { dayTermsOf, isHardDay, isHardTimed, type DayTerms } from './hard/hardDay.ts';
import { rngOf } from './draws.ts';
import { HardFaults } from './hard/hardFaults.ts';
import { JournalDisk } from './journalDisk.ts';
import { SimulatedNetwork } from './network.ts';
import { clientOrderIdIn, Observer, type WorldFacts } from './observer.ts';
import { Operator } from './operator.ts';
import { plainFaultsOf, type PlainFaults } from './plainFaults.ts';
import type { DayOptions } from './dayResult.ts';
import { CALM_MS, DAY_MS, isBusyDay, isTimed, type ScheduledFault, type RequestFault, type TimedFault } from './schedule.ts';
import { CrowdTrader } from './themes/crowdTrader.ts';
import { LastKill } from './themes/lastKill.ts';
import { isThemedTimed, arrivesAfterReservation, themeOf, type Theme } from './themes/themedDay.ts';
import { ThemedFaults } from './themes/themedFaults.ts';
import { BusyTrader, Trader } from './trader.ts';
import { SimulatedVenue } from './venue.ts';

/** Time before the end of the day from which the operator allows no new order, ms. */
const QUIET_MS = 900_000;
export const START_MS = Date.UTC(2026, 0, 5);
/** Largest position of a symbol, lots. On a busy day orders are close to it. */
const MAX_LOTS = { quiet: 80_000, busy: 25_000 };
/** Time after which the operator has reviewed a second copy of an order, or a wrong acknowledgement, and lets the bot continue, ms. */
const COPY_REVIEW_MS = 1_200_000;
const WRONG_REPLY_REVIEW_MS = 600_000;
/** Time from the start of a day of contracts until the operator first reviews foreign orders, ms. */
const FIRST_REVIEW_MS = 90_000;
/** Time from the create whose reply is lost until the kill that follows it, ms. */
const KILL_AFTER_CREATE_MS = 50;
/** Longest time between two checks of the rules, ms. */
const CHECK_EVERY_MS = 60_000;
/** Time from the end of a process until the next one starts, in seconds, by what ended it. */
const RESTART_SECONDS = { crash: 5, mustStop: 30, failedStart: 60 };

/** One simulated day: the bot, the exchange, the network between them, the operator, and the faults of the day, on one clock. */
export class World {
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
  readonly #contracts: ContractDayTerms | null;
  readonly #untilViolation: boolean;
  readonly #isBusy: boolean;
  readonly #terms: DayTerms;
  readonly #plainFaults: PlainFaults;
  /** The faults of a hard day; null on other days. */
  #hardFaults: HardFaults | null = null;
  #themedFaults: ThemedFaults | null = null;
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
  /** A create request whose reply is lost and that a kill follows: the next one while `armed`, then the one with this number. */
  #lostFlatten: 'none' | 'armed' | number = 'none';

  constructor(
    seed: number,
    schedule: readonly ScheduledFault[],
    { lengthMs = DAY_MS, untilViolation = false, futures = false, print }: DayOptions,
  ) {
    this.#rng = rngOf(seed, 'process');
    this.#schedule = schedule;
    this.#print = print;
    this.#startMs = START_MS + (futures ? FIRST_HOUR_MS : 0);
    this.#endMs = this.#startMs + lengthMs;
    this.#untilViolation = untilViolation;
    this.#isBusy = isBusyDay(seed) || themeOf(seed) !== null;
    this.#terms = dayTermsOf(seed);
    this.#contracts = futures ? drawContracts(rngOf(seed, 'contracts'), this.#isBusy, themeOf(seed) === 'contractKills') : null;
    this.#maxLots = this.#contracts?.maxLots ?? (this.#isBusy && !arrivesAfterReservation(seed) ? MAX_LOTS.busy : MAX_LOTS.quiet);
    this.queue.runDue(this.#startMs);
    const contractVenue = futures ? new ContractVenue(seed, this.#startMs) : null;
    this.venue = contractVenue ?? new SimulatedVenue(seed, this.#startMs);
    this.observer = new Observer(contractVenue === null ? null : new ContractRules(contractVenue));
    this.operator = this.#openOperator();
    const faultByCreate = new Map(schedule.flatMap((event) => (isTimed(event) ? [] : [[event.at, event]])));
    this.network = this.#connectNetwork(faultByCreate, rngOf(seed, 'network'));
    this.venue.venueIdInBot = (clientOrderId) => this.#venueIdInBot(clientOrderId);
    this.#plainFaults = this.#openPlainFaults();
    this.#addHardFaults(seed);
    writeBotConfig(seed, { folder: this.folder, venue: this.venue, contracts: this.#contracts, maxLots: this.#maxLots });
  }

  /** The running process; null while the bot is down or its computer sleeps. A sleeping process cannot be controlled. */
  get #awakeProcess(): BotProcess | null {
    return this.process?.isAsleep ? null : this.process;
  }

  // --- Parts of the world, in the order in which the constructor makes them

  #openOperator(): Operator {
    const { queue, observer, venue, journal } = this;
    return new Operator({
      queue,
      observer,
      venue,
      journal,
      folder: join(this.folder, 'bot'),
      print: (text) => this.#log(text),
      process: () => this.#awakeProcess,
      endProcess: (seconds) => this.#endProcess(false, seconds),
    });
  }

  #openPlainFaults(): PlainFaults {
    const { queue, venue, observer, operator, journal, network } = this;
    return plainFaultsOf({
      queue,
      venue,
      observer,
      operator,
      journal,
      network,
      process: () => this.#awakeProcess,
      endProcess: (isPowerLoss, seconds) => this.#endProcess(isPowerLoss, seconds),
      armLostFlatten: () => (this.#lostFlatten = 'armed'),
    });
  }

  /** Returns the venue order id by which the bot knows its order; null if it knows none. */
  #venueIdInBot(clientOrderId: string): string | null {
    const prefix = this.process?.idPrefix ?? null;
    const id = prefix === null ? null : orderIdIn(prefix, clientOrderId);
    return (id === null ? null : (this.process?.opened?.bot.deps.engine.orders.get(id)?.venueId ?? null)) as string | null;
  }

  /** Adds the faults of a hard day or of a day with a theme. A theme has the timed faults of hard days, too. */
  #addHardFaults(seed: number): void {
    const theme = themeOf(seed);
    if (!isHardDay(seed) && theme === null) return;
    const { queue, venue, observer, operator, journal, network } = this;
    const print = (text: string): void => this.#log(text);
    this.#hardFaults = new HardFaults({ queue, venue, observer, operator, journal, network, process: () => this.process, print }, seed);
    network.hardFaults = this.#hardFaults;
    if (theme !== null) this.#addThemedFaults(seed, theme);
  }

  /** Adds the faults of a theme, and the kill that ends a day of `twins`. */
  #addThemedFaults(seed: number, theme: Theme): void {
    const { queue, venue, observer, operator, journal, network } = this;
    const process = (): BotProcess | null => this.process;
    const calmFromMs = this.#endMs - CALM_MS;
    const endProcess = (seconds: number): void => this.#endProcess(false, seconds);
    const refuseSlices = (size: number): void => this.#hardFaults?.apply('refusedFlatten', size);
    this.#themedFaults = new ThemedFaults({ queue, venue, observer, operator, calmFromMs, process, endProcess, refuseSlices }, seed, theme);
    network.themedFaults = this.#themedFaults;
    if (theme !== 'twins') return;
    const lastKillDeps = {
      queue,
      venue,
      observer,
      journal,
      network,
      process,
      folder: join(this.folder, 'bot'),
      print: (text: string) => this.#log(text),
      endProcess: () => this.#endProcess(false, Infinity),
    };
    this.#lastKill = new LastKill(lastKillDeps, seed);
    this.#themedFaults.lastKill = this.#lastKill;
  }

  /** Returns the network between the bot and the exchange. Its events are hashed, checked and followed by acts of the operator. */
  #connectNetwork(faultByCreate: ReadonlyMap<number, RequestFault>, rng: Rng): SimulatedNetwork {
    return new SimulatedNetwork({
      queue: this.queue,
      venue: this.venue,
      rng,
      faultOf: (createNumber) => this.#takeFault(createNumber, faultByCreate),
      onRequest: ({ target, body, createNumber }) => {
        if (createNumber === 0 || this.#lastKill?.isRunning) return;
        const text = Buffer.from(body).toString();
        const fault = faultByCreate.get(createNumber);
        this.hash.update(`${this.queue.nowMs} ${target} ${text}\n`);
        this.#log(`create ${createNumber} leaves: ${text}${fault === undefined ? '' : ` (${fault.what})`}`);
        this.observer.checkCreate(this.#facts, text, (sought) => this.journal.isDurable(sought, this.queue.nowMs));
        if (createNumber === this.#lostFlatten)
          this.queue.at(this.queue.nowMs + KILL_AFTER_CREATE_MS, () => !this.process?.isAsleep && this.operator.kill(this.process, true));
      },
      onDuplicate: (body) => {
        const clientOrderId = clientOrderIdIn(Buffer.from(body).toString()) ?? '';
        const copies = this.venue.copyCountByClientId;
        copies.set(clientOrderId, (copies.get(clientOrderId) ?? 0) + 1);
        this.queue.at(this.queue.nowMs + COPY_REVIEW_MS, () => this.operator.resume('DUPLICATE'));
      },
      onWrongReply: () => this.queue.at(this.queue.nowMs + WRONG_REPLY_REVIEW_MS, () => this.operator.resume('ECHO')),
      onRead: (target, answeredMs) => {
        if (this.venue instanceof ContractVenue && !this.process?.isDead) this.venue.noteRead(target, answeredMs);
      },
      onReply: (status) => {
        if ((status === 418 || status === 429) && !this.#hardFaults?.isOfBan(status))
          this.observer.report('S8', `the exchange answered ${status}`, this.queue.nowMs);
      },
    });
  }

  /** Returns the fault of a create request. An armed lost flatten takes the request, so that its reply is lost. */
  #takeFault(createNumber: number, faultByCreate: ReadonlyMap<number, RequestFault>): RequestFault | undefined {
    if (this.queue.nowMs >= this.#endMs - CALM_MS) return undefined;
    const lastKill = this.#lastKill;
    if (lastKill?.isLosing || lastKill?.isRunning) return lastKill.faultOf(createNumber);
    if (this.#lostFlatten !== 'armed') return lastKill?.faultOf(createNumber) ?? faultByCreate.get(createNumber);
    this.#lostFlatten = createNumber;
    return { what: 'loseReply', at: createNumber, size: 0.9 };
  }

  /** Prints a line with the virtual time of day, if the log is printed. */
  #log(text: string): void {
    this.#print?.(`${new Date(this.queue.nowMs).toISOString().slice(11, 23)} ${text}`);
  }
  get #facts(): WorldFacts {
    return {
      venue: this.venue,
      process: this.process,
      nowMs: this.queue.nowMs,
      operatorHalt: this.operator.haltState,
      maxLots: this.#maxLots,
    };
  }

  /** Runs the day event by event, and checks the rules after each. */
  async run(): Promise<void> {
    this.#start();
    for (const event of this.#schedule)
      if (isTimed(event) && this.#startMs + event.at < this.#endMs)
        this.queue.at(this.#startMs + event.at, () => this.#applyTimedFault(event));
    this.queue.at(this.#endMs - QUIET_MS, () => this.operator.stopOpening());
    if (this.#contracts !== null) this.queue.at(this.#startMs + FIRST_REVIEW_MS, () => this.operator.decideForeignOrders());
    for (;;) {
      if ((this.process?.needsEventLoop() && !this.process.isAsleep) || this.#lastKill?.isRunning) await settlePromises();
      // A kill without the bot ends the day.
      if (this.#lastKill?.isOver) return this.#hashEnd();
      if (this.#mustStart) this.#start();
      const nextMs = Math.min(this.queue.nextMs, this.venue.nextMs);
      if (nextMs > this.#endMs) break;
      if (this.venue.nextMs <= nextMs) this.venue.service.advance(nextMs);
      this.queue.runDue(nextMs);
      if (this.process !== null && this.process.isFlattening) this.journal.mirrorToDisk();
      this.#checkIfChanged();
      if (this.#untilViolation && this.observer.violations.length > 0) return;
    }
    this.venue.service.advance(this.#endMs);
    this.queue.runDue(this.#endMs);
    const endFacts = { requests: this.network.requests, secret: this.venue.key.secret, journalFiles: this.journal.contents() };
    this.observer.checkEnd(this.#facts, endFacts);
    this.#hardFaults?.checkEnd();
    this.#hashEnd();
  }
  #hashEnd(): void {
    for (const text of this.observer.violations) this.hash.update(text);
    this.hash.update(`${this.venue.tradeCount} ${this.venue.units('USDT')}`);
  }

  /** Checks the rules if the last event changed something at the exchange, in the journal or in the reports to the strategy. */
  #checkIfChanged(): void {
    const { process, venue } = this;
    // An exchange that is down cannot be compared: it may have lost the last changes.
    if (venue.isDown) return;
    const lastSeq = process?.opened?.bot.deps.journal.lastSeq ?? 0;
    const state = venue.changes + lastSeq + (process?.trader?.notifiedCount ?? 0) + this.#processCount;
    if (state === this.#checkedState && this.queue.nowMs < this.#nextCheckMs) return;
    this.#checkedState = state;
    this.#nextCheckMs = this.queue.nowMs + CHECK_EVERY_MS;
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
      skewMs: Math.floor((rng.next() - 0.5) * 2 * this.#terms.maxSkewMs) + (this.#hardFaults?.clockStepMs ?? 0),
      drift: (rng.next() - 0.5) * 1e-4,
      number: processNumber,
      strategy: this.#strategy(),
      isRunning: (otherNumber) => otherNumber === this.process?.processNumber && !this.process.isDead,
      log: (line) => {
        this.#log(line.trim());
        this.observer.noteCopies(line);
        if (line.includes(this.venue.key.secret)) this.observer.report('S12', 'the log contains the secret', this.queue.nowMs);
      },
      broken: (why) => {
        this.#log(`broken: ${why}`);
        if (!this.journal.mustBotStop) this.observer.report('BROKEN', why, this.queue.nowMs);
        else this.queue.at(this.queue.nowMs, () => process === this.process && this.#endProcess(false, RESTART_SECONDS.mustStop));
      },
      crashed: () => this.#endProcess(true, RESTART_SECONDS.crash),
    });
    this.process = process;
    this.#log(`process ${processNumber} starts`);
    process.pending++;
    process.open().then(
      () => {
        process.pending--;
        if (this.journal.isFlipped)
          this.observer.report('DAMAGE', 'a process started with a journal in which a bit was flipped', this.queue.nowMs);
      },
      (error: unknown) => {
        process.pending--;
        if (!process.isDead && this.process === process) this.#startFailed(error);
      },
    );
  }

  /** Returns the strategy that the seed has drawn. */
  #strategy(): typeof Trader {
    if (this.#contracts !== null) return this.#contracts.strategy;
    if (this.#themedFaults?.isCrowd) return CrowdTrader;
    if (this.#terms.hasBursts) return BurstTrader;
    return this.#isBusy ? BusyTrader : Trader;
  }

  /** Handles a start that has failed: a network fault or a flipped bit explains it, or else it is a violation. */
  #startFailed(error: unknown): void {
    if (error instanceof Crash) return this.#endProcess(true, RESTART_SECONDS.crash);
    const text = error instanceof Error ? error.message : String(error);
    this.#log(`the start ended: ${text}`);
    // Without a reply, or with inconsistent clock replies, a supervisor starts the bot again.
    const isNetworkFault =
      (error instanceof Error && error.constructor.name === 'NoAnswer') || /the clock of the|expected it to within|no answer/i.test(text);
    // The operator restores the folder from a copy.
    const isBitFlip = this.journal.isFlipped && error instanceof ConfigError;
    if (isBitFlip) this.journal.restore();
    if (!isNetworkFault && !isBitFlip) {
      const reason = error instanceof ConfigError ? text : String((error as Error).stack);
      this.observer.report('RESTART', `the start has failed: ${reason}`, this.queue.nowMs);
    }
    this.#endProcess(false, RESTART_SECONDS.failedStart);
  }

  /** Ends the process. The next one starts after `seconds`. */
  #endProcess(isPowerLoss: boolean, seconds: number): void {
    const { process } = this;
    if (process === null) return;
    process.die();
    this.process = null;
    this.journal.endProcess(isPowerLoss, this.#rng);
    this.restarts++;
    this.#log(`the process has ended${isPowerLoss ? ' by a loss of power: what was not synced is lost' : ''}`);
    if (seconds < Infinity) this.queue.at(this.queue.nowMs + seconds * 1000, () => (this.#mustStart = this.process === null));
  }

  // --- Faults and the operator

  /** Applies a fault of the schedule. `size`, in [0, 1), scales its duration or amount. */
  #applyTimedFault({ what, size }: TimedFault): void {
    this.#log(`${what} ${size.toFixed(3)}`);
    if (isHardTimed(what)) this.#hardFaults?.apply(what, size);
    else if (isThemedTimed(what)) this.#themedFaults?.apply(what, size);
    else this.#plainFaults[what](size);
  }

  close(): void {
    this.process?.die();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
