// Locks a folder for one process: a journal, an account, a catalog, a sweep or a paper exchange. Each process creates a file of its own in
// the lock folder. It has the lock if no other file there belongs to a process that may be running.

import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { DiskError, type Disk } from '../../ports/disk.ts';
import { FileSystemDisk } from './fileSystemDisk.ts';
import { findProcess as lookForProcess, thisProcess } from './processes.ts';

/** Identifies a process; no later process has the same identity. */
export interface LockHolder {
  readonly pid: number;
  readonly started: string;
  readonly namespace: string;
  readonly boot: string;
  readonly host: string;
}

/** This process, and a lookup for other processes. */
export interface Processes {
  readonly self: LockHolder;
  readonly findProcess: (other: LockHolder) => 'running' | 'gone' | 'unknown';
}

/** Returns this process and the lookup for other processes of this computer. */
export function processesHere(): Processes {
  const self = thisProcess();
  return { self, findProcess: (other) => lookForProcess(other, self) };
}

type LockDisk = Pick<Disk, 'list' | 'create' | 'remove'>;

const LOCK_NAME_PATTERN = /^lock-(\d+)-(\w+)-(\w+)-(\w+)-(.+)$/;

/** Words for the messages about a lock that is taken. */
export interface LockMessages {
  /** The thing that this process has locked. */
  readonly has: string;
  /** The activity of the other process, and the possible activity of a process that cannot be seen. */
  readonly does: string;
  readonly may: string;
  /** Why only one process may have the lock. */
  readonly own: string;
  readonly second: string;
}
/** The words for the journal and the account of a bot. */
export const BOT_WORDS: LockMessages = {
  has: 'the journal',
  does: 'trades on this account',
  may: 'may trade on this account',
  own: 'a process runs one bot of an account',
  second: 'a second one would send orders of its own',
};

/**
 * Takes the lock of a folder and returns the function that releases it. Throws ConfigError while another process has it, or may have it.
 * The name of a lock file alone identifies its process. So the file is complete as soon as it exists. The file of a dead process can be
 * removed, because its name is never used again. Every process creates its file before it lists the others. If two processes start at once,
 * at least one of them sees the other, so at most one gets the lock.
 */
export function takeLock(disk: LockDisk, folder: string, { self, findProcess }: Processes, words = BOT_WORDS): () => void {
  const ownPath = `${folder}/${lockName(self)}`;
  try {
    disk.create(ownPath);
  } catch (error) {
    if (!(error instanceof DiskError && error.code === 'EEXIST')) throw error;
    throw new ConfigError(`${ownPath}: this process has ${words.has} already`, `${words.own}; if this one does not yet, remove the file`);
  }
  // The file or the folder may have been removed by others; then there is nothing to release.
  const release = (): void => removeIfThere(disk, ownPath);
  try {
    for (const name of disk.list(folder)) {
      const other = holderOf(name);
      if (other === null || `${folder}/${name}` === ownPath) continue;
      const state = findProcess(other);
      if (state !== 'gone') throw takenError(`${folder}/${name}`, other, state, words);
      removeIfThere(disk, `${folder}/${name}`);
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** Removes the lock files of processes that no longer run. */
export function removeDeadLocks(disk: Pick<Disk, 'list' | 'remove'>, folder: string, { findProcess }: Processes): void {
  for (const name of disk.list(folder)) {
    const other = holderOf(name);
    if (other !== null && findProcess(other) === 'gone') removeIfThere(disk, `${folder}/${name}`);
  }
}

/** Returns the process that may be writing to a journal now, or null. */
export function lockHolder(disk: Pick<Disk, 'list'>, folder: string, { self, findProcess }: Processes): LockHolder | null {
  const holders = disk.list(folder).flatMap((name) => holderOf(name) ?? []);
  return holders.find((other) => lockName(other) !== lockName(self) && findProcess(other) !== 'gone') ?? null;
}

/** True if one of these folders has a lock of this process. A process in another container cannot be seen, but its lock can. */
export function hasLockIn(folders: readonly string[], process: LockHolder): boolean {
  const name = lockName(process);
  return folders.some((folder) => existsSync(join(folder, name)));
}

const lockName = ({ pid, started, namespace, boot, host }: LockHolder): string =>
  `lock-${pid}-${started}-${namespace}-${boot}-${encodeURIComponent(host)}`;

function holderOf(name: string): LockHolder | null {
  const [, pid, started, namespace, boot, host] = LOCK_NAME_PATTERN.exec(name) ?? [];
  if (pid === undefined || host === undefined) return null;
  return { pid: Number(pid), started: started!, namespace: namespace!, boot: boot!, host: decodeName(host) };
}

/** The file may come from another program. A host name that cannot be decoded is not this host. */
function decodeName(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch (error) {
    if (error instanceof URIError) return host;
    throw error;
  }
}

/** Removes a lock file. It may be gone already, because another process has removed the same dead lock. */
function removeIfThere(disk: Pick<Disk, 'remove'>, path: string): void {
  try {
    disk.remove(path);
  } catch (error) {
    if (!(error instanceof DiskError && error.code === 'ENOENT')) throw error;
  }
}

/** Returns the error for a lock that another process has, or may have. */
function takenError(
  path: string,
  { pid, host }: LockHolder,
  state: 'running' | 'unknown',
  { does, may, second }: LockMessages,
): ConfigError {
  return state === 'running'
    ? new ConfigError(`${path}: process ${pid} ${does}`, `stop it first: ${second}`)
    : new ConfigError(
        `${path}: process ${pid} on ${host} ${may}, and cannot be seen from here`,
        'if that computer or container is gone permanently, remove the file; if you are not sure, do not',
      );
}

/** How often to recreate a folder that another process has removed as empty. */
const MAX_TRIES = 5;

/**
 * Takes the lock of a folder that is created for it. Returns the function that releases the lock and removes the folder. Throws ConfigError
 * while another process has it, or may have it, and DiskError if the disk fails.
 */
export function lockFolder(disk: FileSystemDisk, folder: string, processes: Processes, words = BOT_WORDS, tries = MAX_TRIES): () => void {
  try {
    disk.prepare(folder);
    const release = takeLock(disk, folder, processes, words);
    return () => {
      release();
      tryRemoveEmptyFolder(folder);
    };
  } catch (error) {
    if (error instanceof DiskError && error.code === 'ENOENT' && tries > 1) return lockFolder(disk, folder, processes, words, tries - 1);
    throw error;
  }
}

/** Number of attempts to get the lock: two minutes. Work under such a lock takes seconds. */
const MAX_POLLS = 6000;
const POLL_MS = 20;

/**
 * Runs `work` while no other process or thread has the lock of `folder`; `work` must not take the same lock. The folder is created for it
 * and removed afterwards, as is its parent if empty. Blocks the thread meanwhile. Throws ConfigError after two minutes.
 */
export function whileProcessLocked<T>(folder: string, words: LockMessages, work: () => T): T {
  const disk = new FileSystemDisk();
  const processes = processesHere();
  let result = tryLock(disk, folder, processes, words);
  for (let polls = 0; typeof result !== 'function'; polls++) {
    if (polls === MAX_POLLS) throw result ?? new ConfigError(`${folder}: the lock cannot be taken`, 'remove the folder');
    // This thread has no other work, so it may block. The pauses differ, so that two waiting processes do not keep colliding.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS + ((processes.self.pid + polls * 7) % POLL_MS));
    result = tryLock(disk, folder, processes, words);
  }
  try {
    return work();
  } finally {
    result();
    disk.close();
    tryRemoveEmptyFolder(folder);
    tryRemoveEmptyFolder(dirname(folder));
  }
}

/** Removes the locks of processes that no longer run, and then the folder if it is empty. */
export function clearDeadLock(folder: string): void {
  try {
    removeDeadLocks(new FileSystemDisk(), folder, processesHere());
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
  }
  tryRemoveEmptyFolder(folder);
}

/** Returns the release function, or the reason why the lock is taken; null if the folder was removed meanwhile. */
function tryLock(disk: FileSystemDisk, folder: string, processes: Processes, words: LockMessages): (() => void) | ConfigError | null {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return null;
    throw new ConfigError(
      `${folder}: cannot be written (${code})`,
      'check the disk and the rights of the folder; if it is a file, remove it',
    );
  }
  try {
    // A waiting process creates no file, because that would keep out others that arrive meanwhile.
    const holder = lockHolder(disk, folder, processes);
    if (holder !== null)
      return takenError(
        `${folder}/${lockName(holder)}`,
        holder,
        processes.findProcess(holder) === 'unknown' ? 'unknown' : 'running',
        words,
      );
    return takeLock(disk, folder, processes, words);
  } catch (error) {
    // Another thread of this process has it, or another process came at the same time.
    if (error instanceof ConfigError) return error;
    // Another process has just removed the empty folder.
    if (error instanceof DiskError && error.code === 'ENOENT') return null;
    if (error instanceof DiskError)
      throw new ConfigError(`${error.path}: cannot be used (${error.code})`, 'check the disk and the rights of the folder');
    throw error;
  }
}

/** Removes a folder if it is empty and the system allows it. Other processes may add or remove entries at any time. */
export function tryRemoveEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // A leftover folder does no harm.
  }
}
