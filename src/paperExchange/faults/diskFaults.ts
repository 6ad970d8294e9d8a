// Injects the scheduled faults of the exchange store: failing and slow writes of its disk, and the end of the process during a write.

import { DiskError, type Disk } from '../../ports/disk.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { WriteStep } from '../storage/storeWriter.ts';
import { type Fault, type Faults, faultNumber, type FaultPoint, faultText } from './faults.ts';

/** The faults of the write that is under way. The store reports its steps here. */
export class WriteFaults {
  readonly #faults: Faults;
  readonly #crash: () => void;
  /** Writes that remain until the process ends; Infinity: it does not end. */
  #writesLeft = Infinity;
  /** The faults of the current write. */
  active: ReadonlyMap<FaultPoint, Fault> = new Map();

  constructor(faults: Faults, crash: () => void) {
    this.#faults = faults;
    this.#crash = crash;
  }

  /** Ends the process at the n-th write from now on. That write is on the disk, but replies that wait for it are not sent. */
  crashAt(record: number): void {
    this.#writesLeft = record;
  }

  /** Called by the store at each step of a write. Looks up the faults of the write, and ends the process at the step that one of them names. */
  readonly step = (step: WriteStep): void => {
    if (step === 'before') this.active = this.#faults.faultsOfWrite();
    if (step === 'written' && --this.#writesLeft === 0) this.#crash();
    const killFault = this.active.get('PROC.kill');
    if (killFault !== undefined && faultText(killFault, 'step') === step) this.#crash();
  };
}

/** A disk whose writes and syncs fail or wait by the active faults of `WriteFaults`. */
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
    const syncFault = active.get('DISK.sync');
    const delayFault = active.get('DISK.slow');
    this.#disk.sync(path, (failure) => {
      const result = syncFault === undefined ? failure : faultText(syncFault, 'error');
      if (delayFault === undefined) return done(result);
      const scheduler = this.#scheduler();
      scheduler.at(scheduler.nowMs + faultNumber(delayFault, 'ms'), () => done(result));
    });
  }
  rename(from: string, to: string): void {
    this.#disk.rename(from, to);
  }
  remove(path: string): void {
    this.#disk.remove(path);
  }
}
