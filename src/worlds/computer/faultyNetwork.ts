// A network between one bot and a paper exchange in the same process: it carries signed bytes, and loses, delays, cuts and replaces them.

import type { LateReplyWire } from '../../adapters/exchange/wire/lateReplyWire.ts';
import type { Rng } from '../../base/number/rng.ts';
import type { Service } from '../../paperExchange/service.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import { endpointOf } from '../../protocol/endpoints/endpoints.ts';
import { connect, lowerCase, pageOfProxy, unknownAnswer, type Answer, type Passage } from './connection.ts';

/** What a network may do to one create of an order. */
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
/** What may happen to one create of an order: that, and the end of its process behind it. */
export const CREATE_FAULTS = [...NETWORK_FAULTS, 'killBehind'] as const;
export type CreateFaultKind = (typeof CREATE_FAULTS)[number];

/** A fault of one create; `size` is uniform in [0, 1). */
export interface CreateFault {
  readonly what: CreateFaultKind;
  readonly size: number;
}

/** A create as it leaves; `number` counts all creates of the day from 1. */
export interface LeavingCreate {
  readonly number: number;
  readonly target: string;
  readonly body: Uint8Array;
}

export interface FaultyNetworkParts {
  readonly queue: DueQueue;
  readonly service: Service;
  readonly rng: Rng;
  readonly faultOf: (create: number) => CreateFault | undefined;
  readonly left: (create: LeavingCreate) => void;
  readonly answered: (status: number) => void;
  /** The process that sent a create ends `afterMs` after it has left. */
  readonly killBehind: (afterMs: number) => void;
}

/** Longer than a create waits for its answer. */
const SLOW_REPLY = { minMs: 5000, maxMs: 35_000 } as const;
/** An order that is this old when it arrives is refused by its own time window, or just not. */
const SLOW_REQUEST = { minMs: 3500, maxMs: 6500 } as const;
const LATENCY = { minMs: 5, maxMs: 125 } as const;

/**
 * Takes a request that has left to the exchange, which answers by `handle`, and the answer back to `arrived`. Either takes its time on the
 * way, and the answer may be lost.
 */
export function travel(
  { fail, bytes, later }: Passage,
  rng: Rng,
  fault: { readonly what: string; readonly size: number } | undefined,
  handle: () => Answer,
  arrived: (answer: Answer) => void,
): void {
  const slowMs = fault?.what === 'delayRequest' ? between(SLOW_REQUEST, fault.size) : 0;
  later(latencyMs(rng) + slowMs, () => {
    const answer = handle();
    if (fault?.what === 'loseReply') {
      if (fault.size < 0.5) later(latencyMs(rng), () => fail('the connection was reset', bytes));
      return;
    }
    const heldMs = fault?.what === 'delayReply' ? between(SLOW_REPLY, fault.size) : 0;
    later(latencyMs(rng) + heldMs, () => arrived(answer));
  });
}

export class FaultyNetwork {
  creates = 0;
  requests = 0;
  /** Nothing passes until then. */
  partitionedUntilMs = -Infinity;
  /** Reads of the exchange lag by `staleMs` until then. */
  staleUntilMs = -Infinity;
  staleMs = 0;
  #heldUntilMs = -Infinity;
  readonly #parts: FaultyNetworkParts;

  constructor(parts: FaultyNetworkParts) {
    this.#parts = parts;
  }

  /** Returns the connections of one process. They end with it; what has left still arrives. */
  wireOf(process: { readonly isDead: boolean }): LateReplyWire {
    const { queue, answered } = this.#parts;
    return connect({ queue, process, answered, carry: (passage) => this.#carry(passage) });
  }

  #carry(passage: Passage): void {
    const { request, target, bytes, leave, settle, fail, later } = passage;
    const { queue, rng, faultOf } = this.#parts;
    const isCreate = this.#isCreate(request, target);
    const fault = isCreate ? faultOf(++this.creates) : undefined;
    if (fault?.what === 'refuseConnection') return fail('the connection was refused', 0);
    leave();
    this.requests++;
    if (isCreate) this.#parts.left({ number: this.creates, target, body: request.body });
    if (fault?.what === 'killBehind') this.#parts.killBehind(Math.floor(fault.size * 2000));
    if (queue.nowMs < this.partitionedUntilMs || fault?.what === 'loseRequest') {
      // Half of what is lost is noticed by its sender, after a while.
      if (rng.next() < 0.5) later(1000 + rng.next() * 5000, () => fail('the connection was reset', bytes));
      return;
    }
    const handle = (): Answer => this.#answer(request, target, fault);
    travel(passage, rng, fault, handle, (answer) => {
      if (queue.nowMs < this.partitionedUntilMs) return;
      if (fault?.what === 'cutReply' && fault.size < 0.5) return fail('the reply was cut', bytes);
      settle({ kind: 'reply', ...wireReplyOf(answer, fault?.what === 'cutReply' ? fault.size : null) });
    });
  }

  #isCreate({ method, headers, body }: Parameters<LateReplyWire>[0], target: string): boolean {
    if (method !== 'POST') return false;
    const op = this.#parts.service.opOf({ method, target, headers: lowerCase(headers), body, ip: HERE });
    return op !== null && endpointOf(op).effect === 'create';
  }

  #answer({ method, headers, body }: Parameters<LateReplyWire>[0], target: string, fault: CreateFault | undefined): Answer {
    const { service, queue } = this.#parts;
    const unknown = (): Answer => unknownAnswer(service, target.startsWith('/fapi/') ? 'futures' : 'spot', fault!.size);
    if (fault?.what === 'unknownNotDone') return unknown();
    // One hold after the other: a read is never older than the bot has to expect.
    if (method === 'GET' && queue.nowMs < this.staleUntilMs && queue.nowMs >= this.#heldUntilMs) {
      service.sides.spot?.holdReads(this.staleMs);
      service.sides.futures?.holdReads(this.staleMs);
      this.#heldUntilMs = queue.nowMs + this.staleMs;
    }
    const answer = service.handle({ method, target, headers: lowerCase(headers), body, ip: HERE }, queue.nowMs);
    if (fault?.what === 'unknownDone') return unknown();
    if (fault?.what === 'replaceReply') return pageOfProxy(fault.size);
    return answer;
  }
}

const HERE = '127.0.0.1';

/** Returns a time in a range; `share` is uniform in [0, 1). */
const between = ({ minMs, maxMs }: { readonly minMs: number; readonly maxMs: number }, share: number): number =>
  minMs + share * (maxMs - minMs);
/** Most ways are short. */
const latencyMs = (rng: Rng): number => between(LATENCY, rng.next() ** 3);

/** `cut`: the size of the fault that cuts the reply; half of the replies that are cut look whole to the transport. */
export function wireReplyOf({ status, headers, body }: Answer, cut: number | null) {
  const whole = new TextEncoder().encode(body);
  if (cut === null || whole.length === 0) return { status, headers: lowerCase(headers), body: whole };
  return { status, headers: {}, body: whole.subarray(0, Math.floor((cut - 0.5) * 2 * whole.length)) };
}
