// Runs an exchange as a process: its clock advances it, an HTTP server answers requests, and a control port is optional.

import { waitForNextTurn, repeatEvery } from '../../adapters/clock/wallClock.ts';
import type { Answerer } from '../http/answerer.ts';
import { HTTP_DEFAULTS, startHttpServer, type RunningHttpServer } from '../http/httpServer.ts';
import { answerControlRequest, type DrivenClock, type FaultControlDeps } from '../faults/control.ts';
import { Faults } from '../faults/faults.ts';
import { HeartbeatServer } from '../http/heartbeatServer.ts';
import { FaultyService } from '../faults/faultyService.ts';
import type { InternalError } from '../internalError.ts';
import type { Service } from '../service.ts';
import { assembleExchange, rowStartMs } from './assemble.ts';
import { logInternalError } from './logInternalError.ts';
import { documentFor } from './documents.ts';
import { ExchangeClock } from './clock.ts';
import { type RunningStore, storeInScratchFile, storeInFolder } from './persistence.ts';
import { controlPage, isForThisComputer, type ShownExchange } from './page/controlPage.ts';
import type { ExchangeSettings } from './file/settings.ts';

/** How often time advances without a request. Events are late by at most this much, and no client can notice. */
const TICK_MS = 20;

/** The addresses of the servers, the storage, and the listeners for failures. */
export interface RunOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The control port is always on loopback. Null: no control port. */
  readonly controlPort: number | null;
  /** Called by POST /crash. */
  readonly crash: () => void;
  /** The folder of a persistent exchange. Without it, everything ends with the process. */
  readonly data?: string;
  /** Called when the disk fails: from then on no reply is sent. Only with `data`. */
  readonly failed?: (reason: string) => void;
  /** Called for an internal error. If it has a doubt, the exchange stops answering and should be closed. Default: a line on stderr. */
  readonly internalError?: (error: InternalError) => void;
}

/** A running exchange. */
export interface RunningExchange {
  readonly service: Service;
  readonly clock: DrivenClock;
  /** The service with the faults that POST /faults has set. */
  readonly faulty: FaultyService;
  /** URL for both markets. */
  readonly url: string;
  readonly controlUrl: string | null;
  /** Description of a write that was torn when the exchange ended last; null: none. */
  readonly tornWrite: string | null;
  close(): Promise<void>;
}

/** Starts the exchange and its HTTP servers. Throws ConfigError if the settings, the folder or a port cannot be used. */
export async function runExchange(settings: ExchangeSettings, options: RunOptions): Promise<RunningExchange> {
  const { data, crash, failed = () => {}, internalError = logInternalError } = options;
  const faults = new Faults();
  const store = data === undefined ? storeInScratchFile() : storeInFolder({ folder: data, faults, crash, failed });
  const { clock, startMs } = clockOf(settings, store.binding.history?.lastMs ?? 0);
  // Starts at `startMs` and not at the current time: a fast clock may already have passed rows, which must be processed like all others.
  const service = await assembleService(settings, startMs, store);
  reportInternalErrors(service, store, internalError);
  const exchange = new FaultyService(service, faults);
  // The server of the API, then that of the control port.
  const servers: RunningHttpServer[] = [];
  let isClosing = false;
  const close = once(async () => {
    isClosing = true;
    for (const server of servers) await server.close();
    await store.close();
  });
  try {
    servers.push(await startApiServer(settings, options, { exchange, clock, store }));
    if (options.controlPort !== null) {
      const shownExchange = { service, config: settings.service, url: servers[0]!.url };
      const deps = { exchange, config: settings.service, clock, crash, crashAt: store.crashAt };
      const answerer = controlAnswerer(shownExchange, deps, () => isClosing);
      servers.push(await startHttpServer(answerer, { ...HTTP_DEFAULTS, port: options.controlPort, clock: { repeat: repeatEvery } }));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const stop = repeatEvery(TICK_MS, () => service.advance(clock.nowMs()));
  return {
    service,
    clock,
    faulty: exchange,
    url: servers[0]!.url,
    controlUrl: servers[1]?.url ?? null,
    tornWrite: store.tornWrite,
    async close() {
      // Time keeps advancing until everything is durable, because an injected disk delay runs on the exchange's clock.
      await close();
      stop();
    },
  };
}

/** Passes internal errors on. One that leaves a doubt about the books also ends the storage, so that nothing is answered any more. */
function reportInternalErrors(service: Service, store: RunningStore, report: (error: InternalError) => void): void {
  service.onInternalError = (error) => {
    report(error);
    if (error.doubt !== null) store.giveUp(error.doubt);
  };
}

/** The parts of an exchange that answer a request. */
interface AnsweringParts {
  readonly exchange: FaultyService;
  readonly clock: DrivenClock;
  readonly store: RunningStore;
}

/** Starts the server of the API, with its WebSocket. Throws ConfigError if the port cannot be used. */
function startApiServer(
  settings: ExchangeSettings,
  options: RunOptions,
  { exchange, clock, store }: AnsweringParts,
): Promise<RunningHttpServer> {
  const { heartbeat, profile } = settings.service;
  return startHttpServer(
    apiAnswerer(exchange, clock, store),
    { ...HTTP_DEFAULTS, ...settings.httpServer, host: options.host, port: options.port, clock: { repeat: repeatEvery } },
    new HeartbeatServer(exchange.service.scheduler, { ...heartbeat, form: profile.heartbeatForm }),
  );
}

/** Returns the handler of API requests. A reply waits until everything that it reports is durable. */
function apiAnswerer(exchange: FaultyService, clock: DrivenClock, store: RunningStore): Answerer {
  return (request, deliver) => {
    const page = documentFor(request);
    if (page !== null) return deliver(page);
    exchange.receive(request, clock.nowMs(), (response) => {
      // The reply reports an unknown outcome, so it need not be durable.
      if (exchange.service.isInDoubt) deliver(response);
      else store.whenDurable((isDurable) => deliver(isDurable ? response : null));
    });
  };
}

/** Returns the handler of the control port: the page of the exchange, and the calls that set faults and move the clock. */
function controlAnswerer(shownExchange: ShownExchange, deps: FaultControlDeps, isClosing: () => boolean): Answerer {
  return (request, deliver) => {
    shownExchange.service.advance(deps.clock.nowMs());
    if (!isForThisComputer(request))
      return deliver({ status: 403, headers: {}, body: '{"error":"the control port serves this computer only"}' });
    const page = controlPage(request, shownExchange);
    if (page === null) void runInTurns(answerControlRequest(request, deps), deliver, isClosing);
    else deliver(page);
  };
}

/** Runs work part by part until it is done or `isClosing` returns true. Other events are handled between the parts. */
async function runInTurns<T>(work: Generator<void, T, void>, done: (result: T) => void, isClosing: () => boolean): Promise<void> {
  for (;;) {
    const next = work.next();
    if (next.done === true) return done(next.value);
    await waitForNextTurn();
    if (isClosing()) return;
  }
}

/** Returns a function that runs `act` at most once, however often it is called. */
function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return async () => (done ??= act());
}

/** Assembles the exchange. Closes the store if that fails. */
async function assembleService(settings: ExchangeSettings, nowMs: number, store: RunningStore): Promise<Service> {
  try {
    return assembleExchange(settings, nowMs, store.binding);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Returns the clock and the opening time. Bars have their own time, which advances only if a speed is set. A restarted exchange opens at
 * its last time or later.
 */
function clockOf(settings: ExchangeSettings, lastMs: number): { readonly clock: ExchangeClock; readonly startMs: number } {
  const rowsMs = rowStartMs(settings);
  const startMs = Math.max(rowsMs ?? new ExchangeClock().nowMs(), lastMs);
  return { startMs, clock: rowsMs === null ? new ExchangeClock(startMs) : new ExchangeClock(startMs, settings.speed ?? 0) };
}
