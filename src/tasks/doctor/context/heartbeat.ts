// Opens the WebSocket of a service, looks whether its heartbeat comes, and closes it again.

import { PersistentSocket } from '../../../adapters/exchange/socket/persistentSocket.ts';
import type { NetworkOptions } from './network.ts';
import type { SocketReading } from './probe.ts';

/** A heartbeat is waited for at most this long. */
const HEARTBEAT_MS = 12_000;
/** How often an open connection is looked at. */
const LOOK_MS = 100;

export interface HeartbeatOptions extends NetworkOptions {
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Resolves with the first heartbeat, or once none has come for a while. Throws ConfigError for a URL that is none of a WebSocket. */
export function heartbeatOf(url: string, { scheduler, timeoutMs, random }: HeartbeatOptions): Promise<SocketReading> {
  return new Promise((resolve) => {
    let looking = 0;
    const end = (reading: SocketReading): void => {
      scheduler.cancel(looking);
      socket.stop();
      resolve(reading);
    };
    const socket = new PersistentSocket(url, scheduler, random, {
      openTimeoutMs: timeoutMs,
      changed: (state) => {
        if (state.kind === 'waiting') end({ kind: 'failed', why: state.why });
      },
    });
    const look = (): void => {
      const { state } = socket;
      if (state.kind === 'off') return;
      if (state.kind === 'open' && (state.pings > 0 || scheduler.nowMs - state.sinceMs >= HEARTBEAT_MS))
        end({ kind: 'open', pings: state.pings });
      else looking = scheduler.at(scheduler.nowMs + LOOK_MS, look);
    };
    socket.start();
    look();
  });
}
