// A client of the exchange, put together from its settings: wire, clock, limiter, signer; and ended as a whole.

import { LiveScheduler } from '../adapters/clock/liveScheduler.ts';
import { nowMs } from '../adapters/clock/wallClock.ts';
import type { CallLog } from '../adapters/exchange/client/clientParts.ts';
import { RestClient } from '../adapters/exchange/client/restClient.ts';
import { Limiter, type LimitEvent } from '../adapters/exchange/limits/limiter.ts';
import { ServerClock, type ServerClockOptions, type ServerTime } from '../adapters/exchange/time/serverClock.ts';
import type { LateReplyWire } from '../adapters/exchange/wire/lateReplyWire.ts';
import { UndiciWire } from '../adapters/exchange/wire/undiciWire.ts';
import { seededRng } from '../base/number/rng.ts';
import type { Market } from '../model/instrument.ts';
import type { Scheduler } from '../ports/scheduler.ts';
import type { Dialect } from '../protocol/dialect.ts';
import { bansOf } from './bans.ts';
import { redactingWire, NOWHERE } from './redactingWire.ts';
import type { AccessSettings } from './settings.ts';

export interface Exchange {
  readonly client: RestClient;
  /** The same without `gate`, for what a kill itself sends; it shares clock, limits and connections. */
  readonly ungated: RestClient;
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
  /** How many times as fast time passes here and at a paper exchange; default 1. */
  readonly speed?: number;
  /** Waits and its time, where somebody else drives them: then `speed` counts for nothing. */
  readonly scheduler?: Scheduler;
  readonly clock?: ServerClockOptions;
  /** Put before the wire: what may stop a request. */
  readonly guardWire?: (wire: LateReplyWire) => LateReplyWire;
}

/** Opens no connection by itself. Throws ConfigError for limits that cannot be. */
export function openExchange(settings: AccessSettings, options: ExchangeOptions = {}): Exchange {
  const { log, limited, speed = 1, guardWire = (wire) => wire } = options;
  const { baseUrls, credentials, dialect, limits, stateFolder } = settings;
  const { spot, futures } = baseUrls;
  const own = new LiveScheduler({ speed });
  const scheduler = options.scheduler ?? own;
  const wire = new UndiciWire();
  const clock = new ServerClock(scheduler, options.clock);
  const limiter = new Limiter(scheduler, {
    limits: limits.overrides,
    ...(limits.banMinMs === null ? {} : { banMinMs: limits.banMinMs }),
    bans: bansOf(
      stateFolder,
      [spot, futures].filter((origin) => origin !== null),
    ),
    ...(limited ? { onEvent: limited } : {}),
  });
  const rng = seededRng((nowMs() ^ process.pid) | 0);
  const random = () => rng.next();
  const hidden = redactingWire(wire.send, credentials);
  const parts = {
    scheduler,
    limiter,
    clock,
    baseUrls: { spot: spot ?? NOWHERE, futures: futures ?? NOWHERE },
    credentials,
    dialect,
    random,
    ...(log ? { log } : {}),
  };
  return {
    client: new RestClient({ ...parts, wire: guardWire(hidden) }),
    ungated: new RestClient({ ...parts, wire: hidden }),
    clock,
    limiter,
    scheduler,
    dialect,
    random,
    serverTime: (market) => clock.now(market),
    async close() {
      clock.stop();
      await wire.close();
      own.close();
    },
  };
}
