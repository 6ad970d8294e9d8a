// The durable storage of the simulated exchange: it can crash at any operation of its disk, and starts again on what is left.

import type { Rng } from '../../../../src/base/number/rng.ts';
import type { Service } from '../../../../src/paperExchange/service.ts';
import { ExchangeStore, type StoreHistory } from '../../../../src/paperExchange/storage/exchangeStore.ts';
import type { StoreWriter } from '../../../../src/paperExchange/storage/storeWriter.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import { Crash, SimulatedDisk } from '../../../fixtures/simulatedDisk.ts';
import { rngOf } from '../draws.ts';

const STORE_FOLDER = 'exchange';
/** Size of a file of the store. It is small, so that a day has several files and compactions. */
const SEGMENT_BYTES = 64 * 1024;
/** Maximum duration of a sync, ms. */
const SYNC_MS = 300;
/** After a crash that is due at an operation of the disk, at most this many operations pass. */
const MAX_OPERATIONS = 40;

/** A reply that waits until all that it depends on is durable. */
export interface HeldReply {
  /** Runs `run` with true once the reply may leave, with false if it never will. */
  readonly whenDecided: (run: (mayLeave: boolean) => void) => void;
}

const decided = (mayLeave: boolean): HeldReply => ({ whenDecided: (run) => run(mayLeave) });
/** A reply of an exchange without storage. */
export const FREE_REPLY: HeldReply = decided(true);
/** The reply of an exchange that is down. */
const NO_REPLY: HeldReply = decided(false);

/** The disk of the exchange over all its processes, and the replies that wait for it. */
export class ExchangeStorage {
  /** True from a crash until the next start. */
  isDown = false;
  /** Number of crashes. */
  crashes = 0;
  #disk = new SimulatedDisk();
  #writer: StoreWriter | null = null;
  /** Replies that wait for the disk. */
  readonly #heldReplies = new Set<(mayLeave: boolean) => void>();
  readonly #queue: DueQueue;
  readonly #rng: Rng;
  /** Called when a crash that was due at an operation has come. */
  readonly #crashed: () => void;

  constructor(queue: DueQueue, seed: number, crashed: () => void) {
    this.#queue = queue;
    this.#rng = rngOf(seed, 'exchangeDisk');
    this.#crashed = crashed;
  }

  /** Opens what the disk has, and lets `build` make the exchange that continues it. Throws ConfigError if the store is refused. */
  open(build: (history: StoreHistory | null) => Service): Service {
    const disk = this.#disk;
    const runLater = (ms: number, run: () => void): void => void this.#queue.at(this.#queue.nowMs + ms, () => this.#run(disk, run));
    Object.assign(disk, { soon: (run: () => void) => runLater(1 + Math.floor(this.#rng.next() ** 2 * SYNC_MS), run) });
    const store = new ExchangeStore(disk, STORE_FOLDER);
    const service = build(store.history);
    const failed = (why: string): never => {
      throw new Error(`the disk of the exchange fails: ${why}`);
    };
    this.#writer = store.restoreAndWrite(service, { segmentBytes: SEGMENT_BYTES, soon: (run) => runLater(0, run), failed });
    this.isDown = false;
    return service;
  }

  /** Runs work of the process that has this disk, unless it has ended. */
  #run(disk: SimulatedDisk, run: () => void): void {
    if (this.isDown || disk !== this.#disk) return;
    try {
      run();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.crash({ isPowerLoss: true });
      this.#crashed();
    }
  }

  /** Returns the hold of the reply that the exchange has just given. */
  hold(): HeldReply {
    if (this.isDown) return NO_REPLY;
    let mayLeave: boolean | null = null;
    let waiting: ((mayLeave: boolean) => void) | null = null;
    const decide = (answer: boolean): void => {
      if (mayLeave !== null) return;
      mayLeave = answer;
      this.#heldReplies.delete(decide);
      waiting?.(answer);
    };
    this.#heldReplies.add(decide);
    this.#writer!.whenDurable(decide);
    return { whenDecided: (run) => void (mayLeave === null ? (waiting = run) : run(mayLeave)) };
  }

  /** Makes the exchange crash at one of the next operations of its disk. `share`, in [0, 1), selects it. */
  crashSoon(share: number): void {
    this.#disk.crashAt = this.#disk.operations + Math.floor(share * MAX_OPERATIONS);
  }
  /** Ends the process of the exchange. After a loss of power any part of what was not synced is lost. Replies that wait never leave. */
  crash({ isPowerLoss }: { readonly isPowerLoss: boolean }): void {
    this.isDown = true;
    this.crashes++;
    this.#disk = isPowerLoss ? this.#disk.afterPowerLoss(this.#rng) : this.#disk.afterKill('', 0);
    for (const decide of Array.from(this.#heldReplies)) decide(false);
  }
}
