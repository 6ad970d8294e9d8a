// Keeps the WebSocket whose heartbeat an exchange wants answered, where the config names one. Nothing rests on it: orders go over REST.

import { PersistentSocket, type SocketState } from '../../../adapters/exchange/socket/persistentSocket.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';

interface TimedNotice {
  info(message: string): void;
  warn(text: string): void;
}

/** Opens it, and again after every end; what becomes of it is in the log. Returns what closes it for good. */
export function writeHeartbeat(url: string | null, scheduler: Scheduler, random: () => number, log: TimedNotice): () => void {
  if (url === null) return () => {};
  let isLost = false;
  const changed = (state: SocketState): void => {
    if (state.kind === 'open') {
      log.info(`the heartbeat socket is open${isLost ? ' again' : ''}: ${url}`);
      isLost = false;
    }
    // Told once: attempts go on, ever further apart.
    if (state.kind !== 'waiting' || isLost) return;
    isLost = true;
    log.warn(`the heartbeat socket was lost (${state.why}): it is opened again; orders go over REST and do not need it`);
  };
  const socket = new PersistentSocket(url, scheduler, random, { changed });
  socket.start();
  return () => socket.stop();
}
