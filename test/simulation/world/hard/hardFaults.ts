// Applies the timed faults that only hard days have: bans, refused slices and trades that lists show late.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { Answer } from '../../../../src/worlds/computer/connection.ts';
import type { BotProcess } from '../botProcess.ts';
import type { JournalDisk } from '../journalDisk.ts';
import { orderIdIn } from '../../../../src/protocol/clientOrderId.ts';
import { clientOrderIdIn, type Observer } from '../observer.ts';
import type { Operator } from '../operator.ts';
import type { SimulatedVenue } from '../venue.ts';
import { ExchangeCrash } from './exchangeCrash.ts';
import { ManualActs } from './manualActs.ts';
import { ClockFaults } from './clockFaults.ts';
import { HARD_TIMED_FAULTS, isClockFault, isHardDay, isManualAct } from './hardDay.ts';
import { subRandom } from '../draws.ts';

/** Error code for too many requests. */
const TOO_MANY_REQUESTS_CODE = -1003;
/** Error code of a refused order. */
const REFUSED_ORDER_CODE = -1138;

/** A kind of timed fault that only hard days have. */
export type HardTimedFault = (typeof HARD_TIMED_FAULTS)[number];

/** Length of the time in which trades reach lists late, ms. */
const LATE_TRADES_MS = 600_000;
/** Trades reach lists at most this much later than orders do: together with other lags within the read lag that the bot assumes (3 s). */
const MAX_TRADE_DELAY_MS = 1400;
/** Length of a ban, ms. */
const BAN_MS = { min: 180_000, max: 480_000 };
/** Greatest difference between the clocks of two processes, with a margin, ms. The end of a ban is kept as a time of such a clock. */
const MAX_CLOCK_DIFFERENCE_MS = 125_000;
/** Longest time from the end of a ban until a reply to a request during the ban arrives, ms. */
const LATE_REPLY_MS = 60_000;
/** Length of the time in which slices of a kill are refused, ms. */
const REFUSALS_MS = 300_000;
/** A kill gives up after this many refused slices of an instrument, one after the other (docs/order-safety.md). */
const MAX_REFUSED_SLICES = 5;

/** Largest number of bytes that a full disk still takes. */
const MAX_FREE_BYTES = 3000;
/** For this long after such an answer, ms, a connection may be cut in place of another one: the bot remembers the first for 15 minutes. */
const INCIDENT_MS = 300_000;

/** The parts of the world that the faults act on. */
export interface HardFaultsDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly operator: Operator;
  readonly journal: JournalDisk;
  readonly network: { readonly isPartitioned: boolean };
  /** Null while the bot is down. */
  readonly currentProcess: () => BotProcess | null;
  readonly print: (text: string) => void;
}

/** The timed faults of one hard day, and what they change in requests and replies. */
export class HardFaults {
  /** The exchange refuses the bot's address until this time. */
  #bannedUntilMs = -Infinity;
  /** The bot knows of a ban that lasts until this time. */
  #knownUntilMs = -Infinity;
  /** How far the clock of the process was ahead that learned of the ban, ms. */
  #knownAheadMs = 0;
  #refusesSlicesUntilMs = -Infinity;
  /** Refused slices of each instrument, one after the other. */
  readonly #refusedSlices = new Map<string, number>();
  readonly #refusedIds = new Set<string>();
  /** The bot got its last answer of an exchange that does not know what it did at this time. */
  #incidentMs = -Infinity;
  readonly #deps: HardFaultsDeps;

  readonly #manual: ManualActs;
  readonly #clocks: ClockFaults;
  /** Null on a day of contracts. */
  readonly #crash: ExchangeCrash | null;

  constructor(deps: HardFaultsDeps, seed: number) {
    this.#deps = deps;
    this.#manual = new ManualActs(deps);
    this.#clocks = new ClockFaults(deps, seed);
    this.#crash = deps.venue.market === 'spot' && isHardDay(seed) ? new ExchangeCrash(deps, seed, () => this.#onExchangeRestart()) : null;
  }

  /** Called after a restart of the exchange. */
  #onExchangeRestart(): void {
    this.#manual.forgetLost();
    this.#clocks.onExchangeStart();
    // What was on its way to the book when the exchange crashed arrives now.
    this.#deps.operator.clearAdmissionHalts();
  }

  /** Applies a fault. `draw`, in [0, 1), scales it. */
  apply(faultKind: HardTimedFault, draw: number): void {
    const { queue, venue, operator, journal, currentProcess } = this.#deps;
    if (isManualAct(faultKind)) {
      if (!venue.exchange.isDown) this.#manual.apply(faultKind, draw);
    } else if (isClockFault(faultKind)) this.#clocks.apply(faultKind, draw);
    else if (faultKind === 'exchangeCrash') this.#crash?.apply(draw);
    else if (faultKind === 'fullDisk') {
      if (currentProcess()?.opened != null) journal.fill(Math.floor(draw * MAX_FREE_BYTES));
    } else if (faultKind === 'ban') this.#bannedUntilMs = queue.nowMs + BAN_MS.min + draw * (BAN_MS.max - BAN_MS.min);
    else if (faultKind === 'lateTrades') {
      venue.tradeDelayMs = Math.floor(draw * MAX_TRADE_DELAY_MS);
      queue.at(queue.nowMs + LATE_TRADES_MS, () => (venue.tradeDelayMs = 0));
    } else {
      this.#refusedSlices.clear();
      this.#refusesSlicesUntilMs = queue.nowMs + REFUSALS_MS;
      operator.kill(currentProcess(), true);
    }
  }

  /** Makes the exchange crash while it stores what it has just done. */
  crashAfterCreate(draw: number): void {
    this.#crash?.crashAfterCreate(draw);
  }

  /** How far the clock of the running process is ahead, ms. */
  get #aheadMs(): number {
    const { currentProcess, queue } = this.#deps;
    return (currentProcess()?.nowMs ?? queue.nowMs) - queue.nowMs;
  }
  /** How far the wall clock is ahead that the next process finds, ms. */
  get clockStepMs(): number {
    return this.#clocks.stepMs;
  }

  /** Checks at the end of the day. */
  checkEnd(): void {
    this.#manual.checkEnd();
  }

  // --- Requests and replies

  /** Returns the reply to a request that the exchange refuses unread; null if it reads the request. */
  refusalOf(isCreate: boolean, body: string): Answer | null {
    const { queue, venue, currentProcess, observer } = this.#deps;
    const leftMs = this.#bannedUntilMs - queue.nowMs;
    if (leftMs > 0)
      return {
        ...venue.service.error(TOO_MANY_REQUESTS_CODE, venue.market, true),
        headers: { 'Retry-After': String(Math.ceil(leftMs / 1000)) },
      };
    const isSlice = isCreate && currentProcess()?.isFlattening === true;
    if (!isSlice) return null;
    const symbol = /"(?:symbol|contractName)":"([^"]+)"/.exec(body)?.[1] ?? '';
    const isRefused = queue.nowMs < this.#refusesSlicesUntilMs;
    const id = clientOrderIdIn(body) ?? '';
    // A second copy, which a network made, is not a slice that the kill has sent.
    if (isRefused && this.#refusedIds.has(id)) return venue.service.error(REFUSED_ORDER_CODE, venue.market);
    this.#refusedIds.add(id);
    // An order that left before the kill began, and arrives now, is no slice either. The engine does not have slices.
    const running = currentProcess();
    const prefix = running?.idPrefix ?? null;
    const orderId = prefix === null ? null : orderIdIn(prefix, id);
    if (orderId !== null && running?.opened?.bot.deps.engine.orders.get(orderId) !== undefined)
      return isRefused ? venue.service.error(REFUSED_ORDER_CODE, venue.market) : null;
    const count = isRefused ? (this.#refusedSlices.get(symbol) ?? 0) + 1 : 0;
    this.#refusedSlices.set(symbol, count);
    if (count > MAX_REFUSED_SLICES)
      observer.report('SLICES', `a kill sends slice ${count} of ${symbol}, the others were refused`, queue.nowMs);
    return isRefused ? venue.service.error(REFUSED_ORDER_CODE, venue.market) : null;
  }
  /**
   * True if the bot gets a reply that is given now, and its journal keeps it. An order that comes late after no such reply would break what a
   * bot may assume about the exchange.
   */
  get isReplyRemembered(): boolean {
    const { journal, currentProcess, network } = this.#deps;
    const running = currentProcess();
    return (
      running?.opened != null && !running.isDead && !journal.mustBotStop && journal.disk.crashAt === Infinity && !network.isPartitioned
    );
  }
  /** True if the connection is cut in place of an answer. Side effect: notes the answer. `draw`: that of the fault. */
  cutsLateAnswer(draw: number): boolean {
    const { nowMs } = this.#deps.queue;
    if (subRandom(draw, 13) < 0.4 && nowMs - this.#incidentMs < INCIDENT_MS) return true;
    if (this.isReplyRemembered) this.#incidentMs = nowMs;
    return false;
  }
  /** True if a reply with this status is explained by a ban of the schedule. Side effect: notes that the bot knows of the ban. */
  isOfBan(status: number): boolean {
    if (status !== 418 || this.#deps.queue.nowMs > this.#bannedUntilMs + LATE_REPLY_MS) return false;
    this.#knownUntilMs = this.#bannedUntilMs;
    this.#knownAheadMs = this.#aheadMs;
    return true;
  }
  /** S8: no request leaves during a ban that the bot knows of, in this process or a later one. */
  noteDeparture(target: string): void {
    const { queue, observer } = this.#deps;
    // To a clock that is further ahead the ban ends as much earlier.
    const earlyMs = MAX_CLOCK_DIFFERENCE_MS + Math.max(0, this.#aheadMs - this.#knownAheadMs);
    if (queue.nowMs < this.#knownUntilMs - earlyMs) observer.report('S8', `a request leaves during a ban: ${target}`, queue.nowMs);
  }
}
