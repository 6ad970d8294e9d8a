// The Probe over the network, with the same client as bots. Each dialect that is tried has a client of its own.

import { monotonicMs, nowMs } from '../../../adapters/clock/wallClock.ts';
import { callAsPromise } from '../../../adapters/exchange/client/callAsPromise.ts';
import type { Market } from '../../../model/instrument.ts';
import type { Dialect } from '../../../protocol/dialect.ts';
import { openExchange, type Exchange } from '../../../access/openExchange.ts';
import type { AccessSettings } from '../../../access/settings.ts';
import { heartbeatOf } from './heartbeat.ts';
import { addressesOf, connectionTo } from './network.ts';
import type { CallFact, ClockReading, Probe } from './probe.ts';

/** A probe with open connections. */
export interface LiveProbe extends Probe {
  close(): Promise<void>;
}

/** Returns a probe. It opens no connection by itself. `timeoutMs`: per request. Throws ConfigError for invalid settings. */
export function openProbe(settings: AccessSettings, timeoutMs: number): LiveProbe {
  const calls: CallFact[] = [];
  const log = ({ op, status, code }: CallFact): void => void calls.push({ op, status, code });
  const main = openExchange(settings, { log });
  const otherExchanges = new Map<string, Exchange>();
  const exchangeOf = (dialect: Partial<Dialect>): Exchange => {
    const differing = Object.entries(dialect).filter(([name, value]) => settings.dialect[name as keyof Dialect] !== value);
    if (differing.length === 0) return main;
    const key = JSON.stringify(differing);
    const exchange = otherExchanges.get(key) ?? openExchange({ ...settings, dialect: { ...settings.dialect, ...dialect } }, { log });
    otherExchanges.set(key, exchange);
    return exchange;
  };
  const network = { scheduler: main.scheduler, timeoutMs };
  return {
    elapsedMs: monotonicMs,
    wallMs: nowMs,
    addresses: (host) => addressesOf(host, network),
    connect: (origin) => connectionTo(origin, network),
    socket: (url) => heartbeatOf(url, { ...network, random: () => main.random() }),
    call: (op, args, dialect = {}) => callAsPromise(exchangeOf(dialect).client, op, args, { timeoutMs, attempts: 1 }),
    clock: (market) => readClock(main, market),
    calls: () => calls,
    limits: () => main.limiter.state.classes,
    async close() {
      await Promise.all([main, ...otherExchanges.values()].map((exchange) => exchange.close()));
    },
  };
}

/** Measures the clock of a market. Resolves with null if the service does not report its time. */
function readClock({ clock, scheduler }: Exchange, market: Market): Promise<ClockReading | null> {
  return new Promise((resolve) => {
    clock.measure(market, (isMeasured) => {
      const { ms, uncertaintyMs } = clock.now(market);
      resolve(isMeasured ? { offsetMs: ms - scheduler.nowMs, uncertaintyMs } : null);
    });
  });
}
