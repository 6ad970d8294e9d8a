// Applies the faults of days with a theme: what lists show, which reads fail, and what arrives late.

import type { Rng } from '../../../../src/base/number/rng.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { Answer } from '../../../../src/worlds/computer/connection.ts';
import type { BotProcess } from '../botProcess.ts';
import { ContractVenue } from '../futures/contractVenue.ts';
import { handleLate } from '../hard/hardCreates.ts';
import { clientOrderIdIn, type Observer } from '../observer.ts';
import type { Operator } from '../operator.ts';
import type { SimulatedVenue, TrueOrder } from '../venue.ts';
import type { LastKill } from './lastKill.ts';
import { changeRows, fieldOf, ownOrderOf, shareOf } from './replies.ts';
import { takeFromBook } from './otherAccount.ts';
import { hasSlowCreates, arrivesAfterReservation, type Theme, type ThemedFault, type ThemedTimedFault } from './themedDay.ts';
import { rngOf, subRandom } from '../draws.ts';

/** The largest lag of a list that a bot assumes, less the time that a request takes, ms. */
const MAX_LAG_MS = 2700;
/** Time from the arrival of a slow create until a lagging replica lists its order: later than the bot assumes, but for less than two read lags. */
const HIDDEN_MS = 15_000;
/** How long trades are missing in all lists on a day of missing trades. */
const MISSING_MS = { min: 40_000, max: 120_000 };
/** How often the operator looks at orders that have come late, ms. */
const LATE_REVIEW_MS = 300_000;
/** How long statuses are strange. */
const STRANGE_MS = { min: 60_000, max: 400_000 };
/** Time from the end of the faults until the operator clears what they explain, ms. */
const EXPLAINED_MS = 600_000;
/** How long lists do not answer. */
const SILENCE_MS = { min: 240_000, max: 480_000 };
/** How long the time of the exchange is answered slowly. */
const SLOW_TIME_MS = 600_000;

/** How late an order arrives that was proved absent meanwhile: while it is still reserved, or after that. */
const LATE_MS = { min: 40_000, max: 240_000 };
const VERY_LATE_MS = { min: 1_860_000, max: 2_700_000 };
/** Time within which the bot must know of such an order: longer than the period of full audits, ms. */
const KNOWN_MS = 1_200_000;
const REFUSED = -1138;
/** A create is signed at most this far ahead of the exchange: the uncertainty that a bot allows, and its rounding, ms. */
const MAX_AHEAD_MS = 450;
/** How often the trigger orders that wait are looked at, ms. */
const TRIGGER_WAIT_MS = 1000;
/** Share of the creates of a crowded day after which the process ends. */
const END_SHARE = 0.12;

export interface ThemedFaultsDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly operator: Operator;
  /** From this time on nothing goes wrong. */
  readonly calmFromMs: number;
  readonly process: () => BotProcess | null;
  /** Ends the process. The next one starts after `seconds`. */
  readonly endProcess: (seconds: number) => void;
  /** Has the operator kill the bot and close positions while the exchange refuses the slices. */
  readonly refuseSlices: (size: number) => void;
}

export class ThemedFaults {
  readonly #deps: ThemedFaultsDeps;
  readonly #theme: Theme;
  readonly #rng: Rng;
  /** Client order ids of slow creates. */
  readonly #slowIds = new Set<string>();
  /** Ids of orders whose end was shown before their fills. */
  readonly #early = new Set<string>();
  /** The kill that ends the day; null on days without one. */
  lastKill: LastKill | null = null;
  #silentUntilMs = -Infinity;
  #slowTimeUntilMs = -Infinity;
  #strangeUntilMs = -Infinity;
  /** True on days on which orders come so late that nothing is reserved for them any more. */
  readonly #arrivesAfterReservation: boolean;
  /** Share of the open orders that the market takes just before a list is answered. */
  readonly #takenShare: number;
  /** True if only trades of lost orders are missing. */
  readonly #lacksLostOnly: boolean;

  constructor(deps: ThemedFaultsDeps, seed: number, theme: Theme) {
    this.#deps = deps;
    this.#theme = theme;
    this.#rng = rngOf(seed, 'themedFaults');
    // Holdings differ from lists without trades for longer than an audit waits. The operator knows why.
    if (theme === 'missingTrades') deps.queue.at(deps.calmFromMs + EXPLAINED_MS, () => deps.operator.resume('MISMATCH'));
    if (theme === 'lateTwins') this.#reviewLateOrders();
    this.#arrivesAfterReservation = arrivesAfterReservation(seed);
    this.#lacksLostOnly = seed % 2 === 0;
    this.#takenShare = hasSlowCreates(seed) ? 0.25 : 0.7;
  }

  /** True on days of late orders that look like later ones. */
  get hasEqualOrders(): boolean {
    return this.#theme === 'lateTwins' && !this.#arrivesAfterReservation;
  }
  /** The operator looks at orders that have come late, and lets the bot continue. */
  #reviewLateOrders(): void {
    const { queue, operator } = this.#deps;
    operator.resume('LATE_LANDING');
    queue.at(queue.nowMs + LATE_REVIEW_MS, () => this.#reviewLateOrders());
  }
  get isCrowd(): boolean {
    return this.#theme === 'crowd';
  }
  /** Applies a timed fault. `size`, in [0, 1), scales it. */
  apply(what: ThemedTimedFault, size: number): void {
    const { queue, operator, process, endProcess } = this.#deps;
    if (what === 'silence') this.#silentUntilMs = queue.nowMs + SILENCE_MS.min + size * (SILENCE_MS.max - SILENCE_MS.min);
    else if (what === 'strange') this.#showStrange(STRANGE_MS.min + size * (STRANGE_MS.max - STRANGE_MS.min));
    else if (what === 'slowTime') this.#slowTimeUntilMs = queue.nowMs + SLOW_TIME_MS;
    else if (what === 'killOverEntry') this.#killOverEntry(size);
    else if (what === 'refuseOverStop') this.#onceTriggerWaits(true, () => this.#deps.refuseSlices(size));
    else if (what === 'haltAndKill') {
      operator.halt(size);
      queue.at(queue.nowMs + 3000, () => process() !== null && endProcess(5));
    }
  }

  /** Kills the bot once a trigger order that opens a position waits for its price. */
  #killOverEntry(size: number): void {
    const { operator, process } = this.#deps;
    this.#onceTriggerWaits(false, () => operator.kill(process(), size < 0.3));
  }
  /** Runs `act` once the bot runs and has a waiting trigger order that closes or opens a position. */
  #onceTriggerWaits(closes: boolean, act: () => void): void {
    const { queue, venue, process, calmFromMs } = this.#deps;
    const isWaiting = venue instanceof ContractVenue && venue.waiting().some(({ order }) => order.intent.reduceOnly === closes);
    const running = process();
    if (isWaiting && running?.opened?.bot.isTrading === true && !running.isKilled && !running.isAsleep) act();
    else if (queue.nowMs < calmFromMs) queue.at(queue.nowMs + TRIGGER_WAIT_MS, () => this.#onceTriggerWaits(closes, act));
  }

  #showStrange(ms: number): void {
    const { queue, operator } = this.#deps;
    this.#strangeUntilMs = queue.nowMs + ms;
    // The operator looks once the statuses are known again.
    queue.at(this.#strangeUntilMs + 300_000, () => operator.resume('STATUS'));
  }
  /** Notes a create that arrives late. */
  noteSlow(body: Uint8Array): void {
    if (this.#theme === 'replicas') this.#slowIds.add(clientOrderIdIn(Buffer.from(body).toString()) ?? '');
  }
  /** On a crowded day the process ends just after some creates, and starts again at once. */
  noteCreate(signedMs: number): void {
    const { queue, process, endProcess, observer } = this.#deps;
    // A bot whose clock is not sure signs nothing.
    if (signedMs > queue.nowMs + MAX_AHEAD_MS)
      observer.report('CLOCK', `a create is signed ${signedMs - queue.nowMs} ms ahead of the exchange`, queue.nowMs);
    if ((this.#theme !== 'crowd' && this.#theme !== 'newFeeds') || this.#isCalm || this.#rng.next() > END_SHARE) return;
    const running = process();
    queue.at(queue.nowMs + 20 + Math.floor(this.#rng.next() * 500), () => process() === running && endProcess(0.3));
  }
  /** Answers a create request with a fault of a day with a theme. `handle` has the exchange carry it out. */
  answerCreate({ what, size }: ThemedFault, body: string, handle: () => Answer): Answer {
    const { venue, queue } = this.#deps;
    const id = clientOrderIdIn(body) ?? '';
    const isSale = /"side":"SELL"/i.test(body);
    if (what === 'refusedDone') {
      // Nothing is reserved for an order that was refused.
      if (isSale || !this.#arrivesAfterReservation) return handle();
      venue.lateUntilMsById.set(id, queue.nowMs + KNOWN_MS);
      const answered = handle();
      return answered.status === 200 ? venue.service.error(REFUSED, venue.market) : answered;
    }
    // A sale that nothing is reserved for may be of coins that the bot has sold meanwhile.
    const range = this.#arrivesAfterReservation && size < 0.5 && !isSale ? VERY_LATE_MS : LATE_MS;
    const ms = Math.floor(range.min + subRandom(size, 97) * (range.max - range.min));
    venue.lateUntilMsById.set(id, queue.nowMs + ms + KNOWN_MS);
    return handleLate(venue, ms, handle);
  }

  get #isCalm(): boolean {
    return this.#deps.queue.nowMs >= this.#deps.calmFromMs;
  }
  /** Returns the fault of a read: questions for the time are slow on their way to the exchange for a while. */
  faultOfRead(target: string): { readonly what: string; readonly size: number } | undefined {
    const isSlow = !this.#isCalm && target.endsWith('/time') && this.#deps.queue.nowMs < this.#slowTimeUntilMs;
    return isSlow ? { what: 'delayRequest', size: this.#rng.next() ** 2 } : undefined;
  }
  /** Returns by how much later the reply to a read arrives, ms. */
  replyDelayMs(target: string): number {
    if (this.#isCalm) return 0;
    return this.#theme === 'replicas' && target.includes('/openOrders') && this.#rng.next() < 0.3 ? 2000 + this.#rng.next() * 6000 : 0;
  }

  /** Returns the reply to a read. `handle` has the exchange answer it. */
  read(target: string, handle: () => Answer): Answer {
    const path = target.slice(0, (target + '?').indexOf('?'));
    // In the last hour nothing goes wrong.
    if ((this.#isCalm && !this.lastKill?.isRunning) || this.#theme === 'contractKills') return handle();
    if (this.#isSilent(path)) return { status: 503, headers: {}, body: '' };
    if (this.#theme === 'replicas' && path.endsWith('/openOrders')) this.#fillBefore(fieldOfQuery(target, 'symbol'));
    const answer = handle();
    if (answer.status !== 200) return answer;
    const { lastKill } = this;
    if (lastKill?.isRunning && /\/(?:openOrders|myTrades|v1\/order)$/.test(path)) {
      lastKill.drawList(fieldOfQuery(target, 'symbol'));
      return { ...answer, body: changeRows(answer.body, (row) => lastKill.rowOf(path, row)) };
    }
    if (this.#theme === 'lateTwins' && /\/(?:openOrders|v1\/order)$/.test(path))
      return { ...answer, body: changeRows(answer.body, (row) => row.replace(/"clientOrderId":"[^"]*"/, '"clientOrderId":"0"')) };
    if (path.endsWith('/openOrders')) return { ...answer, body: changeRows(answer.body, (row) => this.#openRow(row)) };
    if (path.endsWith('/myTrades')) return { ...answer, body: changeRows(answer.body, (row) => this.#tradeRow(row)) };
    if (path.endsWith('/v1/order')) return { ...answer, body: changeRows(answer.body, (row) => this.#orderRow(row)) };
    return answer;
  }

  #isSilent(path: string): boolean {
    const isList = path.endsWith('/openOrders') || path.endsWith('/myTrades');
    // The bot sees fills, and cannot know whose they are.
    if (this.lastKill?.isLosing && !this.lastKill.isRunning && path.endsWith('/v1/order')) return true;
    if (this.#theme === 'missingTrades') return path.endsWith('/v1/order') && Math.floor(this.#deps.queue.nowMs / 120_000) % 3 === 0;
    return this.#deps.queue.nowMs < this.#silentUntilMs && (isList || path.endsWith('/v1/order'));
  }

  /** A list of open orders comes from a replica that shows slow orders even later. */
  #openRow(row: string): string | null {
    return this.#isHidden(fieldOf(row, 'orderId')) ? null : this.#strange(row);
  }
  /** For a part of the time, open orders have a status that no table has. */
  #strange(row: string): string {
    if (this.#deps.queue.nowMs >= this.#strangeUntilMs) return row;
    return row.replace(/"status":"(?:NEW|PARTIALLY_FILLED|PENDING_CANCEL)"/, '"status":"SUSPENDED"');
  }
  #isHidden(id: string): boolean {
    const order = this.#deps.venue.orders.get(id);
    return order !== undefined && this.#slowIds.has(order.clientOrderId) && this.#deps.queue.nowMs < order.placedMs + HIDDEN_MS;
  }

  /** A list of trades lacks those of some orders for a while. */
  #tradeRow(row: string): string | null {
    const share = shareOf(ownOrderOf(row));
    const ageMs = this.#deps.queue.nowMs - Number(fieldOf(row, 'time'));
    if (this.#theme === 'replicas') return ageMs < share * MAX_LAG_MS ? null : row;
    if (this.#theme !== 'missingTrades' || share < 0.15) return row;
    const order = this.#deps.venue.orders.get(ownOrderOf(row));
    // A bot that sees trades of its known orders late waits longer for those of lost ones.
    if (this.#lacksLostOnly && (order === undefined || this.#isKnown(order))) return row;
    return ageMs < MISSING_MS.min + subRandom(share, 97) * (MISSING_MS.max - MISSING_MS.min) ? null : row;
  }

  /** The end of an order is shown once before its fills. */
  #orderRow(row: string): string {
    if (this.#theme === 'strangeStatus') return this.#strange(row);
    const id = fieldOf(row, 'orderId');
    const newest = this.#deps.venue.orders.get(id)?.trades.at(-1);
    if (this.#theme !== 'replicas' || newest === undefined || this.#early.has(id)) return row;
    const isYoung = this.#deps.queue.nowMs - newest.timeMs < shareOf(id) * MAX_LAG_MS;
    if (!isYoung || !/"status":"(?:FILLED|CANCELED)"/.test(row)) return row;
    this.#early.add(id);
    return row.replace(/"executedQty":[^,}]+/, '"executedQty":0').replace('"FILLED"', '"CANCELED"');
  }

  #isKnown({ clientOrderId, order }: TrueOrder): boolean {
    return this.#deps.venue.venueIdInBot(clientOrderId) === order.id;
  }

  /** Before a list of open orders is answered, the market takes an order that the bot does not know yet. */
  #fillBefore(symbol: string): void {
    const { venue } = this.#deps;
    for (const order of venue.live()) {
      const placed = venue.orders.get(order.id);
      if (placed === undefined || order.instrument.wireName !== symbol || this.#isKnown(placed)) continue;
      if (this.#isHidden(order.id) || this.#rng.next() > this.#takenShare) continue;
      takeFromBook(venue, order);
    }
  }
}

const fieldOfQuery = (target: string, name: string): string => new RegExp(`[?&]${name}=([^&]+)`).exec(target)?.[1] ?? '';
