// Applies the faults of simulated days with a theme: lists that lack or change rows, reads that fail, and creates that arrive late.

import type { Rng } from '../../../../src/base/number/rng.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { Answer } from '../../../../src/worlds/computer/connection.ts';
import type { BotProcess } from '../botProcess.ts';
import { ContractVenue } from '../futures/contractVenue.ts';
import { Delisting } from './delisting.ts';
import { Maintenance } from './maintenance.ts';
import type { ManualTradeKill } from '../futures/manualTradeKill.ts';
import { handleLate } from '../hard/hardCreates.ts';
import { clientOrderIdIn, type Observer } from '../observer.ts';
import type { Operator } from '../operator.ts';
import type { SimulatedVenue, TrueOrder } from '../venue.ts';
import { hiddenTradesOf, type HiddenTrades } from './hiddenTrades.ts';
import type { LastKill } from './lastKill.ts';
import { LateFills } from './lateFills.ts';
import { LongList } from './longList.ts';
import { fillInManyTrades } from './manyTrades.ts';
import { changeRows, fieldOf, ownOrderOf, shareOf } from './replies.ts';
import { takeFromBook } from './otherAccount.ts';
import { SlowLists } from './slowLists.ts';
import {
  hasSlowCreates,
  arrivesAfterReservation,
  REFUSED_CODE,
  type Theme,
  type ThemedRequestFault,
  type ThemedTimedFault,
} from './themedDay.ts';
import { rngOf, subRandom, valueInRange } from '../draws.ts';

/** The largest lag that a list of `replicas` has, ms: the largest lag that a bot assumes, minus the time that a request takes. */
const MAX_LAG_MS = 2700;
/** Time from the arrival of a slow create until a lagging replica lists its order, ms: longer than one read lag, shorter than two. */
const HIDDEN_ORDER_MS = 15_000;
/** How long trades are missing in all lists on a day of missing trades, ms. */
const MISSING_TRADE_MS = { min: 40_000, max: 120_000 };
/** Time between two reviews of late orders by the operator, ms. */
const LATE_REVIEW_MS = 300_000;
/** How long lists and queries show a status that no table has, ms. */
const STRANGE_STATUS_MS = { min: 60_000, max: 400_000 };
/** Time from the end of the faults until the operator clears a mismatch that missing trades explain, ms. */
const MISMATCH_REVIEW_MS = 600_000;
/** How long lists and queries of orders do not answer, ms. */
const SILENCE_MS = { min: 240_000, max: 480_000 };
/** How long requests for the time of the exchange are slow, ms. */
const SLOW_TIME_MS = 600_000;

/** Delay of an order that arrives after it was proven absent, while it is still reserved, ms. */
const LATE_MS = { min: 40_000, max: 240_000 };
/** Delay of an order that arrives after its reservation of 30 minutes has ended, ms. */
const VERY_LATE_MS = { min: 1_860_000, max: 2_700_000 };
/** Time from the arrival of a late order until the bot must know it, ms: longer than the period of full audits. */
const LATE_ORDER_KNOWN_MS = 1_200_000;
/** A create is signed at most this far ahead of the exchange: the uncertainty that a bot allows, and its rounding, ms. */
const MAX_AHEAD_MS = 450;
/** How often a fault that needs a waiting trigger order looks for one, ms. */
const TRIGGER_WAIT_MS = 1000;
/** Share of the creates, on days of `crowd` and `newFeeds`, after which the process ends. */
const END_SHARE = 0.12;
/** Time from a create of a crowded day until the process ends, ms: before or after the reply. */
const END_AFTER_CREATE_MS = { min: 20, range: 500 };
/** Time from the end of the process after a create until it starts again, seconds. */
const QUICK_RESTART_SECONDS = 0.3;
/** Time from an operator's halt until the process ends, ms. */
const HALT_BEFORE_END_MS = 3000;
/** Time from the end of the process after a halt until it starts again, seconds. */
const RESTART_AFTER_HALT_SECONDS = 5;
/** Share of the kills over a waiting entry that also close positions. */
const FLATTEN_SHARE = 0.3;
/** Time from the last strange status until the operator clears the halt, ms. */
const STATUS_REVIEW_MS = 300_000;
/** Share of the replies to open-orders reads that are slow on a day of `replicas`. */
const SLOW_REPLY_SHARE = 0.3;
/** Delay of a slow reply to an open-orders read, ms. */
const SLOW_REPLY_MS = { min: 2000, range: 6000 };
/** Share of the open orders that the market fills just before a list is answered, on days of `replicas` with and without slow creates. */
const TAKEN_SHARE = { slowCreates: 0.25, plain: 0.7 };
/** Share of the orders whose trades are never missing on a day of missing trades. */
const COMPLETE_SHARE = 0.15;
/** Share of the late arrivals that come after the end of their reservation, on days that have such arrivals. */
const VERY_LATE_SHARE = 0.5;
/** Queries of orders fail in one of three spans of this length on a day of missing trades, ms. */
const QUERY_SPAN_MS = 120_000;
/** The factor by which `subRandom` derives a second random number from a drawn one. */
const SECOND_FACTOR = 97;

/** The error code with which the exchange answers a query of an order that it does not find. */
const NOT_FOUND_CODE = -2013;
/** Themes whose strategy is a `SceneTrader`: it has taker orders and maker orders of few forms. */
const SCENE_TRADER_THEMES: ReadonlySet<Theme> = new Set([
  'lateFills',
  'longLists',
  'slowLists',
  'manyTrades',
  'buriedTrades',
  'lateTrades',
]);

/** The parts of the simulated day that the faults act on. */
export interface ThemedFaultsDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly operator: Operator;
  /** Time from which on nothing goes wrong, ms UTC. */
  readonly calmFromMs: number;
  /** Returns the bot's process; null while no process runs. */
  readonly currentProcess: () => BotProcess | null;
  /** Ends the process. The next one starts after `seconds`. */
  readonly endProcess: (seconds: number) => void;
  /** Makes the operator kill the bot with --flatten while the exchange refuses the slices. `draw`, in [0, 1), scales the fault. */
  readonly refuseSlices: (draw: number) => void;
}

/** The faults of one day with a theme. The network asks it about each create and each read; the world applies its timed faults. */
export class ThemedFaults {
  readonly #deps: ThemedFaultsDeps;
  readonly #theme: Theme;
  readonly #rng: Rng;
  /** Client order ids of slow creates. */
  readonly #slowIds = new Set<string>();
  /** Venue ids of orders whose end was shown before their fills. */
  readonly #idsEndedEarly = new Set<string>();
  /** The kill that ends the day; null on days without one. */
  lastKill: LastKill | null = null;
  /** The kill after trades by hand that ends a day of contracts; null on days without one. */
  manualTradeKill: ManualTradeKill | null = null;
  /** The list that is as long as it may be; null on days without one. */
  readonly longList: LongList | null;
  /** The lost orders that fill late; null on days without such orders. */
  readonly #lateFills: LateFills | null;
  /** The slow lists; null on days without them. */
  readonly #slowLists: SlowLists | null;
  /** The trades that lists lack; null on days without them. */
  readonly #hiddenTrades: HiddenTrades | null;
  readonly #maintenance: Maintenance;
  readonly #delisting: Delisting;
  #silentUntilMs = -Infinity;
  #slowTimeUntilMs = -Infinity;
  #strangeUntilMs = -Infinity;
  /** True on days on which orders come so late that nothing is reserved for them any more. */
  readonly #arrivesAfterReservation: boolean;
  /** Share of the open orders that the market takes just before a list is answered. */
  readonly #takenShare: number;
  /** True if, on a day of missing trades, the trades of orders that the bot knows are never missing. */
  readonly #lacksLostOnly: boolean;

  constructor(deps: ThemedFaultsDeps, seed: number, theme: Theme) {
    this.#deps = deps;
    this.#theme = theme;
    this.#rng = rngOf(seed, 'themedFaults');
    // Missing trades make holdings differ from the trades for longer than an audit waits. The operator knows the reason.
    if (theme === 'missingTrades') deps.queue.at(deps.calmFromMs + MISMATCH_REVIEW_MS, () => deps.operator.resume('MISMATCH'));
    if (theme === 'lateTwins') this.#reviewLateOrders();
    this.#maintenance = new Maintenance(deps.queue, deps.venue, deps.calmFromMs);
    this.#delisting = new Delisting(deps.venue, seed % 2 === 0);
    this.longList = theme === 'longLists' ? new LongList(deps.queue, deps.venue) : null;
    this.#lateFills = theme === 'lateFills' ? new LateFills(deps.queue, deps.venue, seed) : null;
    this.#slowLists = theme === 'slowLists' ? new SlowLists(deps.queue, deps.venue) : null;
    this.#hiddenTrades = hiddenTradesOf(theme, deps.queue, deps.venue);
    if (theme === 'manyTrades') fillInManyTrades(deps.queue, deps.venue, deps.calmFromMs);
    this.#arrivesAfterReservation = arrivesAfterReservation(seed);
    this.#lacksLostOnly = seed % 2 === 0;
    this.#takenShare = hasSlowCreates(seed) ? TAKEN_SHARE.slowCreates : TAKEN_SHARE.plain;
  }

  /** True on days on which late orders have the fingerprints of later orders. */
  get hasEqualOrders(): boolean {
    return this.#theme === 'lateTwins' && !this.#arrivesAfterReservation;
  }

  /** Makes the operator clear the halts of late arrivals, now and at fixed intervals. */
  #reviewLateOrders(): void {
    const { queue, operator } = this.#deps;
    operator.resume('LATE_LANDING');
    queue.at(queue.nowMs + LATE_REVIEW_MS, () => this.#reviewLateOrders());
  }

  /** True on days whose strategy is a `SceneTrader`. */
  get hasSceneTrader(): boolean {
    return SCENE_TRADER_THEMES.has(this.#theme);
  }
  /** Called with the body of each create request that the exchange carries out and whose reply is lost. */
  onLostReply(body: Uint8Array, signMs: number): void {
    const bodyText = Buffer.from(body).toString();
    this.#lateFills?.onLostReply(bodyText, signMs);
    this.#slowLists?.onLostReply(bodyText, signMs);
    this.#hiddenTrades?.onLostReply(bodyText, signMs);
    this.longList?.onLostReply(bodyText);
  }

  /** Returns the reply of an exchange that is in maintenance, or that has delisted the symbol of the request; null: the exchange answers as before. */
  closedMarketAnswer(request: { readonly method: string; readonly target: string; readonly body: string }): Answer | null {
    return this.#maintenance.answer() ?? this.#delisting.answer(request);
  }

  /** True on days on which the creates of trigger orders are delivered twice, too. */
  get copiesTriggers(): boolean {
    return this.#theme === 'triggerCopies';
  }

  /** True on days on which the strategy asks for more than it may. */
  get isCrowd(): boolean {
    return this.#theme === 'crowd';
  }

  /** Applies a timed fault. `draw`, in [0, 1), scales it. */
  apply(faultKind: ThemedTimedFault, draw: number): void {
    const { queue, operator, currentProcess, endProcess } = this.#deps;
    if (faultKind === 'closedExchange') this.#maintenance.begin(draw);
    else if (faultKind === 'delist') this.#delisting.begin(draw);
    else if (faultKind === 'silence') this.#silentUntilMs = queue.nowMs + valueInRange(SILENCE_MS, draw);
    else if (faultKind === 'strange') this.#showStrangeStatuses(valueInRange(STRANGE_STATUS_MS, draw));
    else if (faultKind === 'slowTime') this.#slowTimeUntilMs = queue.nowMs + SLOW_TIME_MS;
    else if (faultKind === 'killOverEntry') this.#killOverEntry(draw);
    else if (faultKind === 'refuseOverStop') this.#onceTriggerWaits('closing', () => this.#deps.refuseSlices(draw));
    else if (faultKind === 'haltAndKill') {
      operator.halt(draw);
      queue.at(queue.nowMs + HALT_BEFORE_END_MS, () => currentProcess() !== null && endProcess(RESTART_AFTER_HALT_SECONDS));
    }
  }

  /** Kills the bot once a trigger order that opens a position waits for its price. */
  #killOverEntry(draw: number): void {
    const { operator, currentProcess } = this.#deps;
    this.#onceTriggerWaits('opening', () => operator.kill(currentProcess(), draw < FLATTEN_SHARE));
  }

  /** Runs `act` once the bot trades and a trigger order of the given purpose waits for its price. Gives up when the faults end. */
  #onceTriggerWaits(purpose: 'closing' | 'opening', act: () => void): void {
    const { queue, venue, currentProcess, calmFromMs } = this.#deps;
    const isWaiting =
      venue instanceof ContractVenue && venue.waiting().some(({ order }) => order.intent.reduceOnly === (purpose === 'closing'));
    const running = currentProcess();
    if (isWaiting && running?.opened?.bot.isTrading === true && !running.isKilled && !running.isAsleep) act();
    else if (queue.nowMs < calmFromMs) queue.at(queue.nowMs + TRIGGER_WAIT_MS, () => this.#onceTriggerWaits(purpose, act));
  }

  #showStrangeStatuses(durationMs: number): void {
    const { queue, operator } = this.#deps;
    this.#strangeUntilMs = queue.nowMs + durationMs;
    queue.at(this.#strangeUntilMs + STATUS_REVIEW_MS, () => operator.resume('STATUS'));
  }

  /** Notes a create that arrives late. On a day of `replicas` its order stays hidden for a while. */
  noteSlow(body: Uint8Array): void {
    if (this.#theme === 'replicas') this.#slowIds.add(clientOrderIdIn(Buffer.from(body).toString()) ?? '');
  }

  /**
   * Checks the signing time of a create. On a day of `crowd` or `newFeeds` it also ends the process just after some creates; the process starts
   * again at once.
   */
  noteCreate(signedMs: number): void {
    const { queue, currentProcess, endProcess, observer } = this.#deps;
    // A bot whose clock is not sure signs nothing.
    if (signedMs > queue.nowMs + MAX_AHEAD_MS)
      observer.report('CLOCK', `a create is signed ${signedMs - queue.nowMs} ms ahead of the exchange`, queue.nowMs);
    if ((this.#theme !== 'crowd' && this.#theme !== 'newFeeds') || this.#isCalm || this.#rng.next() > END_SHARE) return;
    const running = currentProcess();
    const endMs = queue.nowMs + END_AFTER_CREATE_MS.min + Math.floor(this.#rng.next() * END_AFTER_CREATE_MS.range);
    queue.at(endMs, () => currentProcess() === running && endProcess(QUICK_RESTART_SECONDS));
  }

  /** Returns the reply to a create request that has a fault. `handle` makes the exchange carry out the request. */
  answerCreate({ faultKind, draw }: ThemedRequestFault, body: string, handle: () => Answer): Answer {
    const { venue, queue } = this.#deps;
    const clientOrderId = clientOrderIdIn(body) ?? '';
    const isSale = /"side":"SELL"/i.test(body);
    if (faultKind === 'refusedDone') {
      // A refused order reserves nothing, so only a buy on a day with a larger limit has this fault.
      if (isSale || !this.#arrivesAfterReservation) return handle();
      venue.allowances.allowUnknown(clientOrderId, queue.nowMs + LATE_ORDER_KNOWN_MS);
      venue.allowances.unreservedIds.add(clientOrderId);
      const answer = handle();
      return answer.status === 200 ? venue.service.error(REFUSED_CODE, venue.market) : answer;
    }
    if (this.#theme === 'netStrategies' && (isSale || body.includes('"open":"CLOSE"'))) return handle();
    // A sale is never later than its reservation: the bot might have sold its coins meanwhile.
    const isVeryLate = draw < VERY_LATE_SHARE || this.#theme === 'netStrategies';
    const isUnreserved = this.#arrivesAfterReservation && isVeryLate && !isSale;
    const delayMs = Math.floor(valueInRange(isUnreserved ? VERY_LATE_MS : LATE_MS, subRandom(draw, SECOND_FACTOR)));
    if (isUnreserved) venue.allowances.unreservedIds.add(clientOrderId);
    venue.allowances.allowUnknown(clientOrderId, queue.nowMs + delayMs + LATE_ORDER_KNOWN_MS);
    return handleLate(venue, delayMs, handle);
  }

  /** True in the last part of the day, which has no faults. */
  get #isCalm(): boolean {
    return this.#deps.queue.nowMs >= this.#deps.calmFromMs;
  }

  /** Returns the fault of a read: while `slowTime` lasts, requests for the time are slow on their way to the exchange. */
  faultOfRead(target: string): { readonly faultKind: string; readonly draw: number } | undefined {
    const isSlow = !this.#isCalm && target.endsWith('/time') && this.#deps.queue.nowMs < this.#slowTimeUntilMs;
    return isSlow ? { faultKind: 'delayRequest', draw: this.#rng.next() ** 2 } : undefined;
  }

  /** Returns by how much later the reply to a read arrives, ms: above 0 only for some lists of open orders of `replicas` and `slowLists`. */
  replyDelayMs(target: string): number {
    if (this.#isCalm) return 0;
    if (this.#hiddenTrades !== null && target.includes('/account')) return this.#hiddenTrades.balancesDelayMs();
    if (this.#slowLists !== null && target.includes('/openOrders')) return this.#slowLists.delayMs(fieldOfQuery(target, 'symbol'));
    if (this.#theme !== 'replicas' || !target.includes('/openOrders') || this.#rng.next() >= SLOW_REPLY_SHARE) return 0;
    return SLOW_REPLY_MS.min + this.#rng.next() * SLOW_REPLY_MS.range;
  }

  /** Returns the reply to a read, with the faults of the theme. `handle` makes the exchange answer. */
  read(target: string, handle: () => Answer): Answer {
    const path = target.slice(0, (target + '?').indexOf('?'));
    if (this.manualTradeKill !== null) return this.manualTradeKill.read(target, handle());
    // In the last hour nothing goes wrong.
    if ((this.#isCalm && !this.lastKill?.isRunning) || this.#theme === 'contractKills') return handle();
    if (this.#isSilent(path)) return { status: 503, headers: {}, body: '' };
    if (this.#theme === 'replicas' && path.endsWith('/openOrders')) this.#fillBeforeList(fieldOfQuery(target, 'symbol'));
    if (path.endsWith('/openOrders')) this.#lateFills?.beforeOpenOrders(fieldOfQuery(target, 'symbol'));
    if (path.endsWith('/v1/order') && this.#hiddenTrades?.lacksOrder(fieldOfQuery(target, 'orderId')))
      return this.#deps.venue.service.error(NOT_FOUND_CODE, this.#deps.venue.market);
    if (path.endsWith('/openOrders')) this.#slowLists?.noteList(fieldOfQuery(target, 'symbol'));
    const answer = handle();
    if (answer.status !== 200) return answer;
    if (this.#lateFills !== null) return { ...answer, body: lateBody(this.#lateFills, path, answer.body) };
    if (this.#hiddenTrades !== null && path.endsWith('/account')) return { ...answer, body: this.#hiddenTrades.balancesOf(answer.body) };
    const { lastKill } = this;
    if (lastKill?.isRunning && /\/(?:openOrders|myTrades|v1\/order)$/.test(path)) {
      const symbol = fieldOfQuery(target, 'symbol');
      lastKill.drawList(symbol);
      if (path.endsWith('/openOrders')) lastKill.scene?.noteOpenList(symbol);
      return { ...answer, body: changeRows(answer.body, (row) => lastKill.rowOf(path, row)) };
    }
    if ((this.#theme === 'lateTwins' || lastKill?.scene?.hidesIdsFromBot) && /\/(?:openOrders|v1\/order)$/.test(path))
      return { ...answer, body: changeRows(answer.body, (row) => row.replace(/"clientOrderId":"[^"]*"/, '"clientOrderId":"0"')) };
    if (path.endsWith('/openOrders')) return { ...answer, body: changeRows(answer.body, (row) => this.#openRow(row)) };
    if (path.endsWith('/myTrades')) return { ...answer, body: changeRows(answer.body, (row) => this.#tradeRow(row)) };
    if (path.endsWith('/v1/order')) return { ...answer, body: changeRows(answer.body, (row) => this.#orderRow(row)) };
    return answer;
  }

  /** True if a list or a query of an order does not answer now. */
  #isSilent(path: string): boolean {
    const isList = path.endsWith('/openOrders') || path.endsWith('/myTrades');
    // While the last kill loses creates, the bot sees fills but cannot query the orders that they belong to.
    if (this.lastKill?.silencesQueries && path.endsWith('/v1/order')) return true;
    if (this.#theme === 'missingTrades') return path.endsWith('/v1/order') && Math.floor(this.#deps.queue.nowMs / QUERY_SPAN_MS) % 3 === 0;
    return this.#deps.queue.nowMs < this.#silentUntilMs && (isList || path.endsWith('/v1/order'));
  }

  /** Returns a row of a list of open orders as a replica shows it; null for an order that the replica does not show yet. */
  #openRow(row: string): string | null {
    return this.#slowLists?.lacksRow(row) || this.#isHidden(fieldOf(row, 'orderId')) ? null : this.#withStrangeStatus(row);
  }

  /** Returns the row; while statuses are strange, with a status that no table has. */
  #withStrangeStatus(row: string): string {
    if (this.#deps.queue.nowMs >= this.#strangeUntilMs) return row;
    return row.replace(/"status":"(?:NEW|PARTIALLY_FILLED|PENDING_CANCEL)"/, '"status":"SUSPENDED"');
  }

  /** True while a slow order is hidden from lists. */
  #isHidden(id: string): boolean {
    const order = this.#deps.venue.orders.byId.get(id);
    return order !== undefined && this.#slowIds.has(order.clientOrderId) && this.#deps.queue.nowMs < order.placedMs + HIDDEN_ORDER_MS;
  }

  /** Returns a row of a list of trades; null for a trade that is missing for a while. */
  #tradeRow(row: string): string | null {
    if (this.#hiddenTrades?.lacksTrade(row)) return null;
    const ageMs = this.#deps.queue.nowMs - Number(fieldOf(row, 'time'));
    if (this.#theme === 'replicas') return ageMs < shareOf(ownOrderOf(row)) * MAX_LAG_MS ? null : row;
    if (this.#theme !== 'missingTrades') return row;
    // A trade of two own orders is missing with the other trades of either, so that the trades of one order come in their order.
    const { byId } = this.#deps.venue.orders;
    const ownOrders = [fieldOf(row, 'bidId'), fieldOf(row, 'askId')].filter((id) => byId.has(id));
    return (ownOrders.length > 1 ? ownOrders : [ownOrderOf(row)]).some((id) => this.#lacksTradesOf(id, ageMs)) ? null : row;
  }
  /** True while lists lack the trades of an order. `ageMs`: the age of the trade. */
  #lacksTradesOf(orderId: string, ageMs: number): boolean {
    const orderShare = shareOf(orderId);
    if (orderShare < COMPLETE_SHARE) return false;
    const order = this.#deps.venue.orders.byId.get(orderId);
    // If all trades came late, the bot would learn to wait longer. So on these days only the trades of lost orders are missing.
    if (this.#lacksLostOnly && (order === undefined || this.#isKnown(order))) return false;
    return ageMs < valueInRange(MISSING_TRADE_MS, subRandom(orderShare, SECOND_FACTOR));
  }

  /** Returns the row of a queried order. On a day of `replicas` it shows the end of the order once before its fills. */
  #orderRow(row: string): string {
    if (this.#theme === 'strangeStatus') return this.#withStrangeStatus(row);
    const id = fieldOf(row, 'orderId');
    const newestTrade = this.#deps.venue.orders.byId.get(id)?.trades.at(-1);
    if (this.#theme !== 'replicas' || newestTrade === undefined || this.#idsEndedEarly.has(id)) return row;
    const isYoung = this.#deps.queue.nowMs - newestTrade.timeMs < shareOf(id) * MAX_LAG_MS;
    if (!isYoung || !/"status":"(?:FILLED|CANCELED)"/.test(row)) return row;
    this.#idsEndedEarly.add(id);
    return row.replace(/"executedQty":[^,}]+/, '"executedQty":0').replace('"FILLED"', '"CANCELED"');
  }

  /** True if the bot knows the venue order id of the order. */
  #isKnown({ clientOrderId, order }: TrueOrder): boolean {
    return this.#deps.venue.orders.venueIdInBot(clientOrderId) === order.id;
  }

  /** Before a list of open orders is answered, the market takes an order that the bot does not know yet. */
  #fillBeforeList(symbol: string): void {
    const { venue } = this.#deps;
    for (const order of venue.openOrders()) {
      const placed = venue.orders.byId.get(order.id);
      if (placed === undefined || order.instrument.wireName !== symbol || this.#isKnown(placed)) continue;
      if (this.#isHidden(order.id) || this.#rng.next() > this.#takenShare) continue;
      takeFromBook(venue, order);
    }
  }
}

/** Returns the body of a reply without what late fills hide. */
function lateBody(lateFills: LateFills, path: string, body: string): string {
  if (path.endsWith('/account')) return lateFills.balancesOf(body);
  return /\/(?:openOrders|myTrades)$/.test(path) ? changeRows(body, (row) => (lateFills.lacksRow(path, row) ? null : row)) : body;
}

/** Returns a parameter of the query part of a request target; empty text if it is absent. */
const fieldOfQuery = (target: string, name: string): string => new RegExp(`[?&]${name}=([^&]+)`).exec(target)?.[1] ?? '';
