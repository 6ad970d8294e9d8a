// Connects two production clients to one paper exchange in simulated time, over a wire with a delay of a few ms.

import { createHmac } from 'node:crypto';
import { RestClient } from '../../src/adapters/exchange/client/restClient.ts';
import { Limiter } from '../../src/adapters/exchange/limits/limiter.ts';
import { ServerClock } from '../../src/adapters/exchange/time/serverClock.ts';
import type { LateReplyWire } from '../../src/adapters/exchange/wire/lateReplyWire.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { Op, OpArgs, OpResult } from '../../src/protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../src/protocol/outcome.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';
import { DELAYS, SERVICE_DEFAULTS } from '../../src/paperExchange/dialect/config.ts';
import type { Profile } from '../../src/paperExchange/dialect/switches.ts';
import { openMemoryService } from '../../src/paperExchange/storage/historyArchiver.ts';
import type { Service } from '../../src/paperExchange/service.ts';
import { dialectFor } from '../fixtures/switchPairs.ts';
import { INVERSE, ETH_PERPETUAL, PERPETUAL, TRADERS } from './futuresFixture.ts';
import { BTC, ETH, START_MS } from './serviceFixture.ts';

const ORIGIN = 'http://127.0.0.1';
/** The clients' clock is this far behind the clock of the exchange. */
const CLOCK_OFFSET_MS = 70_000;
/** Delay of a message in either direction. */
const WIRE_MS = 3;
/** A call must have its outcome within this time. */
const OUTCOME_TIME_LIMIT_MS = 60_000;

/** The clients of two traders, and their exchange. */
export class PairFixture {
  readonly service: Service;
  readonly profile: Profile;
  readonly #queue = new DueQueue();
  readonly #clients = new Map<string, RestClient>();

  constructor(profile: Profile) {
    this.profile = profile;
    const instruments = [BTC, ETH, PERPETUAL, ETH_PERPETUAL, INVERSE];
    this.service = openMemoryService({ ...SERVICE_DEFAULTS, instruments, accounts: TRADERS, profile, delays: DELAYS.realistic }, START_MS);
    this.#queue.runDue(START_MS - CLOCK_OFFSET_MS);
    for (const { name, keys } of TRADERS) this.#clients.set(name, this.#client(keys[0]!.apiKey, keys[0]!.secret));
  }

  /** Returns the outcome of a call of an account, in simulated time. */
  call<O extends Op>(op: O, args: OpArgs<O>, account = 'alice'): Outcome<OpResult<O>> {
    const received: Outcome<OpResult<O>>[] = [];
    this.#clients.get(account)!.call(op, args, (outcome) => void received.push(outcome));
    const untilMs = this.#queue.nowMs + OUTCOME_TIME_LIMIT_MS;
    while (received.length === 0) {
      if (this.#queue.nextMs > untilMs) throw new Error(`${op}: no outcome`);
      this.#queue.runDue(this.#queue.nextMs);
    }
    return received[0]!;
  }

  /** Sends two equal calls in the same millisecond. Returns the kinds of their outcomes. */
  callTwice<O extends Op>(op: O, args: OpArgs<O>): readonly Outcome<OpResult<O>>['kind'][] {
    const kinds: Outcome<OpResult<O>>['kind'][] = [];
    for (let index = 0; index < 2; index++) this.#clients.get('alice')!.call(op, args, ({ kind }) => kinds.push(kind));
    this.#queue.runDue(this.#queue.nowMs + OUTCOME_TIME_LIMIT_MS);
    return kinds;
  }

  /** Returns the result of a call that the exchange must accept. */
  ackedResult<O extends Op>(op: O, args: OpArgs<O>, account = 'alice'): OpResult<O> {
    const outcome = this.call(op, args, account);
    if (outcome.kind === 'acked') return outcome.value;
    throw new Error(`${op}: ${JSON.stringify(outcome)}`);
  }

  /** Returns the error code of a call that the exchange must refuse. */
  refusalCode<O extends Op>(op: O, args: OpArgs<O>, account = 'alice'): number {
    const outcome = this.call(op, args, account);
    if (outcome.kind === 'refused') return outcome.code;
    throw new Error(`${op}: ${JSON.stringify(outcome)}`);
  }

  /** Advances time by one second, so that everything in flight ends. */
  passOneSecond(): void {
    this.#queue.runDue(this.#queue.nowMs + 1000);
    this.service.advance(this.#queue.nowMs + CLOCK_OFFSET_MS);
  }

  /** Returns a client with this key. */
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
    const afterDelay = (run: () => void): number => this.#queue.at(this.#queue.nowMs + WIRE_MS, run);
    afterDelay(() => {
      const lowerCaseHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const request = { method, target: url.slice(ORIGIN.length), headers: lowerCaseHeaders, body, ip: '127.0.0.1' };
      const { status, headers: replyHeaders, body: replyBody } = this.service.handle(request, this.#queue.nowMs + CLOCK_OFFSET_MS);
      const reply = { kind: 'reply', status, headers: replyHeaders, body: new TextEncoder().encode(replyBody) } as const;
      afterDelay(() => done(reply));
    });
    return () => {};
  };
}
