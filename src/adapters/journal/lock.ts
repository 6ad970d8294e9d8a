// One process at a time has a journal: each puts a file of its own into the folder, and goes only if no other one there belongs to a process that may run.

import { ConfigError } from '../../base/errors.ts';
import { DiskError, type Disk } from '../../ports/disk.ts';

/** A process, named so that no later one ever has the same name. */
export interface LockHolder {
  readonly pid: number;
  readonly started: string;
  readonly namespace: string;
  readonly boot: string;
  readonly host: string;
}

export interface Processes {
  readonly self: LockHolder;
  readonly lookFor: (other: LockHolder) => 'running' | 'gone' | 'unknown';
}

type LockDisk = Pick<Disk, 'list' | 'create' | 'remove'>;

const PATTERN = /^lock-(\d+)-(\w+)-(\w+)-(\w+)-(.+)$/;

/** What is said of a folder that is taken. */
export interface LockWords {
  /** What a process has already. */
  readonly has: string;
  /** What another one does that has it, or may do. */
  readonly does: string;
  readonly may: string;
  /** Why there is one at a time. */
  readonly own: string;
  readonly second: string;
}
const BOT: LockWords = {
  has: 'the journal',
  does: 'trades on this account',
  may: 'may trade on this account',
  own: 'a process runs one bot of an account',
  second: 'a second one would send orders of its own',
};

/**
 * Takes the lock of a folder; the returned function gives it back. Throws ConfigError while another process has it, or may have it.
 *
 * A file says by its name alone whose it is, so that it is whole as soon as it is there, and a name that was found dead is never taken
 * again: to remove it can harm nobody. Every process makes its file before it looks for others. Of two that start at once the later one
 * to look therefore sees the other: never do both go on. It may be that neither does.
 */
export function takeLock(disk: LockDisk, folder: string, { self, lookFor }: Processes, words = BOT): () => void {
  const own = `${folder}/${lockName(self)}`;
  try {
    disk.create(own);
  } catch (error) {
    if (!(error instanceof DiskError && error.code === 'EEXIST')) throw error;
    throw new ConfigError(`${own}: this process has ${words.has} already`, `${words.own}; if this one does not yet, remove the file`);
  }
  const release = (): void => disk.remove(own);
  try {
    for (const name of disk.list(folder)) {
      const other = holderOf(name);
      if (other === null || `${folder}/${name}` === own) continue;
      const found = lookFor(other);
      if (found !== 'gone') throw takenError(`${folder}/${name}`, other, found, words);
      removeIfThere(disk, `${folder}/${name}`);
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** Takes away what processes have left that run no more. */
export function removeDeadLocks(disk: Pick<Disk, 'list' | 'remove'>, folder: string, { lookFor }: Processes): void {
  for (const name of disk.list(folder)) {
    const other = holderOf(name);
    if (other !== null && lookFor(other) === 'gone') removeIfThere(disk, `${folder}/${name}`);
  }
}

/** Who may be writing to a journal at the moment; null: nobody. */
export function lockHolder(disk: Pick<Disk, 'list'>, folder: string, { self, lookFor }: Processes): LockHolder | null {
  const holders = disk.list(folder).flatMap((name) => holderOf(name) ?? []);
  return holders.find((other) => lockName(other) !== lockName(self) && lookFor(other) !== 'gone') ?? null;
}

const lockName = ({ pid, started, namespace, boot, host }: LockHolder): string =>
  `lock-${pid}-${started}-${namespace}-${boot}-${encodeURIComponent(host)}`;

function holderOf(name: string): LockHolder | null {
  const [, pid, started, namespace, boot, host] = PATTERN.exec(name) ?? [];
  if (pid === undefined || host === undefined) return null;
  return { pid: Number(pid), started: started!, namespace: namespace!, boot: boot!, host: decodeURIComponent(host) };
}

/** Another starter may have found the same file dead. */
function removeIfThere(disk: Pick<Disk, 'remove'>, path: string): void {
  try {
    disk.remove(path);
  } catch (error) {
    if (!(error instanceof DiskError && error.code === 'ENOENT')) throw error;
  }
}

function takenError(path: string, { pid, host }: LockHolder, found: 'running' | 'unknown', { does, may, second }: LockWords): ConfigError {
  return found === 'running'
    ? new ConfigError(`${path}: process ${pid} ${does}`, `stop it first: ${second}`)
    : new ConfigError(
        `${path}: process ${pid} on ${host} ${may}, and cannot be seen from here`,
        'if that computer or container is gone for good, remove the file; if you are not sure, do not',
      );
}
