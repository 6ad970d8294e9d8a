// A network between a bot and the exchange: it carries signed bytes, and loses, delays, cuts and replaces them as the schedule says.

import type { LateReplyWire } from '../../../src/adapters/exchange/wire/lateReplyWire.ts';
import type { Rng } from '../../../src/base/number/rng.ts';
import type { ServiceResponse } from '../../../src/paperExchange/api/message.ts';
import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import type { WireOutcome } from '../../../src/ports/wire.ts';
import type { RequestFault } from './schedule.ts';
import type { SimulatedVenue } from './venue.ts';

const CREATE = '/sapi/v1/order';
const CODES = [504, -1006, -1007, -1001, -1000, -1016] as const;
const PAGES = [
  { status: 502, body: '<html>bad gateway</html>' },
  { status: 200, body: '' },
  { status: 200, body: '{}' },
  { status: 302, body: '' },
  { status: 403, body: 'forbidden' },
] as const;

export interface NetworkParts {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly rng: Rng;
  /** The fault of the create of this number. */
  readonly faultOf: (create: number) => RequestFault | undefined;
  /** Told of every request as it leaves; `create`: its number among the creates, or 0. */
  readonly left: (request: { readonly target: string; readonly body: Uint8Array; readonly create: number }) => void;
  /** Told of a create before its second copy arrives. */
  readonly copied: (body: Uint8Array) => void;
  /** The answer to another create takes the place of the one that was due. */
  readonly mistaken: () => void;
  readonly answered: (status: number) => void;
}

export class SimulatedNetwork {
  creates = 0;
  requests = 0;
  /** Nothing passes until then. */
  partitionedUntilMs = -Infinity;
  /** Reads of the exchange lag by so much until then. */
  staleUntilMs = -Infinity;
  staleMs = 0;
  #heldUntilMs = -Infinity;
  /** The last answer to a create that has named an order. */
  #before: ServiceResponse | null = null;
  readonly #parts: NetworkParts;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  /** The connections of one process: they end with it, and what has left arrives all the same. */
  wireOf(process: { readonly isDead: boolean }): LateReplyWire {
    return (request, done, late) => {
      const { queue, rng, faultOf } = this.#parts;
      const { pathname, search } = new URL(request.url);
      const target = pathname + search;
      const bytes = `${request.method} ${target}`.length + request.body.length;
      const isCreate = request.method === 'POST' && pathname === CREATE;
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
      const latency = (): number => 5 + rng.next() ** 3 * 120;
      const leave = later(0, () => {
        if (process.isDead) return;
        const number = isCreate ? this.creates + 1 : 0;
        const fault = isCreate ? faultOf(number) : undefined;
        if (isCreate) this.creates++;
        if (fault?.what === 'refuseConnection') return failed('the connection was refused', 0);
        state.hasLeft = true;
        this.requests++;
        this.#parts.left({ target, body: request.body, create: number });
        if (queue.nowMs < this.partitionedUntilMs || fault?.what === 'loseRequest') {
          // Half of what is lost is noticed by its sender, after a while.
          if (rng.next() < 0.5) later(1000 + rng.next() * 5000, () => failed('the connection was reset', bytes));
          return;
        }
        const slow = fault?.what === 'delayRequest' ? 3500 + fault.size * 3000 : 0;
        if (fault?.what === 'duplicateRequest')
          later(200 + fault.size ** 3 * 3000, () => {
            this.#parts.copied(request.body);
            this.#answer(request, target, undefined);
          });
        later(latency() + slow, () => {
          const answer = this.#answer(request, target, fault);
          if (fault?.what === 'loseReply') {
            if (fault.size < 0.5) later(latency(), () => failed('the connection was reset', bytes));
            return;
          }
          const held = fault?.what === 'delayReply' ? 5000 + fault.size * 30_000 : 0;
          later(latency() + held, () => {
            if (queue.nowMs < this.partitionedUntilMs) return;
            const whole = new TextEncoder().encode(answer.body);
            if (fault?.what === 'cutReply' && whole.length > 0) {
              // Half of the cuts look complete to the transport.
              if (fault.size < 0.5) return failed(`the reply was cut behind "${this.#parts.venue.key.secret}"`, bytes);
              const cut = whole.subarray(0, Math.floor((fault.size - 0.5) * 2 * whole.length));
              return settle({ kind: 'reply', status: answer.status, headers: {}, body: cut });
            }
            settle({ kind: 'reply', status: answer.status, headers: lowerCase(answer.headers), body: whole });
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

  #answer(
    { method, headers, body }: Parameters<LateReplyWire>[0],
    target: string,
    fault: RequestFault | undefined,
  ): ServiceResponse | ((typeof PAGES)[number] & { headers: Record<string, string> }) {
    const { venue, queue } = this.#parts;
    const { service } = venue;
    const unknown = (): ServiceResponse => {
      const code = CODES[Math.floor(fault!.size * CODES.length)]!;
      return code === 504 ? { status: 504, headers: {}, body: '' } : service.error(code, 'spot');
    };
    if (fault?.what === 'unknownNotDone') return unknown();
    // One hold after the other: a read is never older than the bot has to expect.
    if (method === 'GET' && queue.nowMs < this.staleUntilMs && queue.nowMs >= this.#heldUntilMs) {
      service.spot.holdReads(this.staleMs);
      this.#heldUntilMs = queue.nowMs + this.staleMs;
    }
    const answer = service.handle({ method, target, headers: lowerCase(headers), body, ip: '127.0.0.1' }, queue.nowMs);
    const before = this.#before;
    if (method === 'POST' && target === CREATE && answer.body.includes('"orderId"')) this.#before = answer;
    if (fault?.what === 'unknownDone') return unknown();
    if (fault?.what === 'otherReply' && before !== null) {
      this.#parts.mistaken();
      return before;
    }
    if (fault?.what === 'replaceReply') return { ...PAGES[Math.floor(fault.size * PAGES.length)]!, headers: {} };
    return answer;
  }
}

function lowerCase(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) found[name.toLowerCase()] = value;
  return found;
}
