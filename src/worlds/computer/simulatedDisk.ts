// A disk that forgets: a crash takes any part of what was not synced, file by file and name by name; it fills up, and its syncs fail.

import { DiskError, REPLACED, type Disk } from '../../ports/disk.ts';

const SECTOR_BYTES = 512;

interface SimulatedFile {
  bytes: Buffer;
  /** Bytes that a sync has covered. */
  lasting: number;
  /** Bytes whose sync failed: they can still be read, no later sync writes them, and a crash takes them. */
  readonly dropped: (readonly [from: number, to: number])[];
}

/** The end of the process: thrown by the operation that it comes before, and by every later one. */
export class Crash extends Error {}

/** What survives of what was not synced: drawn from `next`, uniform in [0, 1). */
export interface Random {
  next(): number;
}

export class SimulatedDisk implements Disk {
  /** Bytes that it holds at most. */
  capacityBytes = Infinity;
  /** Operations before the crash; the beginning and the end of a sync are one each. */
  crashAt = Infinity;
  operations = 0;
  /** Codes that the next syncs of files fail with; null: it does not fail. */
  readonly syncFailures: (string | null)[] = [];
  #names = new Map<string, SimulatedFile>();
  #lastingNames = new Map<string, SimulatedFile>();
  /** Files that somebody has moved away while they were open: they have no name, and who has them open writes on. */
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
    this.#names.set(path, { bytes: Buffer.alloc(0), lasting: 0, dropped: [] });
  }
  append(path: string, bytes: Uint8Array): void {
    this.#step();
    const file = this.#unlinked.get(path) ?? this.#file(path);
    const room = this.capacityBytes - [...this.#names.values()].reduce((sum, one) => sum + one.bytes.length, 0);
    file.bytes = Buffer.concat([file.bytes, bytes.subarray(0, Math.max(0, room))]);
    if (room < bytes.length) throw new DiskError('ENOSPC', path);
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
        this.#lastingNames = names;
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

  /** What is to run after the present call; so do syncs end. */
  readonly soon = (run: () => void): void => void this.#due.push(run);

  /** Runs what is due, and what comes up meanwhile. Returns false when the process crashed. */
  run(): boolean {
    try {
      for (let next = this.#due.shift(); next; next = this.#due.shift()) next();
      return true;
    } catch (error) {
      if (error instanceof Crash) return false;
      throw error;
    }
  }

  /** The process is gone, what it had under way with it; the next one finds all that it wrote, synced or not. */
  endProcess(): void {
    this.#due.length = 0;
    this.crashAt = Infinity;
    this.operations = 0;
  }
  /** The disk after a kill of the process: all that it wrote is there, of the newest append to `path` what `cut` bytes less are. */
  afterKill(path: string, cut: number): SimulatedDisk {
    return this.#copied(
      (file, name) => file.bytes.subarray(0, file.bytes.length - (name === path ? cut : 0)),
      () => true,
    );
  }
  /** The disk after the power failed. */
  afterPowerLoss(random: Random): SimulatedDisk {
    return this.#copied(
      (file) => surviving(file, random),
      () => random.next() < 0.5,
    );
  }
  /** The bytes of a file that no crash takes. */
  lastingBytes(path: string): number {
    return this.#file(path).lasting;
  }
  /** Changes a file behind everybody's back. */
  overwrite(path: string, bytes: Uint8Array): void {
    this.#names.set(path, { bytes: Buffer.from(bytes), lasting: bytes.length, dropped: [] });
  }

  /** Moves a file away behind the back of who has it open. */
  unlink(path: string): void {
    this.#unlinked.set(path, this.#file(path));
    this.#names.delete(path);
  }
  /** What of such files is certain to last once they are back. */
  unlinkedBytes(): readonly Uint8Array[] {
    return Array.from(this.#unlinked.values(), ({ bytes, lasting }) => bytes.subarray(0, lasting));
  }
  /** Moves all such files back, with what was written meanwhile. */
  putBack(): void {
    for (const [path, file] of this.#unlinked) this.#names.set(path, file);
    this.#unlinked.clear();
  }

  #copied(bytesOf: (file: SimulatedFile, name: string) => Uint8Array, survives: (name: string) => boolean): SimulatedDisk {
    const copy = new SimulatedDisk();
    for (const name of new Set([...this.#names.keys(), ...this.#lastingNames.keys()])) {
      const [now, lasting] = [this.#names.get(name), this.#lastingNames.get(name)];
      const file = now === lasting || survives(name) ? now : lasting;
      if (file) copy.overwrite(name, bytesOf(file, name));
    }
    copy.#lastingNames = new Map(copy.#names);
    return copy;
  }

  #syncFile(file: SimulatedFile, done: (failure: string | null) => void): void {
    const to = file.bytes.length;
    const failure = this.syncFailures.shift() ?? null;
    this.#later(() => {
      if (failure !== null) file.dropped.push([file.lasting, to]);
      file.lasting = Math.max(file.lasting, to);
      done(failure);
    });
  }
  #later(run: () => void): void {
    this.soon(() => {
      this.#step();
      run();
    });
  }
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

/** Of what was not synced: nothing, all, the first bytes, or any of its sectors with zeros for the others, by chance. */
function surviving({ bytes, lasting, dropped }: SimulatedFile, random: Random): Uint8Array {
  const way = Math.floor(random.next() * 4);
  const length = way === 0 ? lasting : way === 1 ? bytes.length : lasting + Math.floor(random.next() * (bytes.length - lasting + 1));
  const left = Buffer.from(bytes.subarray(0, length));
  for (const [from, to] of dropped) left.fill(0, from, to);
  if (way === 3) {
    for (let [from, to] = [lasting, 0]; from < length; from = to) {
      to = Math.min(length, (Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES);
      if (random.next() < 0.5) left.fill(0, from, to);
    }
  }
  return left;
}
