// Opens the WebSocket of a service, waits for its heartbeat and closes it again.

import { PersistentSocket } from '../../../adapters/exchange/socket/persistentSocket.ts';
import type { NetworkOptions } from './network.ts';
import type { SocketReading } from './probe.ts';

/** Longest wait for a heartbeat. */
const HEARTBEAT_MS = 12_000;
/** Interval of checks while the connection is open. */
const CHECK_MS = 100;

/** Options of the connection. */
export interface HeartbeatOptions extends NetworkOptions {
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Resolves with the first heartbeat, or after `HEARTBEAT_MS` without one. Throws ConfigError for an invalid WebSocket URL. */
export function heartbeatOf(url: string, { scheduler, timeoutMs, random }: HeartbeatOptions): Promise<SocketReading> {
  return new Promise((resolve) => {
    let timer = 0;
    const finish = (reading: SocketReading): void => {
      scheduler.cancel(timer);
      socket.stop();
      resolve(reading);
    };
    const socket = new PersistentSocket(url, scheduler, random, {
      openTimeoutMs: timeoutMs,
      changed: (state) => {
        if (state.kind === 'waiting') finish({ kind: 'failed', why: state.why });
      },
    });
    const check = (): void => {
      const { state } = socket;
      if (state.kind === 'off') return;
      if (state.kind === 'open' && (state.pings > 0 || scheduler.nowMs - state.sinceMs >= HEARTBEAT_MS))
        finish({ kind: 'open', pings: state.pings });
      else timer = scheduler.at(scheduler.nowMs + CHECK_MS, check);
    };
    socket.start();
    check();
  });
}
