// A network between one bot and a paper exchange in the same process: it carries signed bytes, and loses, delays, cuts and replaces them.

import type { LateReplyWire } from '../../adapters/exchange/wire/lateReplyWire.ts';
import type { Rng } from '../../base/number/rng.ts';
import type { ServiceResponse } from '../../paperExchange/api/message.ts';
import type { Service } from '../../paperExchange/service.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { WireOutcome } from '../../ports/wire.ts';
import { endpointOf } from '../../protocol/endpoints/endpoints.ts';

/** What may happen to one create of an order. */
export const CREATE_FAULTS = [
  'loseRequest',
  'loseReply',
  'delayRequest',
  'delayReply',
  'cutReply',
  'replaceReply',
  'unknownDone',
  'unknownNotDone',
  'refuseConnection',
  'killBehind',
] as const;
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

const CODES = [504, -1006, -1007, -1001, -1000, -1016] as const;
const PAGES = [
  { status: 502, body: '<html>bad gateway</html>' },
  { status: 200, body: '' },
  { status: 200, body: '{}' },
  { status: 302, body: '' },
  { status: 403, body: 'forbidden' },
] as const;
/** Longer than a create waits for its answer. */
const SLOW_REPLY = { minMs: 5000, maxMs: 35_000 } as const;
/** An order that is this old when it arrives is refused by its own time window, or just not. */
const SLOW_REQUEST = { minMs: 3500, maxMs: 6500 } as const;
const LATENCY = { minMs: 5, maxMs: 125 } as const;

type Answer = Pick<ServiceResponse, 'status' | 'body' | 'headers'>;

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
    return (request, done, late) => {
      const { queue, rng, faultOf } = this.#parts;
      const { pathname, search } = new URL(request.url);
      const target = pathname + search;
      const bytes = `${request.method} ${target}`.length + request.body.length;
      const isCreate = this.#isCreate(request, target);
      const state = { hasLeft: false, isSettled: false, isGivenUp: false };
      const settle = (outcome: WireOutcome): void => {
        if (process.isDead) return;
        if (state.isSettled) {
          if (state.isGivenUp && outcome.kind === 'reply') late?.(outcome);
          return;
        }
        state.isSettled = true;
        if (outcome.kind === 'reply') this.#parts.answered(outcome.status);
        done(outcome);
      };
      const failed = (cause: string, bytesWritten: number): void => settle({ kind: 'failed', cause, bytesWritten });
      const later = (ms: number, run: () => void): number => queue.at(queue.nowMs + Math.ceil(ms), run);
      const leave = later(0, () => {
        if (process.isDead) return;
        const fault = isCreate ? faultOf(++this.creates) : undefined;
        if (fault?.what === 'refuseConnection') return failed('the connection was refused', 0);
        state.hasLeft = true;
        this.requests++;
        if (isCreate) this.#parts.left({ number: this.creates, target, body: request.body });
        if (fault?.what === 'killBehind') this.#parts.killBehind(Math.floor(fault.size * 2000));
        if (queue.nowMs < this.partitionedUntilMs || fault?.what === 'loseRequest') {
          // Half of what is lost is noticed by its sender, after a while.
          if (rng.next() < 0.5) later(1000 + rng.next() * 5000, () => failed('the connection was reset', bytes));
          return;
        }
        const slowMs = fault?.what === 'delayRequest' ? between(SLOW_REQUEST, fault.size) : 0;
        later(this.#latencyMs() + slowMs, () => {
          const answer = this.#answer(request, target, fault);
          if (fault?.what === 'loseReply') {
            if (fault.size < 0.5) later(this.#latencyMs(), () => failed('the connection was reset', bytes));
            return;
          }
          const heldMs = fault?.what === 'delayReply' ? between(SLOW_REPLY, fault.size) : 0;
          later(this.#latencyMs() + heldMs, () => {
            if (queue.nowMs < this.partitionedUntilMs) return;
            if (fault?.what === 'cutReply' && fault.size < 0.5) return failed('the reply was cut', bytes);
            settle({ kind: 'reply', ...wireReplyOf(answer, fault) });
          });
        });
      });
      return () => {
        if (state.isSettled) return;
        if (!state.hasLeft) queue.cancel(leave);
        later(0, () => {
          failed('cancelled', state.hasLeft ? bytes : 0);
          state.isGivenUp = true;
        });
      };
    };
  }

  #isCreate({ method, headers, body }: Parameters<LateReplyWire>[0], target: string): boolean {
    if (method !== 'POST') return false;
    const op = this.#parts.service.opOf({ method, target, headers: lowerCase(headers), body, ip: HERE });
    return op !== null && endpointOf(op).effect === 'create';
  }

  #latencyMs(): number {
    return between(LATENCY, this.#parts.rng.next() ** 3);
  }

  #answer({ method, headers, body }: Parameters<LateReplyWire>[0], target: string, fault: CreateFault | undefined): Answer {
    const { service, queue } = this.#parts;
    const unknown = (): Answer => {
      const code = CODES[Math.floor(fault!.size * CODES.length)]!;
      const market = target.startsWith('/fapi/') ? 'futures' : 'spot';
      return code === 504 ? { status: 504, headers: {}, body: '' } : service.error(code, market);
    };
    if (fault?.what === 'unknownNotDone') return unknown();
    // One hold after the other: a read is never older than the bot has to expect.
    if (method === 'GET' && queue.nowMs < this.staleUntilMs && queue.nowMs >= this.#heldUntilMs) {
      service.sides.spot?.holdReads(this.staleMs);
      service.sides.futures?.holdReads(this.staleMs);
      this.#heldUntilMs = queue.nowMs + this.staleMs;
    }
    const answer = service.handle({ method, target, headers: lowerCase(headers), body, ip: HERE }, queue.nowMs);
    if (fault?.what === 'unknownDone') return unknown();
    if (fault?.what === 'replaceReply') return { ...PAGES[Math.floor(fault.size * PAGES.length)]!, headers: {} };
    return answer;
  }
}

const HERE = '127.0.0.1';

const between = ({ minMs, maxMs }: { readonly minMs: number; readonly maxMs: number }, share: number): number =>
  minMs + share * (maxMs - minMs);

/** Half of the replies that are cut look whole to the transport. */
function wireReplyOf({ status, headers, body }: Answer, fault: CreateFault | undefined) {
  const whole = new TextEncoder().encode(body);
  if (fault?.what !== 'cutReply' || whole.length === 0) return { status, headers: lowerCase(headers), body: whole };
  return { status, headers: {}, body: whole.subarray(0, Math.floor((fault.size - 0.5) * 2 * whole.length)) };
}

const lowerCase = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])));
