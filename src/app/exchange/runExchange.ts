// An exchange behind its doors: time passes by its clock, requests come in over HTTP, and a control port beside it if asked for.

import { repeat } from '../../adapters/clock/wallClock.ts';
import { DOOR_DEFAULTS, openDoor, type Door } from '../../service/door/httpDoor.ts';
import { control } from '../../service/faults/control.ts';
import { HeartbeatServer } from '../../service/socket/heartbeatServer.ts';
import { FaultyService } from '../../service/faults/faultyService.ts';
import type { Service } from '../../service/service.ts';
import { assemble } from './assemble.ts';
import { documentFor } from './documents.ts';
import { ExchangeClock } from './exchangeClock.ts';
import { controlPage, isForThisComputer } from './page/controlPage.ts';
import type { ExchangeSettings } from './settings.ts';

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
}

export interface RunningExchange {
  readonly service: Service;
  /** Both interfaces. */
  readonly url: string;
  readonly controlUrl: string | null;
  close(): Promise<void>;
}

/** Opens the exchange and its doors. Throws ConfigError. */
export async function runExchange(settings: ExchangeSettings, options: RunOptions): Promise<RunningExchange> {
  const clock = new ExchangeClock();
  const service = assemble(settings, clock.nowMs());
  const exchange = new FaultyService(service);
  const doors: Door[] = [];
  const close = async (): Promise<void> => {
    for (const door of doors) await door.close();
  };
  try {
    doors.push(
      await openDoor(
        (request, deliver) => {
          const page = documentFor(request);
          if (page === null) exchange.receive(request, clock.nowMs(), deliver);
          else deliver(page);
        },
        { ...DOOR_DEFAULTS, host: options.host, port: options.port },
        new HeartbeatServer(service.scheduler, { ...settings.service.heartbeat, form: settings.service.profile.heartbeatForm }),
      ),
    );
    if (options.controlPort !== null) {
      const parts = { exchange, config: settings.service, clock, crash: options.crash };
      doors.push(
        await openDoor(
          (request, deliver) => {
            service.advance(clock.nowMs());
            const looked = { service, config: settings.service, url: doors[0]!.url };
            if (!isForThisComputer(request))
              deliver({ status: 403, headers: {}, body: '{"error":"the control port is for this computer alone"}' });
            else deliver(controlPage(request, looked) ?? control(request, parts));
          },
          { ...DOOR_DEFAULTS, port: options.controlPort },
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
    url: doors[0]!.url,
    controlUrl: doors[1]?.url ?? null,
    async close() {
      stop();
      await close();
    },
  };
}
