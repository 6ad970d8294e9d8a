// Simulates a network between a bot and a paper exchange, which loses, delays, cuts and replaces requests and replies.

import type { LateReplyWire } from '../../adapters/exchange/wire/lateReplyWire.ts';
import type { Rng } from '../../base/number/rng.ts';
import type { Service } from '../../paperExchange/service.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import { endpointOf } from '../../protocol/endpoints/endpoints.ts';
import { connect, lowerCase, pageOfProxy, unknownAnswer, type Answer, type RequestInTransit } from './connection.ts';

/** Faults of the network that can happen to the create of an order. */
export const NETWORK_FAULTS = [
  'loseRequest',
  'loseReply',
  'delayRequest',
  'delayReply',
  'cutReply',
  'replaceReply',
  'unknownDone',
  'unknownNotDone',
  'refuseConnection',
] as const;
/** Faults that can happen to the create of an order: those of the network, and a kill of the process that sent it. */
export const CREATE_FAULTS = [...NETWORK_FAULTS, 'killBehind'] as const;
/** One of the kinds of faults. */
export type CreateFaultKind = (typeof CREATE_FAULTS)[number];

/** A fault of one create. */
export interface CreateFault {
  readonly faultKind: CreateFaultKind;
  /** A random number in [0, 1), by which the fault draws its delay or variant. */
  readonly draw: number;
}

/** A create that leaves the process. */
export interface LeavingCreate {
  /** Number of the create on its day, from 1. */
  readonly number: number;
  readonly target: string;
  readonly body: Uint8Array;
}

/** Collaborators of `FaultyNetwork`. */
export interface FaultyNetworkParts {
  readonly queue: DueQueue;
  readonly service: Service;
  readonly rng: Rng;
  /** Returns the fault of a create by its number. */
  readonly faultOf: (create: number) => CreateFault | undefined;
  /** Called when a create leaves the process. */
  readonly left: (create: LeavingCreate) => void;
  /** Called with the HTTP status of each reply. */
  readonly answered: (status: number) => void;
  /** Kills the process that sent a create, `afterMs` after the create has left. */
  readonly killBehind: (afterMs: number) => void;
}

/** Range of the delay of a slow reply, which arrives after the bot has stopped waiting. */
const SLOW_REPLY = { minMs: 5000, maxMs: 35_000 } as const;
/** Range of the delay of a slow request. It includes the admission window of 5 s, so the exchange accepts some orders and refuses others. */
const SLOW_REQUEST = { minMs: 3500, maxMs: 6500 } as const;
/** Maximum time from a create to the kill of the process that sent it, ms. */
const MAX_KILL_DELAY_MS = 2000;
/** Range of the time after which the sender learns that the connection was reset. */
const RESET = { minMs: 1000, maxMs: 6000 } as const;
/** Range of the time that a request or a reply takes without a fault. */
const LATENCY = { minMs: 5, maxMs: 125 } as const;

/**
 * Carries a request to the exchange, which answers by `handle`, and carries the answer back to `arrived`. Both directions take time. A fault can
 * lose the answer.
 */
export function travel(
  { fail, bytes, later }: RequestInTransit,
  rng: Rng,
  fault: { readonly faultKind: string; readonly draw: number } | undefined,
  handle: () => Answer,
  arrived: (answer: Answer) => void,
): void {
  const slowRequestMs = fault?.faultKind === 'delayRequest' ? between(SLOW_REQUEST, fault.draw) : 0;
  later(latencyMs(rng) + slowRequestMs, () => {
    const answer = handle();
    if (fault?.faultKind === 'loseReply') {
      if (fault.draw < 0.5) later(latencyMs(rng), () => fail('the connection was reset', bytes));
      return;
    }
    const slowReplyMs = fault?.faultKind === 'delayReply' ? between(SLOW_REPLY, fault.draw) : 0;
    later(latencyMs(rng) + slowReplyMs, () => arrived(answer));
  });
}

/** The IP address from which the exchange sees the bot's requests. */
const BOT_ADDRESS = '127.0.0.1';

/** The network of one bot. */
export class FaultyNetwork {
  /** Number of creates that the bot has sent. */
  creates = 0;
  /** Number of requests that have left the bot. */
  requests = 0;
  /** Until this time, ms UTC, no request and no reply passes. */
  partitionedUntilMs = -Infinity;
  /** Until this time, ms UTC, reads of the exchange lag by `staleMs`. */
  staleUntilMs = -Infinity;
  /** How far the reads lag behind, ms. */
  staleMs = 0;
  /** Until this time, ms UTC, the exchange delays reads. */
  #readsDelayedUntilMs = -Infinity;
  readonly #parts: FaultyNetworkParts;

  constructor(parts: FaultyNetworkParts) {
    this.#parts = parts;
  }

  /** Returns the connections of one process. They end with the process, but requests that have left still arrive. */
  wireOf(process: { readonly isDead: boolean }): LateReplyWire {
    const { queue, answered } = this.#parts;
    return connect({ queue, process, answered, carry: (passage) => this.#carry(passage) });
  }

  /** Carries a request to the exchange and the reply back, with the fault of a create if it has one. */
  #carry(passage: RequestInTransit): void {
    const { request, target, bytes, leave, settle, fail, later } = passage;
    const { queue, rng, faultOf } = this.#parts;
    const isCreate = this.#isCreate(request, target);
    const fault = isCreate ? faultOf(++this.creates) : undefined;
    if (fault?.faultKind === 'refuseConnection') return fail('the connection was refused', 0);
    leave();
    this.requests++;
    if (isCreate) this.#parts.left({ number: this.creates, target, body: request.body });
    if (fault?.faultKind === 'killBehind') this.#parts.killBehind(Math.floor(fault.draw * MAX_KILL_DELAY_MS));
    if (queue.nowMs < this.partitionedUntilMs || fault?.faultKind === 'loseRequest') {
      // The sender learns of half of the lost requests by a reset of the connection.
      if (rng.next() < 0.5) later(between(RESET, rng.next()), () => fail('the connection was reset', bytes));
      return;
    }
    const handle = (): Answer => this.#answer(request, target, fault);
    travel(passage, rng, fault, handle, (answer) => {
      if (queue.nowMs < this.partitionedUntilMs) return;
      if (fault?.faultKind === 'cutReply' && fault.draw < 0.5) return fail('the reply was cut', bytes);
      settle({ kind: 'reply', ...wireReplyOf(answer, fault?.faultKind === 'cutReply' ? fault.draw : null) });
    });
  }

  /** True for a request that creates an order. */
  #isCreate({ method, headers, body }: Parameters<LateReplyWire>[0], target: string): boolean {
    if (method !== 'POST') return false;
    const op = this.#parts.service.opOf({ method, target, headers: lowerCase(headers), body, ip: BOT_ADDRESS });
    return op !== null && endpointOf(op).effect === 'create';
  }

  /** Returns the answer of the exchange, or the answer with which a fault replaces it. */
  #answer({ method, headers, body }: Parameters<LateReplyWire>[0], target: string, fault: CreateFault | undefined): Answer {
    const { service, queue } = this.#parts;
    const unknownReply = (): Answer => unknownAnswer(service, target.startsWith('/fapi/') ? 'futures' : 'spot', fault!.draw);
    if (fault?.faultKind === 'unknownNotDone') return unknownReply();
    // Two delays of reads must not overlap, because a read would then be older than `staleMs`.
    if (method === 'GET' && queue.nowMs < this.staleUntilMs && queue.nowMs >= this.#readsDelayedUntilMs) {
      service.sides.spot?.holdReads(this.staleMs);
      service.sides.futures?.holdReads(this.staleMs);
      this.#readsDelayedUntilMs = queue.nowMs + this.staleMs;
    }
    const answer = service.handle({ method, target, headers: lowerCase(headers), body, ip: BOT_ADDRESS }, queue.nowMs);
    if (fault?.faultKind === 'unknownDone') return unknownReply();
    if (fault?.faultKind === 'replaceReply') return pageOfProxy(fault.draw);
    return answer;
  }
}

/** Returns a time in a range. `share` in [0, 1) is its place in the range. */
const between = ({ minMs, maxMs }: { readonly minMs: number; readonly maxMs: number }, share: number): number =>
  minMs + share * (maxMs - minMs);

/** Returns a random latency, ms. Short ones are more frequent. */
const latencyMs = (rng: Rng): number => between(LATENCY, rng.next() ** 3);

/** Minimum length of a body whose bytes are kept, in characters. */
const MIN_KEPT_LENGTH = 512;
/** Maximum number of kept bodies. */
const MAX_KEPT_BODIES = 64;
/** Bytes of long bodies, the oldest first, because an exchange often sends the same text again. The bytes must not be changed. */
const encodedBodies = new Map<string, Buffer>();

/** Returns the bytes of a body. */
function bytesOf(body: string): Buffer {
  if (body.length < MIN_KEPT_LENGTH) return Buffer.from(body);
  const cachedBytes = encodedBodies.get(body);
  if (cachedBytes !== undefined) return cachedBytes;
  const bytes = Buffer.from(body);
  const [oldest] = encodedBodies.keys();
  if (oldest !== undefined && encodedBodies.size >= MAX_KEPT_BODIES) encodedBodies.delete(oldest);
  encodedBodies.set(body, bytes);
  return bytes;
}

/** Returns the reply on the wire. If `cut` is not null, the body is cut: with 0.5 before its first byte, with 1 at its end. */
export function wireReplyOf({ status, headers, body }: Answer, cut: number | null) {
  const bytes = bytesOf(body);
  if (cut === null || bytes.length === 0) return { status, headers: lowerCase(headers), body: bytes };
  const sharePassed = (cut - 0.5) * 2;
  return { status, headers: {}, body: bytes.subarray(0, Math.floor(sharePassed * bytes.length)) };
}
