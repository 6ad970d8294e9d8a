// Builds a client of the exchange from the access settings, with its wire, clock and rate limiter.

import { LiveScheduler } from '../adapters/clock/liveScheduler.ts';
import { nowMs } from '../adapters/clock/wallClock.ts';
import type { ApiCallLog } from '../adapters/exchange/client/restClientDeps.ts';
import { RestClient } from '../adapters/exchange/client/restClient.ts';
import { Limiter, type LimitEvent } from '../adapters/exchange/limits/limiter.ts';
import { ServerClock, type ServerClockOptions, type ServerTime } from '../adapters/exchange/time/serverClock.ts';
import type { LateReplyWire } from '../adapters/exchange/wire/lateReplyWire.ts';
import { UndiciWire } from '../adapters/exchange/wire/undiciWire.ts';
import { seededRng } from '../base/number/rng.ts';
import type { Market } from '../model/instrument.ts';
import type { Scheduler } from '../ports/scheduler.ts';
import type { Dialect } from '../protocol/dialect.ts';
import { sharedBanStore } from './sharedBanStore.ts';
import { redactingWire, NOWHERE } from './redactingWire.ts';
import type { AccessSettings } from './settings.ts';

/** An open client with its collaborators. */
export interface Exchange {
  readonly client: RestClient;
  /** A client without `guardWire`, for the requests of a kill. It shares clock, limits and connections with `client`. */
  readonly ungated: RestClient;
  readonly clock: ServerClock;
  readonly limiter: Limiter;
  readonly scheduler: Scheduler;
  readonly dialect: Dialect;
  /** Returns a random number from 0 to 1, different in every process. */
  random(): number;
  /** Returns the clock of the service for a market. */
  serverTime(market: Market): ServerTime;
  /** Closes all connections and ends all waits. Calls whose request has left get no outcome. */
  close(): Promise<void>;
}

/** Sends requests, over real connections or a simulated network. */
export interface Network {
  readonly send: LateReplyWire;
  close(): Promise<void>;
}

/** Options of `openExchange`. */
export interface ExchangeOptions {
  /** Called after every attempt. The entry contains no secret. */
  readonly log?: (entry: ApiCallLog) => void;
  /** Called when the exchange refuses calls because of a rate limit or a ban. Only the operator can deal with a ban. */
  readonly limited?: (event: LimitEvent) => void;
  /** Returns true while calls must wait because another process may have made calls with this key just before. Default: they never wait for that. */
  readonly awaitsWindows?: () => boolean;
  /** Factor that shortens waits, for a paper exchange whose clock runs faster. Default: 1. */
  readonly speed?: number;
  /** Replaces the scheduler. `speed` then has no effect. */
  readonly scheduler?: Scheduler;
  readonly clock?: ServerClockOptions;
  /** Replaces the network. It is closed with the exchange. */
  readonly network?: Network;
  /** Replaces the random numbers of this process. */
  readonly random?: () => number;
  /** Returns a wire in front of `wire` that may stop a request. */
  readonly guardWire?: (wire: LateReplyWire) => LateReplyWire;
}

/** Builds the client. Opens no connection before the first call. Throws ConfigError for invalid limits. */
export function openExchange(settings: AccessSettings, options: ExchangeOptions = {}): Exchange {
  const { log, speed = 1, guardWire = (wire) => wire } = options;
  const { baseUrls, credentials, dialect } = settings;
  const liveScheduler = new LiveScheduler({ speed });
  const scheduler = options.scheduler ?? liveScheduler;
  const wire = options.network ?? new UndiciWire();
  const clock = new ServerClock(scheduler, options.clock);
  const limiter = limiterOf(settings, scheduler, options);
  // Two processes that start in the same ms have different numbers.
  const rng = seededRng((nowMs() ^ process.pid) | 0);
  const random = options.random ?? (() => rng.next());
  const redacted = redactingWire(wire.send, credentials);
  const deps = {
    scheduler,
    limiter,
    clock,
    baseUrls: { spot: baseUrls.spot ?? NOWHERE, futures: baseUrls.futures ?? NOWHERE },
    credentials,
    dialect,
    random,
    ...(log ? { log } : {}),
  };
  return {
    client: new RestClient({ ...deps, wire: guardWire(redacted) }),
    ungated: new RestClient({ ...deps, wire: redacted }),
    clock,
    limiter,
    scheduler,
    dialect,
    random,
    serverTime: (market) => clock.now(market),
    async close() {
      clock.stop();
      await wire.close();
      liveScheduler.close();
    },
  };
}

/** Returns the limiter of all calls. It keeps the bans of this computer's address in the state folder. Throws ConfigError for invalid limits. */
function limiterOf(
  { baseUrls, limits, stateFolder }: AccessSettings,
  scheduler: Scheduler,
  { limited, awaitsWindows }: ExchangeOptions,
): Limiter {
  const origins = [baseUrls.spot, baseUrls.futures].filter((origin) => origin !== null);
  return new Limiter(scheduler, {
    limits: limits.overrides,
    ...(limits.banMinMs === null ? {} : { banMinMs: limits.banMinMs }),
    bans: sharedBanStore(stateFolder, origins),
    ...(awaitsWindows ? { awaitsWindows } : {}),
    ...(limited ? { onEvent: limited } : {}),
  });
}
