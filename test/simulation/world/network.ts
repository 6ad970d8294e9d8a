// A network between a bot and the exchange: it carries signed bytes, and loses, delays, cuts and replaces them as the schedule says.

import type { LateReplyWire } from '../../../src/adapters/exchange/wire/lateReplyWire.ts';
import type { Rng } from '../../../src/base/number/rng.ts';
import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import { connect, lowerCase, pageOfProxy, unknownAnswer, type Answer, type Passage } from '../../../src/worlds/computer/connection.ts';
import { travel, wireReplyOf } from '../../../src/worlds/computer/faultyNetwork.ts';
import type { RequestFault } from './schedule.ts';
import type { SimulatedVenue } from './venue.ts';

const CREATE = '/sapi/v1/order';

export interface NetworkParts {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly rng: Rng;
  /** The fault of the create of this number. */
  readonly faultOf: (create: number) => RequestFault | undefined;
  /** Notified of every request as it leaves; `create`: its number among the creates, or 0. */
  readonly left: (request: { readonly target: string; readonly body: Uint8Array; readonly create: number }) => void;
  /** Notified of a create before its second copy arrives. */
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
  /** Until then reads of the exchange lag by this time. */
  staleUntilMs = -Infinity;
  staleMs = 0;
  #heldUntilMs = -Infinity;
  /** The last answer to a create that has named an order. */
  #before: Answer | null = null;
  readonly #parts: NetworkParts;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  /** Returns the connections of one process. They end with it; what has left still arrives. */
  wireOf(process: { readonly isDead: boolean }): LateReplyWire {
    const { queue, answered } = this.#parts;
    return connect({ queue, process, answered, carry: (passage) => this.#carry(passage) });
  }

  #carry(passage: Passage): void {
    const { request, target, bytes, leave, settle, fail, later } = passage;
    const { queue, rng, faultOf, venue } = this.#parts;
    const isCreate = request.method === 'POST' && target === CREATE;
    const number = isCreate ? ++this.creates : 0;
    const fault = isCreate ? faultOf(number) : undefined;
    if (fault?.what === 'refuseConnection') return fail('the connection was refused', 0);
    leave();
    this.requests++;
    this.#parts.left({ target, body: request.body, create: number });
    if (queue.nowMs < this.partitionedUntilMs || fault?.what === 'loseRequest') {
      // Half of what is lost is noticed by its sender, after a while.
      if (rng.next() < 0.5) later(1000 + rng.next() * 5000, () => fail('the connection was reset', bytes));
      return;
    }
    if (fault?.what === 'duplicateRequest')
      later(200 + fault.size ** 3 * 3000, () => {
        this.#parts.copied(request.body);
        this.#answer(request, target, undefined);
      });
    const handle = (): Answer => this.#answer(request, target, fault);
    travel(passage, rng, fault, handle, (answer) => {
      if (queue.nowMs < this.partitionedUntilMs) return;
      const cut = fault?.what === 'cutReply' && answer.body !== '' ? fault.size : null;
      // A text of a failure may name anything.
      if (cut !== null && cut < 0.5) return fail(`the reply was cut behind "${venue.key.secret}"`, bytes);
      settle({ kind: 'reply', ...wireReplyOf(answer, cut) });
    });
  }

  #answer({ method, headers, body }: Passage['request'], target: string, fault: RequestFault | undefined): Answer {
    const { venue, queue } = this.#parts;
    const { service } = venue;
    const unknown = (): Answer => unknownAnswer(service, 'spot', fault!.size);
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
    if (fault?.what === 'replaceReply') return pageOfProxy(fault.size);
    return answer;
  }
}
