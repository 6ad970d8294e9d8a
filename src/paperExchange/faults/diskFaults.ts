// Injected faults of the exchange store's disk and process, at one write, as the fault schedule says.

import { DiskError, type Disk } from '../../ports/disk.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { WriteStep } from '../storage/storeWriter.ts';
import { type Fault, type Faults, faultNumber, type Point, faultText } from './faults.ts';

export class WriteFaults {
  readonly #faults: Faults;
  readonly #crash: () => void;
  /** Writes that remain until the process ends; Infinity: it does not end. */
  #left = Infinity;
  /** The faults of the current write. */
  wrong: ReadonlyMap<Point, Fault> = new Map();

  constructor(faults: Faults, crash: () => void) {
    this.#faults = faults;
    this.#crash = crash;
  }

  /** Ends the process at the n-th write from now on. That write is on the disk, but replies that wait for it are not sent. */
  crashAt(record: number): void {
    this.#left = record;
  }

  readonly step = (step: WriteStep): void => {
    if (step === 'before') this.wrong = this.#faults.atWrite();
    if (step === 'written' && --this.#left === 0) this.#crash();
    const kill = this.wrong.get('PROC.kill');
    if (kill !== undefined && faultText(kill, 'step') === step) this.#crash();
  };
}

export class FaultyDisk implements Disk {
  readonly #disk: Disk;
  readonly #writes: Pick<WriteFaults, 'wrong'>;
  readonly #scheduler: () => Scheduler;

  constructor(disk: Disk, writes: Pick<WriteFaults, 'wrong'>, scheduler: () => Scheduler) {
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
    const fault = this.#writes.wrong.get('DISK.write');
    if (fault === undefined) return this.#disk.append(path, bytes);
    this.#disk.append(path, bytes.subarray(0, faultNumber(fault, 'bytes')));
    throw new DiskError(faultText(fault, 'error'), path);
  }
  sync(path: string, done: (failure: string | null) => void): void {
    const { wrong } = this.#writes;
    const [failing, slow] = [wrong.get('DISK.sync'), wrong.get('DISK.slow')];
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
