// A network between one bot and a paper exchange in the same process. It carries signed bytes, and loses, delays, cuts and replaces them.

import type { LateReplyWire } from '../../adapters/exchange/wire/lateReplyWire.ts';
import type { Rng } from '../../base/number/rng.ts';
import type { Service } from '../../paperExchange/service.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import { endpointOf } from '../../protocol/endpoints/endpoints.ts';
import { connect, lowerCase, pageOfProxy, unknownAnswer, type Answer, type Passage } from './connection.ts';

/** Faults that a network may cause for one create of an order. */
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
/** Faults that may happen to one create of an order: those of the network, and a kill of the sending process. */
export const CREATE_FAULTS = [...NETWORK_FAULTS, 'killBehind'] as const;
export type CreateFaultKind = (typeof CREATE_FAULTS)[number];

/** A fault of one create; `size` is uniform in [0, 1). */
export interface CreateFault {
  readonly what: CreateFaultKind;
  readonly size: number;
}

/** A create that leaves the process. `number` counts all creates of the day, from 1. */
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
  /** Kills the process that sent a create, `afterMs` after the create has left. */
  readonly killBehind: (afterMs: number) => void;
}

/** Delays of a reply that are longer than the bot waits for it. */
const SLOW_REPLY = { minMs: 5000, maxMs: 35_000 } as const;
/** Delays of a request around the time window of an order, so that the exchange just refuses or just accepts the order. */
const SLOW_REQUEST = { minMs: 3500, maxMs: 6500 } as const;
const LATENCY = { minMs: 5, maxMs: 125 } as const;

/**
 * Carries a request to the exchange, whose answer `handle` returns, and carries the answer back to `arrived`. Both ways take some time, and the
 * answer may be lost.
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
  /** Until this time, ms UTC, no request and no reply passes. */
  partitionedUntilMs = -Infinity;
  /** Until this time, ms UTC, reads of the exchange lag by `staleMs`. */
  staleUntilMs = -Infinity;
  staleMs = 0;
  #heldUntilMs = -Infinity;
  readonly #parts: FaultyNetworkParts;

  constructor(parts: FaultyNetworkParts) {
    this.#parts = parts;
  }

  /** Returns the connections of one process. They end with the process, but requests that have left still arrive. */
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
      // The sender notices half of the lost requests, after some time.
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
    // Delays of reads do not overlap, so that a read is never older than `staleMs`.
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
/** Returns a latency, ms. Most are short. */
const latencyMs = (rng: Rng): number => between(LATENCY, rng.next() ** 3);

/** Returns the reply on the wire. `cut`: the size of the fault that cuts the reply, from 0.5; null: not cut. */
export function wireReplyOf({ status, headers, body }: Answer, cut: number | null) {
  const whole = new TextEncoder().encode(body);
  if (cut === null || whole.length === 0) return { status, headers: lowerCase(headers), body: whole };
  return { status, headers: {}, body: whole.subarray(0, Math.floor((cut - 0.5) * 2 * whole.length)) };
}
