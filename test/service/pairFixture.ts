// Two of our clients at one paper exchange in one process: simulated time, a wire with a delay of a few ms, and the dialect of the
// switches.

import { createHmac } from 'node:crypto';
import { RestClient } from '../../src/adapters/exchange/client/restClient.ts';
import { Limiter } from '../../src/adapters/exchange/limits/limiter.ts';
import { ServerClock } from '../../src/adapters/exchange/time/serverClock.ts';
import type { LateReplyWire } from '../../src/adapters/exchange/wire/lateReplyWire.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { DEFAULT_DIALECT, type Dialect } from '../../src/protocol/dialect.ts';
import type { Op, OpArgs, OpResult } from '../../src/protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../src/protocol/outcome.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';
import { DELAYS, SERVICE_DEFAULTS } from '../../src/paperExchange/dialect/config.ts';
import type { Profile } from '../../src/paperExchange/dialect/switches.ts';
import { openService } from '../../src/paperExchange/storage/persistence.ts';
import type { Service } from '../../src/paperExchange/service.ts';
import { INVERSE, OTHER, PERPETUAL, TRADERS } from './futuresFixture.ts';
import { BTC, ETH, START_MS } from './serviceFixture.ts';

const ORIGIN = 'http://127.0.0.1';
/** The client's clock is that far behind the exchange's. */
const BEHIND_MS = 70_000;
const WIRE_MS = 3;
const TIME_LIMIT_MS = 60_000;

export class PairFixture {
  readonly service: Service;
  readonly profile: Profile;
  readonly #queue = new DueQueue();
  readonly #clients = new Map<string, RestClient>();

  constructor(profile: Profile) {
    this.profile = profile;
    const instruments = [BTC, ETH, PERPETUAL, OTHER, INVERSE];
    this.service = openService({ ...SERVICE_DEFAULTS, instruments, accounts: TRADERS, profile, delays: DELAYS.realistic }, START_MS);
    this.#queue.runDue(START_MS - BEHIND_MS);
    for (const { name, keys } of TRADERS) this.#clients.set(name, this.#client(keys[0]!.apiKey, keys[0]!.secret));
  }

  /** The outcome of a call of `as`, in simulated time. */
  ask<O extends Op>(op: O, args: OpArgs<O>, as = 'alice'): Outcome<OpResult<O>> {
    let found: Outcome<OpResult<O>> | null = null;
    const outcome = (): Outcome<OpResult<O>> | null => found;
    this.#clients.get(as)!.call(op, args, (given) => (found = given));
    const untilMs = this.#queue.nowMs + TIME_LIMIT_MS;
    while (outcome() === null) {
      if (this.#queue.nextMs > untilMs) throw new Error(`${op}: no outcome`);
      this.#queue.runDue(this.#queue.nextMs);
    }
    return outcome()!;
  }

  /** The outcomes of two equal calls that leave in the same ms. */
  twice<O extends Op>(op: O, args: OpArgs<O>): readonly Outcome<OpResult<O>>['kind'][] {
    const found: Outcome<OpResult<O>>['kind'][] = [];
    for (let at = 0; at < 2; at++) this.#clients.get('alice')!.call(op, args, ({ kind }) => found.push(kind));
    this.#queue.runDue(this.#queue.nowMs + TIME_LIMIT_MS);
    return found;
  }

  /** What the exchange says to a call that it carries out. */
  acked<O extends Op>(op: O, args: OpArgs<O>, as = 'alice'): OpResult<O> {
    const outcome = this.ask(op, args, as);
    if (outcome.kind === 'acked') return outcome.value;
    throw new Error(`${op}: ${JSON.stringify(outcome)}`);
  }

  /** The code of a call that is refused. */
  refused<O extends Op>(op: O, args: OpArgs<O>, as = 'alice'): number {
    const outcome = this.ask(op, args, as);
    if (outcome.kind === 'refused') return outcome.code;
    throw new Error(`${op}: ${JSON.stringify(outcome)}`);
  }

  /** Lets all that is under way come to its end. */
  settle(): void {
    this.#queue.runDue(this.#queue.nowMs + 1000);
    this.service.advance(this.#queue.nowMs + BEHIND_MS);
  }

  #client(apiKey: string, secret: string): RestClient {
    const scheduler = this.#queue;
    const rng = seededRng(1);
    return new RestClient({
      wire: this.#wire,
      scheduler,
      limiter: new Limiter(scheduler, {}),
      clock: new ServerClock(scheduler),
      baseUrls: { spot: ORIGIN, futures: ORIGIN },
      credentials: { apiKey, sign: (message) => createHmac('sha256', secret).update(message).digest('hex') },
      dialect: dialectFor(this.profile),
      random: () => rng.next(),
    });
  }

  readonly #wire: LateReplyWire = ({ method, url, headers, body }, done) => {
    const after = (run: () => void): number => this.#queue.at(this.#queue.nowMs + WIRE_MS, run);
    after(() => {
      const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const request = { method, target: url.slice(ORIGIN.length), headers: named, body, ip: '127.0.0.1' };
      const reply = this.service.handle(request, this.#queue.nowMs + BEHIND_MS);
      const answer = { kind: 'reply', status: reply.status, headers: reply.headers, body: new TextEncoder().encode(reply.body) } as const;
      after(() => done(answer));
    });
    return () => {};
  };
}

/** What a user of such an exchange would set: the switches that requests can be fitted to. */
function dialectFor(profile: Profile): Dialect {
  const { signQuery, batchCancelField, conditionPath, cancelTriggerPath, klinesRange, queryByClientId, positionsEndpoint } = profile;
  return {
    ...DEFAULT_DIALECT,
    signQuery: signQuery === 'omit' ? 'omit' : 'include',
    contentTypeOnGet: profile.contentType === 'all',
    batchCancelIdsField: batchCancelField === 'orderId' ? 'orderId' : 'orderIds',
    conditionPath: conditionPath === 'noSlash' ? '/fapi/v1/conditionOrder' : '/fapi/v1/conditionOrder/',
    cancelTriggerPath,
    klinesRange,
    queryByClientId: queryByClientId === 'works' ? 'works' : 'unknown',
    positionsFrom: positionsEndpoint === 'on' ? 'positions' : 'account',
    intervals: { spot: {}, futures: profile.intervals === 'futures4h' ? { '1h': null, '4h': '4h' } : {} },
  };
}
