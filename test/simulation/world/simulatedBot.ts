// A bot of a simulated day: its processes, its computer's disk, its network, its operator, and the faults that happen to it.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Hash } from 'node:crypto';
import { ConfigError } from '../../../src/base/errors.ts';
import type { Rng } from '../../../src/base/number/rng.ts';
import type { OrderId } from '../../../src/model/order.ts';
import { orderIdIn } from '../../../src/protocol/clientOrderId.ts';
import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import { Crash } from '../../fixtures/simulatedDisk.ts';
import { acceptedWrongConfig, toggleUnusedFeed } from './botConfig.ts';
import { BotProcess } from './botProcess.ts';
import { ContractVenue } from './futures/contractVenue.ts';
import { JournalDisk } from './journalDisk.ts';
import { SimulatedNetwork } from './network.ts';
import { clientOrderIdIn, type Observer, type WorldFacts } from './observer.ts';
import { Operator } from './operator.ts';
import { plainFaultsOf, type PlainFaults } from './plainFaults.ts';
import type { RequestFault } from './schedule.ts';
import type { CancelRule } from './themes/cancelRule.ts';
import type { RepeatingModule } from './themes/repeatingModule.ts';
import type { LastKill } from './themes/lastKill.ts';
import type { Trader } from './trader.ts';
import type { SimulatedVenue } from './venue.ts';

/** Time after which the operator has reviewed a second copy of an order, or a wrong acknowledgement, and lets the bot continue, ms. */
const COPY_REVIEW_MS = 1_200_000;
const WRONG_REPLY_REVIEW_MS = 600_000;
/** Time from the create whose reply is lost until the kill that follows it, ms. */
const KILL_AFTER_CREATE_MS = 50;
/** Longest time between two checks of the rules, ms. */
const CHECK_EVERY_MS = 60_000;
/** Time from the end of a process until the next one starts, in seconds, by what ended it. */
const RESTART_SECONDS = { crash: 5, mustStop: 30, failedStart: 60 };

export interface SimulatedBotDeps {
  readonly queue: DueQueue;
  /** The exchange, as the account of this bot. */
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  /** Folder with the config of the bot. The folder of the bot is in it. */
  readonly folder: string;
  /** Random numbers of the processes, and of the network. */
  readonly rng: Rng;
  readonly networkRng: Rng;
  /** Largest position of a symbol, lots. */
  readonly maxLots: number;
  /** The clock of a process is at most this far ahead or behind, ms. */
  readonly maxSkewMs: number;
  readonly strategy: () => typeof Trader;
  /** The user's module between the bot and its exchange adapter; null without one. */
  readonly module: RepeatingModule | null;
  /** How far the wall clock is ahead that the next process finds, ms. */
  readonly clockStepMs: () => number;
  /** Faults of create requests, by the number of the request. */
  readonly faultByCreate: ReadonlyMap<number, RequestFault>;
  /** From this time on nothing goes wrong, ms UTC. */
  readonly calmFromMs: number;
  /** The kill that ends the day; null on days without one. */
  readonly lastKill: () => LastKill | null;
  /** Checks how long cancels wait; null on days without such a limit. */
  readonly cancelRule: CancelRule | null;
  /** True if another bot trades on the account, whose orders this one must leave alone. */
  readonly sharesAccount: boolean;
  /** True if a reply with this status is explained by a ban of the schedule. */
  readonly isOfBan: (status: number) => boolean;
  readonly hash: Hash;
  readonly print: (text: string) => void;
}

/** A bot and everything that belongs to it alone. */
export class SimulatedBot {
  readonly journal: JournalDisk;
  readonly network: SimulatedNetwork;
  readonly operator: Operator;
  readonly plainFaults: PlainFaults;
  process: BotProcess | null = null;
  restarts = 0;
  readonly #deps: SimulatedBotDeps;
  #processCount = 0;
  /** True from a change of the feeds until a process has started. */
  #acceptsChanges = false;
  #mustStart = false;
  #checkedState = -1;
  #nextCheckMs = -Infinity;
  /** A create request whose reply is lost and that a kill follows: the next one while `armed`, then the one with this number. */
  #lostFlatten: 'none' | 'armed' | number = 'none';

  constructor(deps: SimulatedBotDeps) {
    this.#deps = deps;
    const { queue, observer, venue, folder, print } = deps;
    mkdirSync(folder, { recursive: true });
    this.journal = new JournalDisk(join(folder, 'bot', 'journal'));
    const { journal } = this;
    const currentProcess = (): BotProcess | null => this.#awakeProcess;
    const operatorDeps = { queue, observer, venue, journal, folder: join(folder, 'bot'), print, currentProcess };
    this.operator = new Operator({ ...operatorDeps, endProcess: (seconds) => this.endProcess(false, seconds) });
    this.network = this.#connectNetwork();
    venue.orders.venueIdInBot = (clientOrderId) => this.#venueIdInBot(clientOrderId);
    venue.orders.isNotified = (clientOrderId) => {
      const id = this.#orderIdOf(clientOrderId);
      return id !== null && (this.process?.notifiedOf(id).length ?? 0) > 0;
    };
    const { operator, network } = this;
    this.plainFaults = plainFaultsOf({
      queue,
      venue,
      observer,
      operator,
      journal,
      network,
      currentProcess,
      endProcess: (isPowerLoss, seconds) => this.endProcess(isPowerLoss, seconds),
      armLostFlatten: () => (this.#lostFlatten = 'armed'),
    });
  }

  /** The running process; null while the bot is down or its computer sleeps. A sleeping process cannot be controlled. */
  get #awakeProcess(): BotProcess | null {
    return this.process?.isAsleep ? null : this.process;
  }
  get #configFile(): string {
    return join(this.#deps.folder, 'bot.yaml');
  }
  get venue(): SimulatedVenue {
    return this.#deps.venue;
  }
  get observer(): Observer {
    return this.#deps.observer;
  }
  /** True while promises of the process need turns of the event loop. */
  get needsEventLoop(): boolean {
    return this.process?.needsEventLoop() === true && !this.process.isAsleep;
  }
  get facts(): WorldFacts {
    const { venue, queue, maxLots } = this.#deps;
    return { venue, process: this.process, nowMs: queue.nowMs, operatorHalt: this.operator.haltState, maxLots };
  }

  /** Returns the bot's number of an order; null without a process, or for the client order id of another bot. */
  #orderIdOf(clientOrderId: string): OrderId | null {
    const prefix = this.process?.idPrefix ?? null;
    return prefix === null ? null : orderIdIn(prefix, clientOrderId);
  }
  /** Returns the venue order id by which the bot knows its order; null if it knows none. */
  #venueIdInBot(clientOrderId: string): string | null {
    const id = this.#orderIdOf(clientOrderId);
    return (id === null ? null : (this.process?.opened?.bot.deps.engine.orders.get(id)?.venueId ?? null)) as string | null;
  }

  /** Returns the network between the bot and the exchange. Its events are hashed, checked and followed by acts of the operator. */
  #connectNetwork(): SimulatedNetwork {
    const { queue, venue, observer, networkRng, hash, print, lastKill, isOfBan, faultByCreate, sharesAccount, cancelRule } = this.#deps;
    return new SimulatedNetwork({
      queue,
      venue,
      rng: networkRng,
      faultOf: (createNumber, body) => this.#takeFault(createNumber, body),
      onRequest: ({ target, body, createNumber }) => {
        const text = Buffer.from(body).toString();
        cancelRule?.noteRequest(target, text, queue.nowMs, (rule, what) => observer.report(rule, what, queue.nowMs));
        if (sharesAccount && target.includes('ancel')) this.#checkCancel(text);
        if (createNumber === 0 || lastKill()?.isRunning) return;
        const fault = faultByCreate.get(createNumber);
        hash.update(`${queue.nowMs} ${target} ${text}\n`);
        print(`create ${createNumber} leaves: ${text}${fault === undefined ? '' : ` (${fault.faultKind})`}`);
        observer.checkCreate(this.facts, text, (sought) => this.journal.isDurable(sought, queue.nowMs));
        if (createNumber === this.#lostFlatten)
          queue.at(queue.nowMs + KILL_AFTER_CREATE_MS, () => !this.process?.isAsleep && this.operator.kill(this.process, true));
      },
      onDuplicate: (body) => {
        const clientOrderId = clientOrderIdIn(Buffer.from(body).toString()) ?? '';
        const copies = venue.orders.copyCountByClientId;
        copies.set(clientOrderId, (copies.get(clientOrderId) ?? 0) + 1);
        queue.at(queue.nowMs + COPY_REVIEW_MS, () => this.operator.resume('DUPLICATE'));
      },
      onWrongReply: () => queue.at(queue.nowMs + WRONG_REPLY_REVIEW_MS, () => this.operator.resume('ECHO')),
      onRead: (target, answeredMs) => {
        if (venue instanceof ContractVenue && !this.process?.isDead) venue.payments.noteRead(target, answeredMs);
      },
      onReply: (status) => {
        if ((status === 418 || status === 429) && !isOfBan(status)) observer.report('S8', `the exchange answered ${status}`, queue.nowMs);
      },
    });
  }

  /** Reports `ALIEN` if the bot has cancelled a foreign order, one of another bot. */
  #checkCancel(body: string): void {
    const { venue, observer, queue } = this.#deps;
    for (const [id] of body.matchAll(/\d+/g))
      if (venue.manual.tradesById.has(id)) observer.report('ALIEN', `order ${id} of another bot is cancelled`, queue.nowMs);
  }

  /** Returns the fault of a create request. An armed lost flatten takes the request, so that its reply is lost. */
  #takeFault(createNumber: number, body: Uint8Array): RequestFault | undefined {
    const { queue, calmFromMs, faultByCreate } = this.#deps;
    if (queue.nowMs >= calmFromMs) return undefined;
    const lastKill = this.#deps.lastKill();
    const killFault = (): RequestFault | undefined => lastKill?.faultOf(createNumber, Buffer.from(body).toString());
    if (lastKill?.isLosing || lastKill?.isRunning) return killFault();
    if (this.#lostFlatten !== 'armed') return killFault() ?? faultByCreate.get(createNumber);
    this.#lostFlatten = createNumber;
    return { faultKind: 'loseReply', requestNumber: createNumber, draw: 0.9 };
  }

  /** Checks the rules if the last event changed something at the exchange, in the journal or in the reports to the strategy. */
  checkIfChanged(): void {
    const { venue, observer, queue, cancelRule } = this.#deps;
    // An exchange that is down cannot be compared: it may have lost the last changes.
    if (venue.exchange.isDown) return;
    const lastSeq = this.process?.opened?.bot.deps.journal.lastSeq ?? 0;
    const state = venue.changeCount + lastSeq + (this.process?.trader?.notifiedCount ?? 0) + this.#processCount;
    if (state === this.#checkedState && queue.nowMs < this.#nextCheckMs) return;
    this.#checkedState = state;
    this.#nextCheckMs = queue.nowMs + CHECK_EVERY_MS;
    observer.checkAfterEvent(this.facts);
    cancelRule?.noteAsked(this.process, queue.nowMs, (rule, what) => observer.report(rule, what, queue.nowMs));
  }
  /** Checks what must hold at the end of the day. */
  checkEnd(): void {
    const { venue, observer } = this.#deps;
    const endFacts = { requests: this.network.requests, secret: venue.key.secret, journalFiles: this.journal.contents() };
    observer.checkEnd(this.facts, endFacts);
  }

  // --- Processes

  /** Starts the next process if it is due. */
  startIfDue(): void {
    if (this.#mustStart) this.start();
  }

  start(): void {
    this.#mustStart = false;
    const { queue, venue, observer, rng, maxSkewMs, clockStepMs, strategy, module, print } = this.#deps;
    const processNumber = ++this.#processCount;
    const process = new BotProcess({
      queue,
      network: this.network,
      disk: this.journal.disk,
      configFile: this.#configFile,
      random: () => rng.next(),
      skewMs: Math.floor((rng.next() - 0.5) * 2 * maxSkewMs) + clockStepMs(),
      drift: (rng.next() - 0.5) * 1e-4,
      number: processNumber,
      strategy: strategy(),
      module: module?.module ?? null,
      acceptsChanges: this.#acceptsChanges,
      isRunning: (otherNumber) => otherNumber === this.process?.processNumber && !this.process.isDead,
      log: (line) => {
        print(line.trim());
        observer.noteCopies(line);
        if (line.includes(venue.key.secret)) observer.report('S12', 'the log contains the secret', queue.nowMs);
      },
      broken: (why) => {
        print(`broken: ${why}`);
        const mayStop = this.journal.mustBotStop || module?.explains(why) === true;
        if (!mayStop) observer.report('BROKEN', why, queue.nowMs);
        else queue.at(queue.nowMs, () => process === this.process && this.endProcess(false, RESTART_SECONDS.mustStop));
      },
      crashed: () => this.endProcess(true, RESTART_SECONDS.crash),
    });
    this.process = process;
    print(`process ${processNumber} starts`);
    process.pending++;
    process.open().then(
      () => {
        process.pending--;
        if (process.isDead) return;
        if (this.#acceptsChanges) observer.noteLifetime();
        this.#acceptsChanges = false;
        if (this.journal.isFlipped) observer.report('DAMAGE', 'a process started with a journal in which a bit was flipped', queue.nowMs);
      },
      (error: unknown) => {
        process.pending--;
        if (!process.isDead && this.process === process) this.#startFailed(error);
      },
    );
  }

  /** Handles a start that has failed: a network fault or a flipped bit explains it, or else it is a violation. */
  #startFailed(error: unknown): void {
    const { observer, queue, print } = this.#deps;
    if (error instanceof Crash) return this.endProcess(true, RESTART_SECONDS.crash);
    const text = error instanceof Error ? error.message : String(error);
    print(`the start ended: ${text}`);
    // Without a reply, or with inconsistent clock replies, a supervisor starts the bot again.
    const isNetworkFault =
      (error instanceof Error && error.constructor.name === 'NoAnswer') || /the clock of the|expected it to within|no answer/i.test(text);
    // The operator restores the folder from a copy.
    const isBitFlip = this.journal.isFlipped && error instanceof ConfigError;
    if (isBitFlip) this.journal.restore();
    if (!isNetworkFault && !isBitFlip) {
      const reason = error instanceof ConfigError ? text : String((error as Error).stack);
      observer.report('RESTART', `the start has failed: ${reason}`, queue.nowMs);
    }
    this.endProcess(false, RESTART_SECONDS.failedStart);
  }

  /** Ends the process and changes the feeds of its config. The next start begins a new lifetime: its strategies remember nothing. */
  changeFeeds(seconds: number): void {
    if (this.process === null) return;
    toggleUnusedFeed(this.#configFile);
    this.#acceptsChanges = true;
    this.endProcess(false, seconds);
  }
  /** CONFIG: a config that would break what order safety assumes is refused. `draw`, in [0, 1), selects it. */
  tryWrongConfig(draw: number): void {
    const { observer, queue } = this.#deps;
    const accepted = acceptedWrongConfig(this.#configFile, draw);
    if (accepted !== null) observer.report('CONFIG', `a config with ${accepted} is accepted`, queue.nowMs);
  }

  /** Ends the process. The next one starts after `seconds`. */
  endProcess(isPowerLoss: boolean, seconds: number): void {
    const { process } = this;
    if (process === null) return;
    const { queue, rng, print } = this.#deps;
    process.die();
    this.#deps.cancelRule?.forget();
    this.process = null;
    this.journal.endProcess(isPowerLoss, rng);
    this.restarts++;
    print(`the process has ended${isPowerLoss ? ' by a loss of power: what was not synced is lost' : ''}`);
    if (seconds < Infinity) queue.at(queue.nowMs + seconds * 1000, () => (this.#mustStart = this.process === null));
  }
}
