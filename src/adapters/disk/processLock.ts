// The process lock: of a journal, an account, a catalog, a sweep and a paper exchange. Each process puts a file of its own into the lock's folder, and goes on only if no other file there belongs to a process that may run.

import { mkdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { DiskError, type Disk } from '../../ports/disk.ts';
import { FileSystemDisk } from './fileSystemDisk.ts';
import { findProcess as lookForProcess, thisProcess } from './processes.ts';

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
  readonly findProcess: (other: LockHolder) => 'running' | 'gone' | 'unknown';
}

/** As this process sees the others of its computer. */
export function processesHere(): Processes {
  const self = thisProcess();
  return { self, findProcess: (other) => lookForProcess(other, self) };
}

type LockDisk = Pick<Disk, 'list' | 'create' | 'remove'>;

const PATTERN = /^lock-(\d+)-(\w+)-(\w+)-(\w+)-(.+)$/;

/** What is said of a folder that is taken. */
export interface LockMessages {
  /** What a process has already. */
  readonly has: string;
  /** What another one does that has it, or may do. */
  readonly does: string;
  readonly may: string;
  /** Why there is one at a time. */
  readonly own: string;
  readonly second: string;
}
/** Of a bot: its journal, and its account. */
export const BOT_WORDS: LockMessages = {
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
export function takeLock(disk: LockDisk, folder: string, { self, findProcess }: Processes, words = BOT_WORDS): () => void {
  const own = `${folder}/${lockName(self)}`;
  try {
    disk.create(own);
  } catch (error) {
    if (!(error instanceof DiskError && error.code === 'EEXIST')) throw error;
    throw new ConfigError(`${own}: this process has ${words.has} already`, `${words.own}; if this one does not yet, remove the file`);
  }
  // Somebody may have removed it, or the folder: then there is nothing to give back.
  const release = (): void => removeIfThere(disk, own);
  try {
    for (const name of disk.list(folder)) {
      const other = holderOf(name);
      if (other === null || `${folder}/${name}` === own) continue;
      const found = findProcess(other);
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
export function removeDeadLocks(disk: Pick<Disk, 'list' | 'remove'>, folder: string, { findProcess }: Processes): void {
  for (const name of disk.list(folder)) {
    const other = holderOf(name);
    if (other !== null && findProcess(other) === 'gone') removeIfThere(disk, `${folder}/${name}`);
  }
}

/** Who may be writing to a journal at the moment; null: nobody. */
export function lockHolder(disk: Pick<Disk, 'list'>, folder: string, { self, findProcess }: Processes): LockHolder | null {
  const holders = disk.list(folder).flatMap((name) => holderOf(name) ?? []);
  return holders.find((other) => lockName(other) !== lockName(self) && findProcess(other) !== 'gone') ?? null;
}

const lockName = ({ pid, started, namespace, boot, host }: LockHolder): string =>
  `lock-${pid}-${started}-${namespace}-${boot}-${encodeURIComponent(host)}`;

function holderOf(name: string): LockHolder | null {
  const [, pid, started, namespace, boot, host] = PATTERN.exec(name) ?? [];
  if (pid === undefined || host === undefined) return null;
  return { pid: Number(pid), started: started!, namespace: namespace!, boot: boot!, host: decoded(host) };
}

/** Somebody else may have made the file: a host whose name is no such text is not this one. */
function decoded(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch (error) {
    if (error instanceof URIError) return host;
    throw error;
  }
}

/** Another starter may have found the same file dead. */
function removeIfThere(disk: Pick<Disk, 'remove'>, path: string): void {
  try {
    disk.remove(path);
  } catch (error) {
    if (!(error instanceof DiskError && error.code === 'ENOENT')) throw error;
  }
}

function takenError(
  path: string,
  { pid, host }: LockHolder,
  found: 'running' | 'unknown',
  { does, may, second }: LockMessages,
): ConfigError {
  return found === 'running'
    ? new ConfigError(`${path}: process ${pid} ${does}`, `stop it first: ${second}`)
    : new ConfigError(
        `${path}: process ${pid} on ${host} ${may}, and cannot be seen from here`,
        'if that computer or container is gone for good, remove the file; if you are not sure, do not',
      );
}

/** How often a folder is made again that another process takes away for having found it empty. */
const MAX_TRIES = 5;

/**
 * Takes the lock of a folder of its own, which is made for it; the returned function gives it back and removes the folder. Throws
 * ConfigError while another process has it, or may have it, and DiskError where the disk does not take it.
 */
export function lockFolder(disk: FileSystemDisk, folder: string, processes: Processes, words = BOT_WORDS, tries = MAX_TRIES): () => void {
  try {
    disk.prepare(folder);
    const release = takeLock(disk, folder, processes, words);
    return () => {
      release();
      removeEmpty(folder);
    };
  } catch (error) {
    if (error instanceof DiskError && error.code === 'ENOENT' && tries > 1) return lockFolder(disk, folder, processes, words, tries - 1);
    throw error;
  }
}

/** Looks of one that waits; work under such a lock takes seconds. */
const MAX_POLLS = 6000;
const LOOK_MS = 20;

/**
 * Runs `work`, which must not ask for the same lock, while no other process and no other thread has the lock of `folder`, which is made for
 * it and removed afterwards, as is the folder around it where that is empty. Blocks the thread meanwhile. Throws ConfigError after two minutes.
 */
export function whileLocked<T>(folder: string, words: LockMessages, work: () => T): T {
  const disk = new FileSystemDisk();
  const processes = processesHere();
  let taken = take(disk, folder, processes, words);
  for (let looks = 0; typeof taken !== 'function'; looks++) {
    if (looks === MAX_POLLS) throw taken ?? new ConfigError(`${folder}: the lock cannot be taken`, 'remove the folder');
    // Nothing else is left to do in this thread. Of several that wait, no two look at the same times again and again.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS + ((processes.self.pid + looks * 7) % LOOK_MS));
    taken = take(disk, folder, processes, words);
  }
  try {
    return work();
  } finally {
    taken();
    disk.close();
    removeEmpty(folder);
    removeEmpty(dirname(folder));
  }
}

/** Takes away the locks of processes that run no more, and the folder where it is empty then. */
export function clearDeadLock(folder: string): void {
  try {
    removeDeadLocks(new FileSystemDisk(), folder, processesHere());
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
  }
  removeEmpty(folder);
}

/** The lock, or why it is not to be had now; null: the folder went away meanwhile. */
function take(disk: FileSystemDisk, folder: string, processes: Processes, words: LockMessages): (() => void) | ConfigError | null {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return null;
    throw new ConfigError(
      `${folder}: cannot be written (${code})`,
      'look after the disk and the rights of the folder; if it is a file, remove it',
    );
  }
  try {
    // One that waits leaves no file: it would keep others out that come in between.
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
    // Of another thread of this process, or of one that came at the same time.
    if (error instanceof ConfigError) return error;
    // Another one has just removed the folder, which was empty.
    if (error instanceof DiskError && error.code === 'ENOENT') return null;
    if (error instanceof DiskError)
      throw new ConfigError(`${error.path}: cannot be used (${error.code})`, 'look after the disk and the rights of the folder');
    throw error;
  }
}

/** Another process may put something there, or remove it, at any moment. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // What stays is no harm.
  }
}
