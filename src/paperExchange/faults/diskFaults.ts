// Injected faults of the exchange store's disk and process, at one write, as the fault schedule says.

import { DiskError, type Disk } from '../../ports/disk.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { WriteStep } from '../storage/storeWriter.ts';
import { type Fault, type Faults, faultNumber, type Point, faultText } from './faults.ts';

/** The faults of the write that is under way. The store reports its steps here. */
export class WriteFaults {
  readonly #faults: Faults;
  readonly #crash: () => void;
  /** Writes that remain until the process ends; Infinity: it does not end. */
  #writesLeft = Infinity;
  /** The faults of the current write. */
  active: ReadonlyMap<Point, Fault> = new Map();

  constructor(faults: Faults, crash: () => void) {
    this.#faults = faults;
    this.#crash = crash;
  }

  /** Ends the process at the n-th write from now on. That write is on the disk, but replies that wait for it are not sent. */
  crashAt(record: number): void {
    this.#writesLeft = record;
  }

  /** Called by the store at each step of a write. Looks up its faults and ends the process where one says so. */
  readonly step = (step: WriteStep): void => {
    if (step === 'before') this.active = this.#faults.atWrite();
    if (step === 'written' && --this.#writesLeft === 0) this.#crash();
    const kill = this.active.get('PROC.kill');
    if (kill !== undefined && faultText(kill, 'step') === step) this.#crash();
  };
}

/** A disk whose writes and syncs fail or wait as `WriteFaults` says. */
export class FaultyDisk implements Disk {
  readonly #disk: Disk;
  readonly #writes: Pick<WriteFaults, 'active'>;
  readonly #scheduler: () => Scheduler;

  constructor(disk: Disk, writes: Pick<WriteFaults, 'active'>, scheduler: () => Scheduler) {
    this.#disk = disk;
    this.#writes = writes;
    this.#scheduler = scheduler;
  }

  list(folder: string): readonly string[] {
    return this.#disk.list(folder);
  }
  read(path: string): Uint8Array {
    return this.#disk.read(path);
  }
  readAt(path: string, from: number, length: number): Uint8Array {
    return this.#disk.readAt(path, from, length);
  }
  size(path: string): number {
    return this.#disk.size(path);
  }
  identity(path: string): string {
    return this.#disk.identity(path);
  }
  create(path: string): void {
    this.#disk.create(path);
  }
  append(path: string, bytes: Uint8Array): void {
    const fault = this.#writes.active.get('DISK.write');
    if (fault === undefined) return this.#disk.append(path, bytes);
    this.#disk.append(path, bytes.subarray(0, faultNumber(fault, 'bytes')));
    throw new DiskError(faultText(fault, 'error'), path);
  }
  sync(path: string, done: (failure: string | null) => void): void {
    const { active } = this.#writes;
    const failing = active.get('DISK.sync');
    const slow = active.get('DISK.slow');
    this.#disk.sync(path, (failure) => {
      const result = failing === undefined ? failure : faultText(failing, 'error');
      if (slow === undefined) return done(result);
      const scheduler = this.#scheduler();
      scheduler.at(scheduler.nowMs + faultNumber(slow, 'ms'), () => done(result));
    });
  }
  rename(from: string, to: string): void {
    this.#disk.rename(from, to);
  }
  remove(path: string): void {
    this.#disk.remove(path);
  }
}
