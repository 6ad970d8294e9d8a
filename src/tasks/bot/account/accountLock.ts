// Allows one bot per account, whatever its data folder: a lock per address of the exchange, in the user's state folder.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileSystemDisk } from '../../../adapters/disk/fileSystemDisk.ts';
import { lockFolder, processesHere, removeDeadLocks, tryRemoveEmptyFolder, type Processes } from '../../../adapters/disk/processLock.ts';
import { DiskError } from '../../../ports/disk.ts';
import { originName } from '../../../access/sharedBanStore.ts';
import type { LiveConfig } from '../config/liveConfig.ts';

/** The locks of a running bot. */
export interface AccountLock {
  /** Null when the lock is held. Otherwise why the state folder cannot be written; then only the lock of the journal protects the account. */
  readonly unavailableReason: string | null;
  release(): void;
}

type LockedAccount = Pick<LiveConfig, 'accounts' | 'access' | 'markets' | 'fingerprint'>;

/** Takes the locks. Throws ConfigError if another process holds one, or may hold one. */
export function lockAccount({ accounts: locksFolder, access, markets, fingerprint }: LockedAccount): AccountLock {
  const origins = new Set(markets.flatMap((market) => access.baseUrls[market] ?? []));
  const processes = processesHere();
  const releases: (() => void)[] = [];
  // Releases once, the last one first.
  const release = (): void =>
    releases
      .splice(0)
      .toReversed()
      .forEach((undo) => undo());
  try {
    for (const origin of origins) {
      const folder = join(locksFolder, `${originName(origin)}-${fingerprint}`);
      const disk = new FileSystemDisk();
      releases.push(() => disk.close());
      releases.push(lockFolder(disk, folder, processes));
    }
    removeStaleLocks(locksFolder, processes);
    return { unavailableReason: null, release };
  } catch (error) {
    release();
    if (error instanceof DiskError) return { unavailableReason: `${error.path}: ${error.code}`, release };
    throw error;
  }
}

/** Removes the lock folders of bots that were killed. Each demo has its own address, so these folders would accumulate. */
function removeStaleLocks(locksFolder: string, processes: Processes): void {
  const disk = new FileSystemDisk();
  ignoreErrors(() => {
    for (const name of readdirSync(locksFolder)) {
      const folder = join(locksFolder, name);
      ignoreErrors(() => removeDeadLocks(disk, folder, processes));
      tryRemoveEmptyFolder(folder);
    }
  });
  disk.close();
}

/** Runs `act` and ignores its errors. */
function ignoreErrors(act: () => void): void {
  try {
    act();
  } catch {
    // A folder that stays does no harm.
  }
}
