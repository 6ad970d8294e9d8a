// A client of the exchange, put together from its settings: wire, clock, limiter, signer; and ended as a whole.

import { LiveScheduler } from '../../adapters/clock/liveScheduler.ts';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import type { CallLog } from '../../adapters/rest/client/call.ts';
import { RestClient } from '../../adapters/rest/client/restClient.ts';
import { Limiter, type LimitEvent } from '../../adapters/rest/limits/limiter.ts';
import { ServerClock, type ServerTime } from '../../adapters/rest/time/serverClock.ts';
import { UndiciWire } from '../../adapters/rest/wire/undiciWire.ts';
import { seededRng } from '../../base/rng.ts';
import type { Market } from '../../model/instrument.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import { bansOf } from './bans.ts';
import { hiddenWire, NOWHERE } from './hiddenWire.ts';
import type { AccessSettings } from './settings.ts';

export interface Exchange {
  readonly client: RestClient;
  readonly clock: ServerClock;
  readonly limiter: Limiter;
  readonly scheduler: Scheduler;
  readonly dialect: Dialect;
  /** From 0 to 1; differs from process to process. */
  random(): number;
  /** The clock of the service behind a market. */
  serverTime(market: Market): ServerTime;
  /** Ends every connection and every wait; what is under way is never answered. */
  close(): Promise<void>;
}

export interface ExchangeOptions {
  /** Told of every attempt when it is over; holds no secret. */
  readonly log?: (entry: CallLog) => void;
  /** Told when the exchange has refused to serve so many calls: a ban is a matter for a person. */
  readonly limited?: (event: LimitEvent) => void;
}

/** Opens no connection by itself. Throws ConfigError for limits that cannot be. */
export function openExchange(settings: AccessSettings, { log, limited }: ExchangeOptions = {}): Exchange {
  const { baseUrls, credentials, dialect, limits, stateFolder } = settings;
  const { spot, futures } = baseUrls;
  const scheduler = new LiveScheduler();
  const wire = new UndiciWire();
  const clock = new ServerClock(scheduler);
  const limiter = new Limiter(scheduler, {
    limits: limits.overrides,
    ...(limits.banMinMs === null ? {} : { banMinMs: limits.banMinMs }),
    bans: bansOf(
      stateFolder,
      [spot, futures].filter((origin) => origin !== null),
    ),
    ...(limited ? { tell: limited } : {}),
  });
  const rng = seededRng((nowMs() ^ process.pid) | 0);
  const random = () => rng.next();
  const client = new RestClient({
    wire: hiddenWire(wire.send, credentials),
    scheduler,
    limiter,
    clock,
    baseUrls: { spot: spot ?? NOWHERE, futures: futures ?? NOWHERE },
    credentials,
    dialect,
    random,
    ...(log ? { log } : {}),
  });
  return {
    client,
    clock,
    limiter,
    scheduler,
    dialect,
    random,
    serverTime: (market) => clock.now(market),
    async close() {
      clock.stop();
      await wire.close();
      scheduler.close();
    },
  };
}
