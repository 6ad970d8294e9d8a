// Ends the process that holds a journal, so that it cannot write or send orders while the kill closes its positions.

import { runAfter } from '../../../adapters/clock/wallClock.ts';
import { findProcess, thisProcess } from '../../../adapters/disk/processes.ts';
import { lockHolder } from '../../../adapters/disk/processLock.ts';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { stateFolderOf } from '../../../access/settings.ts';
import { notedProcess } from '../../control/folder/runningBots.ts';
import { ConfigError } from '../../../base/errors.ts';

/** Grace period before the process is killed, because a hanging process ignores the first signal. */
const GRACE_MS = 2000;
const POLL_EVERY_MS = 50;
/** Time limit for the exit of a process that was killed by force. */
const MAX_WAIT_MS = 10_000;

/**
 * Ends the process that holds the journal in `folder`. Resolves once it has exited, with null if there was none. Throws ConfigError if the
 * process cannot be ended from here.
 */
export async function endHolder(folder: string): Promise<{ readonly pid: number; readonly isForced: boolean } | null> {
  const holder = holderOf(folder);
  if (!holder) return null;
  const self = thisProcess();
  if (findProcess(holder, self) !== 'running') {
    throw new ConfigError(
      `${folder}: process ${holder.pid} on ${holder.host} may hold the journal, but is not visible from here`,
      'end it on its own computer or in its own container, then try again',
    );
  }
  sendSignal(holder.pid, 'SIGTERM');
  if (await waitForExit(folder, GRACE_MS)) return { pid: holder.pid, isForced: false };
  sendSignal(holder.pid, 'SIGKILL');
  if (await waitForExit(folder, MAX_WAIT_MS)) return { pid: holder.pid, isForced: true };
  throw new ConfigError(`${folder}: process ${holder.pid} does not end`, 'ask its user or an administrator to end it');
}

/** Returns the process that holds the journal; null: none. A bot whose lock file was removed still writes its journal, and is known by its note. */
function holderOf(folder: string): ReturnType<typeof lockHolder> {
  const self = thisProcess();
  const disk = { list: (path: string) => readdirSync(path).toSorted() };
  const holder = lockHolder(disk, folder, { self, findProcess: (other) => findProcess(other, self) });
  return holder ?? notedProcess(stateFolderOf(process.env), dirname(folder));
}

/** Sends a signal. A process that has already exited is no error. */
function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code !== 'ESRCH') throw new ConfigError(`process ${pid} cannot be ended (${code})`, 'end it as its own user');
  }
}

/** Resolves true once no process holds the journal, false after `maxMs`. */
async function waitForExit(folder: string, maxMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < maxMs; waitedMs += POLL_EVERY_MS) {
    if (!holderOf(folder)) return true;
    await new Promise<void>((resolve) => void runAfter(POLL_EVERY_MS, resolve));
  }
  return false;
}
