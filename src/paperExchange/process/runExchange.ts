// An exchange behind its doors: time passes by its clock, requests come in over HTTP, and a control port beside it if asked for.

import { nextTurn, nowMs as unixMs, repeat } from '../../adapters/clock/wallClock.ts';
import { HTTP_DEFAULTS, startHttpServer, type RunningHttpServer } from '../http/httpServer.ts';
import { control, type DrivenClock } from '../faults/control.ts';
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
import { controlPage, isForThisComputer } from './page/controlPage.ts';
import type { ExchangeSettings } from './file/settings.ts';

/** How often time passes without a request: what falls due is late by no more than this, and no reader can tell. */
const TICK_MS = 20;

export interface RunOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** On loopback, whatever the host is; null: none. */
  readonly controlPort: number | null;
  /** What POST /crash does. */
  readonly crash: () => void;
  /** The folder in which the exchange lasts; without one it ends with the process. */
  readonly data?: string;
  /** The disk does not keep what is written any more: nothing is answered. Only with `data`. */
  readonly failed?: (why: string) => void;
  /** An error of the exchange itself. With a doubt the exchange answers no more, and is to be closed. Default: a line on stderr. */
  readonly internalError?: (error: InternalError) => void;
}

export interface RunningExchange {
  readonly service: Service;
  readonly clock: DrivenClock;
  /** The service with what goes wrong on order, as POST /faults sets it. */
  readonly faulty: FaultyService;
  /** Both interfaces. */
  readonly url: string;
  readonly controlUrl: string | null;
  /** A write of the record that did not finish when the exchange ended the last time, in words. */
  readonly torn: string | null;
  close(): Promise<void>;
}

/** Opens the exchange and its doors. Throws ConfigError. */
export async function runExchange(settings: ExchangeSettings, options: RunOptions): Promise<RunningExchange> {
  const { data, crash, failed = () => {}, internalError = logInternalError } = options;
  const faults = new Faults();
  const kept = data === undefined ? storeInScratchFile() : storeInFolder({ folder: data, faults, crash, failed });
  const { clock, startMs } = clockOf(settings, kept.keeping.history?.lastMs ?? 0);
  // Not when the clock is by now: one that runs fast has passed rows already, which are to be worked off like all others.
  const service = await assembled(settings, startMs, kept);
  service.onInternalError = (error) => {
    internalError(error);
    if (error.doubt !== null) kept.giveUp(error.doubt);
  };
  const exchange = new FaultyService(service, faults);
  const doors: RunningHttpServer[] = [];
  let isOver = false;
  const close = once(async () => {
    isOver = true;
    for (const server of doors) await server.close();
    await kept.close();
  });
  try {
    doors.push(
      await startHttpServer(
        (request, deliver) => {
          const page = documentFor(request);
          if (page !== null) return deliver(page);
          exchange.receive(request, clock.nowMs(), (response) => {
            // Nothing lasts any more, and the answer says so: its outcome is unknown.
            if (service.isInDoubt) deliver(response);
            else kept.whenLasting((lasts) => deliver(lasts ? response : null));
          });
        },
        { ...HTTP_DEFAULTS, ...settings.httpServer, host: options.host, port: options.port, clock: { nowMs: unixMs, repeat } },
        new HeartbeatServer(service.scheduler, { ...settings.service.heartbeat, form: settings.service.profile.heartbeatForm }),
      ),
    );
    if (options.controlPort !== null) {
      const parts = { exchange, config: settings.service, clock, crash, crashAt: kept.crashAt };
      doors.push(
        await startHttpServer(
          (request, deliver) => {
            service.advance(clock.nowMs());
            const looked = { service, config: settings.service, url: doors[0]!.url };
            if (!isForThisComputer(request))
              deliver({ status: 403, headers: {}, body: '{"error":"the control port is for this computer alone"}' });
            else {
              const page = controlPage(request, looked);
              if (page === null) void inTurns(control(request, parts), deliver, () => isOver);
              else deliver(page);
            }
          },
          { ...HTTP_DEFAULTS, port: options.controlPort, clock: { nowMs: unixMs, repeat } },
        ),
      );
    }
  } catch (error) {
    await close();
    throw error;
  }
  const stop = repeat(TICK_MS, () => service.advance(clock.nowMs()));
  return {
    service,
    clock,
    faulty: exchange,
    url: doors[0]!.url,
    controlUrl: doors[1]?.url ?? null,
    torn: kept.torn,
    async close() {
      // Time passes until all lasts: a disk that is slow on order is so by the clock of the exchange.
      await close();
      stop();
    },
  };
}

/** Does work part by part, and between the parts whatever else has come in, until it is done or nobody wants it any more. */
async function inTurns<T>(work: Generator<void, T, void>, done: (result: T) => void, isOver: () => boolean): Promise<void> {
  for (;;) {
    const next = work.next();
    if (next.done === true) return done(next.value);
    await nextTurn();
    if (isOver()) return;
  }
}

/** What is done once, however often it is asked for. */
function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return async () => (done ??= act());
}

async function assembled(settings: ExchangeSettings, nowMs: number, kept: RunningStore): Promise<Service> {
  try {
    return assembleExchange(settings, nowMs, kept.keeping);
  } catch (error) {
    await kept.close();
    throw error;
  }
}

/** Rows have a time of their own, which stands unless they are to run. An exchange goes on no earlier than it ended. */
function clockOf(settings: ExchangeSettings, lastMs: number): { readonly clock: ExchangeClock; readonly startMs: number } {
  const rowsMs = rowStartMs(settings);
  const startMs = Math.max(rowsMs ?? new ExchangeClock().nowMs(), lastMs);
  return { startMs, clock: rowsMs === null ? new ExchangeClock(startMs) : new ExchangeClock(startMs, settings.speed ?? 0) };
}
