// Simulates a disk: a crash can lose data and names that were not synced, the disk can become full, and syncs can fail.

import type { Instrument } from '../../model/instrument.ts';
import { DiskError, REPLACED, type Disk } from '../../ports/disk.ts';

const SECTOR_BYTES = 512;

/** One file, with what a crash would leave of it. */
interface SimulatedFile {
  /** The content: the beginning of `storage`, which has room for more. */
  bytes: Buffer;
  storage: Buffer;
  /** Number of bytes that a sync has made durable. */
  durable: number;
  /** Bytes whose sync failed. They can still be read, but no later sync writes them, and a crash loses them. */
  readonly dropped: (readonly [from: number, to: number])[];
}

/** Thrown by the operation at which the process ends, and by every later operation. */
export class Crash extends Error {}

/** Source of random numbers in [0, 1), which decide which unsynced data survives. */
export interface Random {
  next(): number;
}

/** A disk in memory. */
export class SimulatedDisk implements Disk {
  /** Capacity of the disk in bytes. */
  capacityBytes = Infinity;
  /** Number of operations before the crash. The start and the end of a sync count as one operation each. */
  crashAt = Infinity;
  /** Number of operations until now. */
  operations = 0;
  /** The instruments of the newest start. A bot has them in bot.json, which is written whole, so every crash leaves them. */
  instruments: readonly Instrument[] = [];
  /** Error codes of the next file syncs. Null for a sync that succeeds. */
  readonly syncFailures: (string | null)[] = [];
  #names = new Map<string, SimulatedFile>();
  #durableNames = new Map<string, SimulatedFile>();
  /** Open files that another process has moved away. They have no name any more, but this process can still write to them. */
  readonly #unlinked = new Map<string, SimulatedFile>();
  readonly #due: (() => void)[] = [];

  list(folder: string): readonly string[] {
    const names = [...this.#names.keys()].filter((path) => path.startsWith(`${folder}/`) && !path.includes('/', folder.length + 1));
    return names.map((path) => path.slice(folder.length + 1)).toSorted();
  }
  read(path: string): Uint8Array {
    return Buffer.from(this.#file(path).bytes);
  }
  readAt(path: string, from: number, length: number): Uint8Array {
    return Buffer.from(this.#file(path).bytes.subarray(from, from + length));
  }
  size(path: string): number {
    return this.#file(path).bytes.length;
  }
  identity(path: string): string {
    return String(this.#file(path).bytes.length);
  }
  create(path: string): void {
    this.#step();
    if (this.#names.has(path)) throw new DiskError('EEXIST', path);
    this.#names.set(path, { ...contentOf(new Uint8Array()), durable: 0, dropped: [] });
  }
  append(path: string, bytes: Uint8Array): void {
    this.#step();
    const file = this.#unlinked.get(path) ?? this.#file(path);
    const usedBytes = [...this.#names.values()].reduce((sum, each) => sum + each.bytes.length, 0);
    const freeBytes = this.capacityBytes - usedBytes;
    appendTo(file, bytes.subarray(0, Math.max(0, freeBytes)));
    if (freeBytes < bytes.length) throw new DiskError('ENOSPC', path);
  }
  sync(path: string, done: (failure: string | null) => void): void {
    this.#step();
    const file = this.#names.get(path);
    const unlinked = this.#unlinked.get(path);
    if (unlinked) this.#syncFile(unlinked, () => done(REPLACED));
    else if (file) this.#syncFile(file, done);
    else {
      const names = new Map(this.#names);
      this.#later(() => {
        this.#durableNames = names;
        done(null);
      });
    }
  }
  rename(from: string, to: string): void {
    this.#step();
    const file = this.#file(from);
    this.#names.delete(from);
    this.#names.set(to, file);
  }
  remove(path: string): void {
    this.#step();
    this.#file(path);
    this.#names.delete(path);
  }

  /** Runs a callback after the current call. Each sync ends in such a callback. */
  readonly soon = (run: () => void): void => void this.#due.push(run);

  /** Runs all waiting callbacks, also those that other callbacks add. Returns false when the process crashed. */
  run(): boolean {
    try {
      for (let next = this.#due.shift(); next; next = this.#due.shift()) next();
      return true;
    } catch (error) {
      if (error instanceof Crash) return false;
      throw error;
    }
  }

  /** Ends the process and its pending work. The next process finds all written data, synced or not. */
  endProcess(): void {
    this.#due.length = 0;
    this.crashAt = Infinity;
    this.operations = 0;
  }
  /** Returns the disk after a kill of the process. It has all written data except the last `lostBytes` bytes of `path`. */
  afterKill(path: string, lostBytes: number): SimulatedDisk {
    return this.#copy(
      (file, name) => file.bytes.subarray(0, file.bytes.length - (name === path ? lostBytes : 0)),
      () => true,
    );
  }
  /** Returns the disk after a power failure. */
  afterPowerLoss(random: Random): SimulatedDisk {
    return this.#copy(
      (file) => surviving(file, random),
      () => random.next() < 0.5,
    );
  }
  /** Returns the number of durable bytes of a file. */
  lastingBytes(path: string): number {
    return this.#file(path).durable;
  }
  /** Returns the bytes of a file that survive every crash. Bytes that a failed sync has dropped are zeros. */
  lastingPart(path: string): Uint8Array {
    const { bytes, durable, dropped } = this.#file(path);
    const part = Buffer.from(bytes.subarray(0, durable));
    for (const [from, to] of dropped) part.fill(0, from, to);
    return part;
  }
  /** Replaces the content of a file, as another process would. The new content is synced. */
  overwrite(path: string, bytes: Uint8Array): void {
    const content = { ...contentOf(bytes), durable: bytes.length, dropped: [] };
    const file = this.#names.get(path);
    // In place: a file whose name is durable keeps the new bytes, whatever crash follows.
    if (file === undefined) this.#names.set(path, content);
    else Object.assign(file, content);
  }

  /** Moves a file away while it is open. */
  unlink(path: string): void {
    this.#unlinked.set(path, this.#file(path));
    this.#names.delete(path);
  }
  /** Returns the durable bytes of the files that were moved away. */
  unlinkedBytes(): readonly Uint8Array[] {
    return Array.from(this.#unlinked.values(), ({ bytes, durable }) => bytes.subarray(0, durable));
  }
  /** Moves the files that `unlink` moved away back, with the data that was written meanwhile. */
  putBack(): void {
    for (const [path, file] of this.#unlinked) this.#names.set(path, file);
    this.#unlinked.clear();
  }

  /** Returns a copy of the disk. `survives` decides for each name with an unsynced change whether the change is in the copy. */
  #copy(bytesOf: (file: SimulatedFile, name: string) => Uint8Array, survives: (name: string) => boolean): SimulatedDisk {
    const copy = new SimulatedDisk();
    for (const name of new Set([...this.#names.keys(), ...this.#durableNames.keys()])) {
      const [currentFile, durableFile] = [this.#names.get(name), this.#durableNames.get(name)];
      const file = currentFile === durableFile || survives(name) ? currentFile : durableFile;
      if (file) copy.overwrite(name, bytesOf(file, name));
    }
    copy.#durableNames = new Map(copy.#names);
    copy.instruments = this.instruments;
    return copy;
  }

  #syncFile(file: SimulatedFile, done: (failure: string | null) => void): void {
    const to = file.bytes.length;
    const failure = this.syncFailures.shift() ?? null;
    this.#later(() => {
      if (failure !== null) file.dropped.push([file.durable, to]);
      file.durable = Math.max(file.durable, to);
      done(failure);
    });
  }
  /** Runs `run` as an operation of its own, after the current call. */
  #later(run: () => void): void {
    this.soon(() => {
      this.#step();
      run();
    });
  }
  /** Counts an operation. Throws Crash when the process ends at it. */
  #step(): void {
    if (this.operations >= this.crashAt) throw new Crash('the process is gone');
    this.operations++;
  }
  #file(path: string): SimulatedFile {
    const file = this.#names.get(path);
    if (!file) throw new DiskError('ENOENT', path);
    return file;
  }
}

/** Returns a copy of the bytes as the content of a file. */
function contentOf(bytes: Uint8Array): Pick<SimulatedFile, 'bytes' | 'storage'> {
  const storage = Buffer.from(bytes);
  return { bytes: storage, storage };
}

/** Appends bytes. The storage doubles when it is full, so that many short writes do not copy the file each time. */
function appendTo(file: SimulatedFile, added: Uint8Array): void {
  const from = file.bytes.length;
  const length = from + added.length;
  if (length > file.storage.length) {
    file.storage = Buffer.alloc(2 * length);
    file.storage.set(file.bytes);
  }
  file.storage.set(added, from);
  file.bytes = file.storage.subarray(0, length);
}

/** What survives of the unsynced bytes of a file: none, all, the first ones, or some sectors. */
const SURVIVALS = ['none', 'all', 'first', 'sectors'] as const;

/** Returns the bytes of a file after a power failure. The kind of survival is random. */
function surviving({ bytes, durable, dropped }: SimulatedFile, random: Random): Uint8Array {
  const survival = SURVIVALS[Math.floor(random.next() * SURVIVALS.length)]!;
  const length = survivingLength(survival, bytes.length, durable, random);
  const survivors = Buffer.from(bytes.subarray(0, length));
  for (const [from, to] of dropped) survivors.fill(0, from, to);
  if (survival === 'sectors') {
    for (let [from, to] = [durable, 0]; from < length; from = to) {
      to = Math.min(length, (Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES);
      if (random.next() < 0.5) survivors.fill(0, from, to);
    }
  }
  return survivors;
}

/** Returns the length of a file after a power failure. */
function survivingLength(survival: (typeof SURVIVALS)[number], length: number, durable: number, random: Random): number {
  if (survival === 'none') return durable;
  if (survival === 'all') return length;
  return durable + Math.floor(random.next() * (length - durable + 1));
}
