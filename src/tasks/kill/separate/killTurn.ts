// Lets one kill at a time take the journal of a bot: a second one waits until the first has closed the positions, and does not end it.

import { dirname, join } from 'node:path';
import { runAfter, monotonicMs } from '../../../adapters/clock/wallClock.ts';
import { FileSystemDisk } from '../../../adapters/disk/fileSystemDisk.ts';
import { lockFolder, lockHolder, processesHere, type LockMessages } from '../../../adapters/disk/processLock.ts';
import { ConfigError } from '../../../base/errors.ts';
import { DiskError } from '../../../ports/disk.ts';
import { KILL_TURN_NAME } from '../../control/folder/dataFolder.ts';

/** Parts of the messages about a lock that another kill holds. */
const LOCK_MESSAGES: LockMessages = {
  has: 'the kill of this bot',
  does: 'closes the positions of this bot',
  may: 'may close the positions of this bot',
  own: 'a process runs one kill of a bot',
  second: 'two kills would close more than the bot has',
};
/** Time between two tries, ms; up to twice as long. */
const POLL_MS = 100;

/** The wait for another kill. */
export interface TurnWait {
  /** How long to wait, ms of this computer. */
  readonly maxMs: number;
  /** Called once, with the process of the other kill. */
  readonly onWait: (pid: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the folder whose lock is the turn. */
const folderOf = (journal: string): string => join(dirname(journal), KILL_TURN_NAME);

/**
 * Waits until no other kill works on the journal, and keeps others away until the returned function is called. Throws ConfigError if the
 * other one does not end in time. A disk that takes no lock does not stop a kill: the lock of the journal protects it.
 */
export async function takeKillTurn(journal: string, { maxMs, onWait, signal }: TurnWait): Promise<() => void> {
  const folder = folderOf(journal);
  const endMs = monotonicMs() + maxMs;
  let hasWaited = false;
  for (;;) {
    // A waiting process creates no file, because that would keep out others that arrive meanwhile.
    const holder = killerOf(journal);
    const hasTimedOut = monotonicMs() > endMs || signal?.aborted === true;
    // The end of a process that is not visible from here cannot be noticed.
    const isVisible = holder === null || processesHere().findProcess(holder) === 'running';
    if (holder === null || hasTimedOut || !isVisible) {
      const releaseOrError = tryTurn(folder);
      if (typeof releaseOrError === 'function') return releaseOrError;
      if (hasTimedOut || !isVisible) throw releaseOrError;
    } else if (!hasWaited) {
      onWait(holder.pid);
      hasWaited = true;
    }
    // The pauses differ, so that two processes do not keep refusing each other.
    await new Promise<void>((resolve) => void runAfter(POLL_MS + (process.pid % POLL_MS), resolve));
  }
}

/** Returns the function that ends the turn, or the error for a turn that is taken. */
function tryTurn(folder: string): (() => void) | ConfigError {
  const disk = new FileSystemDisk();
  try {
    const release = lockFolder(disk, folder, processesHere(), LOCK_MESSAGES);
    return () => {
      release();
      disk.close();
    };
  } catch (error) {
    disk.close();
    if (error instanceof DiskError) return () => {};
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/** Returns the other process that closes the positions of a bot; null: none. */
export function killerOf(journal: string): ReturnType<typeof lockHolder> {
  return holderIn(folderOf(journal));
}

/** Returns the other process that has the lock of a folder, or may have it; null: none, as in a folder that is absent or cannot be read. */
export function holderIn(folder: string): ReturnType<typeof lockHolder> {
  const disk = new FileSystemDisk();
  try {
    return lockHolder(disk, folder, processesHere());
  } catch (error) {
    if (error instanceof DiskError) return null;
    throw error;
  } finally {
    disk.close();
  }
}
