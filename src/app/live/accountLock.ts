// One bot of an account at a time, whatever its data folder: a lock for each address of the exchange, in the state folder of the user.

import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileSystemDisk } from '../../adapters/disk/fileSystemDisk.ts';
import { lookFor, thisProcess } from '../../adapters/disk/processes.ts';
import { takeLock } from '../../adapters/journal/lock.ts';
import { DiskError } from '../../ports/disk.ts';
import { originName } from '../access/bans.ts';
import type { LiveConfig } from './liveConfig.ts';

export interface AccountLock {
  /** Why there is no lock: the state folder cannot be written. The journal has one of its own in any case. Null: it is held. */
  readonly missing: string | null;
  release(): void;
}

type Account = Pick<LiveConfig, 'accounts' | 'access' | 'markets' | 'fingerprint'>;

/** Throws ConfigError while another process has it, or may have it. */
export function lockAccount({ accounts, access, markets, fingerprint }: Account): AccountLock {
  const origins = new Set(markets.flatMap((market) => access.baseUrls[market] ?? []));
  const self = thisProcess();
  const held: (() => void)[] = [];
  const release = (): void => held.splice(0).toReversed().forEach((undo) => undo());
  try {
    for (const origin of origins) {
      const folder = join(accounts, `${originName(origin)}-${fingerprint}`);
      const disk = new FileSystemDisk();
      held.push(() => disk.close());
      disk.prepare(folder);
      const unlock = takeLock(disk, folder, { self, lookFor: (other) => lookFor(other, self) });
      held.push(() => {
        unlock();
        removeIfEmpty(folder);
      });
    }
    return { missing: null, release };
  } catch (error) {
    release();
    if (error instanceof DiskError) return { missing: `${error.path}: ${error.code}`, release };
    throw error;
  }
}

/** Another bot that starts at this moment may have put its lock there already. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It stays, which is no harm.
  }
}
