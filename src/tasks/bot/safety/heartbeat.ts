// Keeps a WebSocket open if the config names one, because an exchange may require its heartbeat. Orders use REST and do not need it.

import { PersistentSocket, type SocketState } from '../../../adapters/exchange/socket/persistentSocket.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';

interface HeartbeatLog {
  info(message: string): void;
  warn(text: string): void;
}

/** Opens the socket, and opens it again after each end. Logs its state. Returns a function that closes it permanently. */
export function openHeartbeat(url: string | null, scheduler: Scheduler, random: () => number, log: HeartbeatLog): () => void {
  if (url === null) return () => {};
  let isLost = false;
  const logState = (state: SocketState): void => {
    if (state.kind === 'open') {
      log.info(`the heartbeat socket is open${isLost ? ' again' : ''}: ${url}`);
      isLost = false;
    }
    // Log this once: further attempts follow at growing intervals.
    if (state.kind !== 'waiting' || isLost) return;
    isLost = true;
    log.warn(`the heartbeat socket was lost (${state.why}): reconnecting; orders use REST and do not need it`);
  };
  const socket = new PersistentSocket(url, scheduler, random, { changed: logState });
  socket.start();
  return () => socket.stop();
}
