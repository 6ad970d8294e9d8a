// Ends the process that holds a journal, so that it cannot write or send orders while the kill closes its positions.

import { after } from '../../../adapters/clock/wallClock.ts';
import { findProcess, thisProcess } from '../../../adapters/disk/processes.ts';
import { lockHolder } from '../../../adapters/disk/processLock.ts';
import { readdirSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';

/** Grace period before the process is killed: a hanging process ignores the first signal. */
const GRACE_MS = 2000;
const POLL_EVERY_MS = 50;
const MAX_WAIT_MS = 10_000;

/** Resolves once no process holds the journal in `folder`. Throws ConfigError if that process cannot be ended from here. */
export async function endHolder(folder: string): Promise<{ readonly pid: number; readonly isForced: boolean } | null> {
  const holder = holderOf(folder);
  if (!holder) return null;
  const self = thisProcess();
  if (findProcess(holder, self) !== 'running') {
    throw new ConfigError(
      `${folder}: process ${holder.pid} on ${holder.host} may have the journal, and cannot be seen from here`,
      'end it on its own computer or in its own container, then try again',
    );
  }
  sendSignal(holder.pid, 'SIGTERM');
  if (await hasExited(folder, GRACE_MS)) return { pid: holder.pid, isForced: false };
  sendSignal(holder.pid, 'SIGKILL');
  if (await hasExited(folder, MAX_WAIT_MS)) return { pid: holder.pid, isForced: true };
  throw new ConfigError(`${folder}: process ${holder.pid} does not end`, 'its user, or an administrator, has to end it');
}

function holderOf(folder: string): ReturnType<typeof lockHolder> {
  const self = thisProcess();
  return lockHolder({ list: (path) => readdirSync(path).toSorted() }, folder, { self, findProcess: (other) => findProcess(other, self) });
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code !== 'ESRCH') throw new ConfigError(`process ${pid} cannot be ended (${code})`, 'it belongs to another user');
  }
}

async function hasExited(folder: string, maxMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < maxMs; waitedMs += POLL_EVERY_MS) {
    if (!holderOf(folder)) return true;
    await new Promise<void>((resolve) => void after(POLL_EVERY_MS, resolve));
  }
  return false;
}
