// Carries signed requests between a bot and the exchange. It loses, delays, cuts and replaces them as the schedule says.

import type { LateReplyWire } from '../../../src/adapters/exchange/wire/lateReplyWire.ts';
import type { Rng } from '../../../src/base/number/rng.ts';
import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import {
  connect,
  lowerCase,
  pageOfProxy,
  unknownAnswer,
  type Answer,
  type RequestInTransit,
} from '../../../src/worlds/computer/connection.ts';
import { travel, wireReplyOf } from '../../../src/worlds/computer/faultyNetwork.ts';
import { FREE_REPLY } from './hard/exchangeStorage.ts';
import { answerHardCreate, isHardCreate, slowTravelMs } from './hard/hardCreates.ts';
import type { HardFaults } from './hard/hardFaults.ts';
import type { RequestFault } from './schedule.ts';
import { isAnsweredByThemedFaults, REFUSED_CODE } from './themes/themedDay.ts';
import type { ThemedFaults } from './themes/themedFaults.ts';
import type { SimulatedVenue } from './venue.ts';

/** Paths of the requests that create orders. */
const CREATE_PATHS: ReadonlySet<string> = new Set([
  '/sapi/v1/order',
  '/fapi/v1/order',
  '/fapi/v1/conditionOrder',
  '/fapi/v1/conditionOrder/',
]);
const isCreateRequest = (method: string, target: string): boolean => method === 'POST' && CREATE_PATHS.has(target);

/** True for a reply without data. Some services send errors with HTTP 200. */
const isError = ({ status, body }: Answer): boolean => status !== 200 || /"code":"?-/.test(body);

/** The cause with which a connection fails. */
const RESET = 'the connection was reset';
/** A short travel time, ms. */
const SHORT_MS = 20;

/** The status of a waiting trigger order in the list, and one that no table has. */
const WAITING = '"status":0';
const UNRECOGNISED_STATUS = '"status":77';

/** Collaborators of the network, and what it reports. */
export interface NetworkDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly rng: Rng;
  /** Returns the fault of the create request with this number, counted from 1, and this body. */
  readonly faultOf: (createNumber: number, body: Uint8Array) => RequestFault | undefined;
  /** Called for every request as it leaves. `createNumber` is its number among the create requests, or 0. */
  readonly onRequest: (request: { readonly target: string; readonly body: Uint8Array; readonly createNumber: number }) => void;
  /** Called before the second copy of a create request arrives. */
  readonly onDuplicate: (body: Uint8Array) => void;
  /** Called when the reply to an earlier create request replaces the right one. */
  readonly onWrongReply: () => void;
  /** Called with each read that has reached the bot whole, and the time at which the exchange answered it. */
  readonly onRead?: ((target: string, answeredMs: number) => void) | undefined;
  /** Called with the HTTP status of every reply. */
  readonly onReply: (status: number) => void;
}

/** The network between the processes of a bot and the exchange. */
export class SimulatedNetwork {
  /** Faults of a hard day; null on other days. */
  hardFaults: HardFaults | null = null;
  /** Faults of a day with a theme; null on other days. */
  themedFaults: ThemedFaults | null = null;
  /** Number of create requests of the day. */
  creates = 0;
  /** Number of requests that have left the bot. */
  requests = 0;
  /** Until this time nothing passes in either direction. */
  partitionedUntilMs = -Infinity;
  /** Until this time no request of this client arrives, or no reply. Other clients are connected. */
  requestsLostUntilMs = -Infinity;
  repliesLostUntilMs = -Infinity;
  /** Until this time the exchange answers reads with data that is up to `staleMs` old. */
  staleUntilMs = -Infinity;
  staleMs = 0;
  /** Until this time the exchange holds the data that reads show. */
  #readsHeldUntilMs = -Infinity;
  /** The last reply to a create request that contained an order id, by path. */
  readonly #previousReplies = new Map<string, Answer>();
  /** The process that sent the last request. */
  #lastSender: object | null = null;
  readonly #deps: NetworkDeps;

  constructor(deps: NetworkDeps) {
    this.#deps = deps;
  }

  get isPartitioned(): boolean {
    return this.#losesRequests || this.#losesReplies;
  }
  get #losesRequests(): boolean {
    return this.#deps.queue.nowMs < Math.max(this.partitionedUntilMs, this.requestsLostUntilMs);
  }
  get #losesReplies(): boolean {
    return this.#deps.queue.nowMs < Math.max(this.partitionedUntilMs, this.repliesLostUntilMs);
  }
  /** Returns the connections of one process. They end with it, but requests that have left still arrive. */
  wireOf(process: { readonly isDead: boolean }): LateReplyWire {
    const { queue, onReply } = this.#deps;
    return connect({ queue, process, answered: onReply, carry: (passage) => this.#carry(passage, process) });
  }

  /** Carries a request to the exchange and the reply back, with its fault if it has one. */
  #carry(passage: RequestInTransit, process: object): void {
    const { request, target, leave, fail } = passage;
    const { venue } = this.#deps;
    const isCreate = isCreateRequest(request.method, target);
    const createNumber = isCreate ? ++this.creates : 0;
    const fault = isCreate ? this.#faultOf(createNumber, passage) : undefined;
    if (fault?.faultKind === 'refuseConnection' || venue.exchange.isDown) return fail('the connection was refused', 0);
    leave();
    this.requests++;
    this.#noteDeparture(passage, createNumber, fault);
    if (this.#losesRequests || fault?.faultKind === 'loseRequest') return this.#loseRequest(passage);
    if (fault?.faultKind === 'slowAdmission' || fault?.faultKind === 'lateArrival') return this.#arriveSlowly(passage, fault, process);
    if (fault?.faultKind === 'lateAdmission') return this.#admitLate(passage, fault, process);
    if (fault?.faultKind === 'duplicateRequest') this.#scheduleDuplicate(passage, fault, process);
    this.#carryBothWays(passage, fault, process);
  }

  /** Returns the scheduled fault of a create request. */
  #faultOf(createNumber: number, { target, request }: RequestInTransit): RequestFault | undefined {
    const fault = this.#deps.faultOf(createNumber, request.body);
    // A second copy of a trigger order is left to the operator (docs/order-safety.md), who cancels it at the exchange on days of `triggerCopies`.
    const isTriggerCopy = fault?.faultKind === 'duplicateRequest' && target.includes('conditionOrder');
    return isTriggerCopy && this.themedFaults?.copiesTriggers !== true ? undefined : fault;
  }

  /** Reports a request that leaves the bot. `createNumber` is 0 for other requests than creates. */
  #noteDeparture({ request, target }: RequestInTransit, createNumber: number, fault: RequestFault | undefined): void {
    this.hardFaults?.noteDeparture(target);
    this.#deps.onRequest({ target, body: request.body, createNumber });
    if (createNumber === 0) return;
    const signedMs = Number(lowerCase(request.headers)['x-ch-ts']);
    this.themedFaults?.noteCreate(signedMs);
    if (fault?.faultKind === 'loseReply') this.themedFaults?.onLostReply(request.body, signedMs);
    this.themedFaults?.lastKill?.noteCreate(Buffer.from(request.body).toString(), fault?.faultKind !== 'loseRequest');
  }

  /** Loses a request. For half of the lost requests the sender gets an error, 1 to 6 s later. */
  #loseRequest({ bytes, fail, later }: RequestInTransit): void {
    const { rng } = this.#deps;
    if (rng.next() < 0.5) later(1000 + rng.next() * 5000, () => fail(RESET, bytes));
  }

  /** Resets the connection soon, and delivers the request much later. The reply reaches nobody. */
  #arriveSlowly({ request, target, bytes, fail, later }: RequestInTransit, fault: RequestFault, process: object): void {
    this.themedFaults?.noteSlow(request.body);
    later(SHORT_MS, () => fail(RESET, bytes));
    later(slowTravelMs(fault.draw), () => {
      if (!this.#deps.venue.exchange.isDown) this.#answer(request, target, fault, process);
    });
  }

  /** Delivers a request that the exchange admits late. The reply leaves at once, so that the bot has certainly received it. */
  #admitLate({ request, target, bytes, settle, fail, later }: RequestInTransit, fault: RequestFault, process: object): void {
    later(SHORT_MS, () => {
      if (this.#deps.venue.exchange.isDown) return fail(RESET, bytes);
      const isCut = this.hardFaults!.cutsLateAnswer(fault.draw);
      const answer = this.#answer(request, target, fault, process);
      if (this.#losesReplies) return;
      if (isCut) return fail(RESET, bytes);
      settle({ kind: 'reply', ...wireReplyOf(answer, null) });
    });
  }

  /** Lets a second copy of a create request arrive 0.2 to 3.2 s after the first. Short delays are more frequent. */
  #scheduleDuplicate({ request, target, later }: RequestInTransit, fault: RequestFault, process: object): void {
    later(200 + fault.draw ** 3 * 3000, () => {
      if (this.#deps.venue.exchange.isDown) return;
      this.#deps.onDuplicate(request.body);
      this.#answer(request, target, undefined, process);
    });
  }

  /** Delivers a request, and its reply once the exchange has made durable what the reply depends on. */
  #carryBothWays(passage: RequestInTransit, fault: RequestFault | undefined, process: object): void {
    const { request, target, bytes, fail, later } = passage;
    const { queue, rng, venue } = this.#deps;
    let answeredMs = NaN;
    let heldReply = FREE_REPLY;
    const answerRequest = (): Answer => {
      answeredMs = queue.nowMs;
      const answer = venue.exchange.isDown ? pageOfProxy(0) : this.#answer(request, target, fault, process);
      heldReply = venue.exchange.holdReply();
      return answer;
    };
    // A reply of an exchange that crashed before it was durable never arrives.
    const arriveOnceDurable = (answer: Answer): void =>
      heldReply.whenDecided((mayLeave) => (mayLeave ? this.#arrive(passage, answer, fault, answeredMs) : fail(RESET, bytes)));
    const delayMs = request.method === 'GET' ? (this.themedFaults?.replyDelayMs(target) ?? 0) : 0;
    travel(passage, rng, fault ?? this.themedFaults?.faultOfRead(target), answerRequest, (answer) => {
      if (delayMs > 0) later(delayMs, () => arriveOnceDurable(answer));
      else arriveOnceDurable(answer);
    });
  }

  /** Hands a reply to the bot, whole or cut. */
  #arrive(
    { request, target, bytes, settle, fail }: RequestInTransit,
    answer: Answer,
    fault: RequestFault | undefined,
    answeredMs: number,
  ): void {
    const { venue } = this.#deps;
    if (this.#losesReplies) return;
    const cutFraction = fault?.faultKind === 'cutReply' && answer.body !== '' ? fault.draw : null;
    // The error of a failed connection may contain anything, even a secret. The bot must not log it.
    if (cutFraction !== null && cutFraction < 0.5) return fail(`the reply was cut behind "${venue.key.secret}"`, bytes);
    if (request.method === 'GET' && !isError(answer)) this.#deps.onRead?.(target, answeredMs);
    // If the bot has never had this acknowledgement, it cannot know that another order already has the id.
    if (CREATE_PATHS.has(target) && venue.market === 'futures') this.#noteReply(target, answer);
    venue.orders.noteShown(answer.body);
    settle({ kind: 'reply', ...wireReplyOf(answer, cutFraction) });
  }

  /** Notes an acknowledgement, which the fault `otherReply` repeats later. */
  #noteReply(target: string, answer: Answer): void {
    if (/"(?:orderId|triggerIds)"/.test(answer.body)) this.#previousReplies.set(target, answer);
  }

  /** Returns the answer of the exchange to a request, or the answer with which a fault replaces it. */
  #answer(
    { method, headers, body }: RequestInTransit['request'],
    target: string,
    fault: RequestFault | undefined,
    process: object,
  ): Answer {
    const { venue, queue } = this.#deps;
    const { service } = venue;
    const unknownReply = (): Answer => unknownAnswer(service, venue.market, fault!.draw);
    const isCreate = isCreateRequest(method, target);
    const bodyText = Buffer.from(body).toString();
    const handleRequest = (): Answer => venue.handle({ method, target, headers: lowerCase(headers), body }, queue.nowMs);
    const closedMarketAnswer = this.themedFaults?.closedMarketAnswer({ method, target, body: bodyText }) ?? null;
    if (closedMarketAnswer !== null) return closedMarketAnswer;
    const refusal = this.hardFaults?.refusalOf(isCreate, bodyText) ?? null;
    if (refusal !== null) return refusal;
    if (fault !== undefined && isHardCreate(fault)) return answerHardCreate(fault, venue, this.hardFaults!, handleRequest);
    if (this.themedFaults !== null && fault !== undefined && isAnsweredByThemedFaults(fault))
      return this.themedFaults.answerCreate(fault, bodyText, handleRequest);
    if (fault?.faultKind === 'unknownNotDone') return unknownReply();
    if (fault?.faultKind === 'refusal') return service.error(REFUSED_CODE, venue.market);
    // Start a new hold only when the last one has ended, so that no read is older than the bot must expect.
    if (method === 'GET' && queue.nowMs < this.staleUntilMs && queue.nowMs >= this.#readsHeldUntilMs) {
      venue.side.holdReads(this.staleMs);
      this.#readsHeldUntilMs = queue.nowMs + this.staleMs;
    }
    const answer = method === 'GET' && this.themedFaults !== null ? this.themedFaults.read(target, handleRequest) : handleRequest();
    // An acknowledgement of a futures order has only an id. One for an earlier process cannot arrive: its connections have ended.
    if (venue.market === 'futures' && process !== this.#lastSender) this.#previousReplies.clear();
    this.#lastSender = process;
    // While lists lag, the list of trigger orders shows a status that the bot does not know.
    if (target.includes('trigger_order_list') && queue.nowMs < this.staleUntilMs)
      return { ...answer, body: answer.body.replaceAll(WAITING, UNRECOGNISED_STATUS) };
    const previousReply = this.#previousReplies.get(target);
    if (isCreate && venue.market === 'spot') this.#noteReply(target, answer);
    if (fault?.faultKind === 'unknownDone') return unknownReply();
    if (fault?.faultKind === 'otherReply' && previousReply !== undefined) {
      this.#deps.onWrongReply();
      return previousReply;
    }
    if (fault?.faultKind === 'replaceReply') return pageOfProxy(fault.draw);
    if (fault?.faultKind === 'nextId') return withNextId(answer);
    return answer;
  }
}

/** Returns the reply to a create with the id that the next order gets. Ids are more than a double holds. */
const withNextId = (answer: Answer): Answer => ({
  ...answer,
  body: answer.body.replace(/("orderId":"?)(\d+)/, (_, name: string, id: string) => `${name}${BigInt(id) + 1n}`),
});
