// Carries signed requests between a bot and the exchange. It loses, delays, cuts and replaces them as the schedule says.

import type { LateReplyWire } from '../../../src/adapters/exchange/wire/lateReplyWire.ts';
import type { Rng } from '../../../src/base/number/rng.ts';
import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import { connect, lowerCase, pageOfProxy, unknownAnswer, type Answer, type Passage } from '../../../src/worlds/computer/connection.ts';
import { travel, wireReplyOf } from '../../../src/worlds/computer/faultyNetwork.ts';
import { FREE_REPLY } from './hard/exchangeStorage.ts';
import { answerHardCreate, isHardCreate, slowTravelMs } from './hard/hardCreates.ts';
import type { HardFaults } from './hard/hardFaults.ts';
import type { RequestFault } from './schedule.ts';
import { isAnsweredByThemedFaults } from './themes/themedDay.ts';
import type { ThemedFaults } from './themes/themedFaults.ts';
import type { SimulatedVenue } from './venue.ts';

/** Paths of the requests that create orders. */
const CREATE_PATHS: ReadonlySet<string> = new Set(['/sapi/v1/order', '/fapi/v1/order', '/fapi/v1/conditionOrder/']);

/** The status of a waiting trigger order in the list, and one that no table has. */
const WAITING = '"status":0';
const UNRECOGNISED_STATUS = '"status":77';

export interface NetworkDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly rng: Rng;
  /** Returns the fault of the create request with this number, counted from 1. */
  readonly faultOf: (createNumber: number) => RequestFault | undefined;
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

export class SimulatedNetwork {
  /** Faults of a hardFaults day; null on other days. */
  hardFaults: HardFaults | null = null;
  /** Faults of a day with a theme; null on other days. */
  themedFaults: ThemedFaults | null = null;
  creates = 0;
  requests = 0;
  /** Until this time nothing passes in either direction. */
  partitionedUntilMs = -Infinity;
  /** Until this time the exchange answers reads with data that is up to `staleMs` old. */
  staleUntilMs = -Infinity;
  staleMs = 0;
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
    return this.#deps.queue.nowMs < this.partitionedUntilMs;
  }
  /** Returns the connections of one process. They end with it, but requests that have left still arrive. */
  wireOf(process: { readonly isDead: boolean }): LateReplyWire {
    const { queue, onReply } = this.#deps;
    return connect({ queue, process, answered: onReply, carry: (passage) => this.#carry(passage, process) });
  }

  #carry(passage: Passage, process: object): void {
    const { request, target, bytes, leave, settle, fail, later } = passage;
    const { queue, rng, faultOf, venue } = this.#deps;
    const isCreate = request.method === 'POST' && CREATE_PATHS.has(target);
    const createNumber = isCreate ? ++this.creates : 0;
    const drawn = isCreate ? faultOf(createNumber) : undefined;
    // A second copy of a trigger order is left to the operator (docs/order-safety.md), who would have to cancel it at the exchange.
    const fault = drawn?.what === 'duplicateRequest' && target.includes('conditionOrder') ? undefined : drawn;
    if (fault?.what === 'refuseConnection' || venue.isDown) return fail('the connection was refused', 0);
    leave();
    this.requests++;
    this.hardFaults?.noteDeparture(target);
    this.#deps.onRequest({ target, body: request.body, createNumber });
    if (isCreate) {
      this.themedFaults?.noteCreate(Number(lowerCase(request.headers)['x-ch-ts']));
      this.themedFaults?.lastKill?.noteCreate(Buffer.from(request.body).toString(), fault?.what !== 'loseRequest');
    }
    if (queue.nowMs < this.partitionedUntilMs || fault?.what === 'loseRequest') {
      // For half of the lost requests the sender gets an error, 1 to 6 s later.
      if (rng.next() < 0.5) later(1000 + rng.next() * 5000, () => fail('the connection was reset', bytes));
      return;
    }
    if (fault?.what === 'slowAdmission' || fault?.what === 'lateArrival') {
      this.themedFaults?.noteSlow(request.body);
      later(20, () => fail('the connection was reset', bytes));
      return void later(slowTravelMs(fault.size), () => !venue.isDown && this.#answer(request, target, fault, process));
    }
    if (fault?.what === 'lateAdmission')
      // Answer and outcome come at once, so that it is certain that the bot has got the answer.
      return void later(20, () => {
        if (venue.isDown) return fail('the connection was reset', bytes);
        const isCut = this.hardFaults!.cutsLateAnswer(fault.size);
        const answer = this.#answer(request, target, fault, process);
        if (this.isPartitioned) return;
        if (isCut) return fail('the connection was reset', bytes);
        settle({ kind: 'reply', ...wireReplyOf(answer, null) });
      });
    if (fault?.what === 'duplicateRequest')
      later(200 + fault.size ** 3 * 3000, () => {
        if (venue.isDown) return;
        this.#deps.onDuplicate(request.body);
        this.#answer(request, target, undefined, process);
      });
    let answeredMs = NaN;
    let reply = FREE_REPLY;
    const handle = (): Answer => {
      answeredMs = queue.nowMs;
      const answer = venue.isDown ? pageOfProxy(0) : this.#answer(request, target, fault, process);
      reply = venue.holdReply();
      return answer;
    };
    const arrive = (answer: Answer): void => {
      if (queue.nowMs < this.partitionedUntilMs) return;
      const cutFraction = fault?.what === 'cutReply' && answer.body !== '' ? fault.size : null;
      // The error of a failed connection may contain anything, even a secret. The bot must not log it.
      if (cutFraction !== null && cutFraction < 0.5) return fail(`the reply was cut behind "${venue.key.secret}"`, bytes);
      if (request.method === 'GET') this.#deps.onRead?.(target, answeredMs);
      // If the bot has never had this acknowledgement, it cannot know that another order already has the id.
      else if (CREATE_PATHS.has(target) && venue.market === 'futures') this.#noteReply(target, answer);
      venue.noteShown(answer.body);
      settle({ kind: 'reply', ...wireReplyOf(answer, cutFraction) });
    };
    // A reply of an exchange that crashed before it was durable never arrives.
    const decide = (answer: Answer): void =>
      reply.whenDecided((mayLeave) => (mayLeave ? arrive(answer) : fail('the connection was reset', bytes)));
    const delayMs = request.method === 'GET' ? (this.themedFaults?.replyDelayMs(target) ?? 0) : 0;
    travel(passage, rng, fault ?? this.themedFaults?.faultOfRead(target), handle, (answer) =>
      delayMs > 0 ? void later(delayMs, () => decide(answer)) : decide(answer),
    );
  }

  /** Notes an acknowledgement, which the fault `otherReply` repeats later. */
  #noteReply(target: string, answer: Answer): void {
    if (/"(?:orderId|triggerIds)"/.test(answer.body)) this.#previousReplies.set(target, answer);
  }

  #answer({ method, headers, body }: Passage['request'], target: string, fault: RequestFault | undefined, process: object): Answer {
    const { venue, queue } = this.#deps;
    const { service } = venue;
    const unknownReply = (): Answer => unknownAnswer(service, venue.market, fault!.size);
    const handle = (): Answer => service.handle({ method, target, headers: lowerCase(headers), body, ip: '127.0.0.1' }, queue.nowMs);
    const refusal = this.hardFaults?.refusalOf(method === 'POST' && CREATE_PATHS.has(target), Buffer.from(body).toString()) ?? null;
    if (refusal !== null) return refusal;
    if (fault !== undefined && isHardCreate(fault)) return answerHardCreate(fault, venue, this.hardFaults!, handle);
    if (this.themedFaults !== null && fault !== undefined && isAnsweredByThemedFaults(fault))
      return this.themedFaults.answerCreate(fault, Buffer.from(body).toString(), handle);
    if (fault?.what === 'unknownNotDone') return unknownReply();
    // Start a new hold only when the last one has ended, so that no read is older than the bot must expect.
    if (method === 'GET' && queue.nowMs < this.staleUntilMs && queue.nowMs >= this.#readsHeldUntilMs) {
      venue.side.holdReads(this.staleMs);
      this.#readsHeldUntilMs = queue.nowMs + this.staleMs;
    }
    const answer = method === 'GET' && this.themedFaults !== null ? this.themedFaults.read(target, handle) : handle();
    // The acknowledgement of a contract order has nothing but an id. That of an earlier process has no connection left on which to arrive.
    if (venue.market === 'futures' && process !== this.#lastSender) this.#previousReplies.clear();
    this.#lastSender = process;
    // While lists lag, the list of trigger orders shows a status that the bot does not know.
    if (target.includes('trigger_order_list') && queue.nowMs < this.staleUntilMs)
      return { ...answer, body: answer.body.replaceAll(WAITING, UNRECOGNISED_STATUS) };
    const previousReply = this.#previousReplies.get(target);
    if (method === 'POST' && CREATE_PATHS.has(target) && venue.market === 'spot') this.#noteReply(target, answer);
    if (fault?.what === 'unknownDone') return unknownReply();
    if (fault?.what === 'otherReply' && previousReply !== undefined) {
      this.#deps.onWrongReply();
      return previousReply;
    }
    if (fault?.what === 'replaceReply') return pageOfProxy(fault.size);
    return answer;
  }
}
