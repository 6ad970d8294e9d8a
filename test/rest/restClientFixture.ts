// Connects the real client (undici, limiter, clock, signatures) to a stub of bare sockets. The scheduler's clock may run faster than real
// time.

import { createHmac } from 'node:crypto';
import { LiveScheduler } from '../../src/adapters/clock/liveScheduler.ts';
import type { ApiCallLog } from '../../src/adapters/exchange/client/restClientDeps.ts';
import { RestClient, type CallOptions } from '../../src/adapters/exchange/client/restClient.ts';
import { Limiter } from '../../src/adapters/exchange/limits/limiter.ts';
import { ServerClock } from '../../src/adapters/exchange/time/serverClock.ts';
import { UndiciWire, type UndiciWireOptions } from '../../src/adapters/exchange/wire/undiciWire.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { CallArguments } from '../../src/protocol/arguments.ts';
import { DEFAULT_DIALECT, type Dialect } from '../../src/protocol/dialect.ts';
import type { Op } from '../../src/protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../src/protocol/outcome.ts';
import type { Credentials } from '../../src/protocol/request.ts';
import { StubExchange, withTime, type Behaviour } from '../fixtures/stubExchange.ts';

/** The secret by which the client signs. */
export const SECRET = '902ae3cb34ecee2779aa4d3e1d226686';
/** The key of the client, and its signatures. */
export const CREDENTIALS: Credentials = {
  apiKey: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
  sign: (message) => createHmac('sha256', SECRET).update(message).digest('hex'),
};

/** The client, its clock and its limits. */
export interface FixtureOptions {
  /** The speed of the client's time relative to real time; default 1. */
  readonly speed?: number;
  /** How far the service's clock is ahead, ms. */
  readonly aheadMs?: number;
  readonly credentials?: Credentials | null;
  readonly wire?: UndiciWireOptions;
  /** Differences from the default. */
  readonly dialect?: Partial<Dialect>;
  /** Replaces the address of the stub. */
  readonly origin?: string;
}

/** One client, the stub that it calls, and the time of both. */
export class RestFixture {
  readonly stub: StubExchange;
  readonly scheduler: LiveScheduler;
  readonly clock: ServerClock;
  readonly client: RestClient;
  readonly logs: ApiCallLog[] = [];
  /** How far the service's clock is ahead, ms. */
  aheadMs: number;
  readonly #wire: UndiciWire;

  private constructor(stub: StubExchange, options: FixtureOptions) {
    const { speed = 1, aheadMs = 0, credentials = CREDENTIALS, wire, dialect, origin = stub.origin } = options;
    this.stub = stub;
    this.aheadMs = aheadMs;
    this.scheduler = new LiveScheduler({ speed });
    this.clock = new ServerClock(this.scheduler);
    this.#wire = new UndiciWire(wire);
    const rng = seededRng(1);
    this.client = new RestClient({
      wire: this.#wire.send,
      scheduler: this.scheduler,
      limiter: new Limiter(this.scheduler),
      clock: this.clock,
      baseUrls: { spot: origin, futures: origin },
      credentials,
      dialect: { ...DEFAULT_DIALECT, ...dialect },
      random: () => rng.next(),
      log: (entry) => void this.logs.push(entry),
    });
  }

  /** Opens a client and its stub, which answers `time` itself and every other request with `behaviour`. */
  static async open(behaviour: Behaviour, options: FixtureOptions = {}): Promise<RestFixture> {
    const stub = await StubExchange.start(() => {});
    const fixture = new RestFixture(stub, options);
    fixture.answerWith(behaviour);
    return fixture;
  }

  /** From now on the stub answers every request but those for the time with `behaviour`. */
  answerWith(behaviour: Behaviour): void {
    this.stub.behaviour = withTime(behaviour, () => this.scheduler.nowMs + this.aheadMs);
  }

  /** All requests that the stub got, except those for the time. */
  get callRequests(): readonly { readonly method: string; readonly target: string }[] {
    return this.stub.requests.filter(({ target }) => !target.endsWith('/time'));
  }

  /** Starts a call. Fails the test if `done` is called within the call, or twice. */
  start(op: Op, args: CallArguments, options?: CallOptions): { readonly outcome: Promise<Outcome<unknown>>; readonly cancel: () => void } {
    let cancel = (): void => {};
    const outcome = new Promise<Outcome<unknown>>((resolve, reject) => {
      let callbackCount = 0;
      let isDuringCall = true;
      cancel = this.client.callChecked(
        op,
        args,
        (received) => {
          if (isDuringCall || ++callbackCount > 1) reject(new Error(`done came ${isDuringCall ? 'within the call' : 'twice'}`));
          else resolve(received);
        },
        options,
      );
      isDuringCall = false;
    });
    return { outcome, cancel };
  }

  /** Calls, and returns the outcome. */
  call(op: Op, args: CallArguments, options?: CallOptions): Promise<Outcome<unknown>> {
    return this.start(op, args, options).outcome;
  }

  async close(): Promise<void> {
    this.clock.stop();
    this.scheduler.close();
    await this.#wire.close();
    await this.stub.close();
  }
}
