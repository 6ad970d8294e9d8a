// Crashes the exchange: at once, or at an operation of its disk. It is down for a while and starts again on the same folder.

import { ConfigError } from '../../../../src/base/errors.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { Observer } from '../observer.ts';
import type { SimulatedVenue } from '../venue.ts';
import { ExchangeStorage } from './exchangeStorage.ts';

/** Share of the operations of `crashSoon` that follow a create: its write, its sync and the next ones. */
const BEHIND_SHARE = 0.15;
/** How long the exchange is down. */
const DOWN_MS = { min: 2000, max: 240_000 };

export interface ExchangeCrashDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly print: (text: string) => void;
}

export class ExchangeCrash {
  readonly #deps: ExchangeCrashDeps;
  readonly #storage: ExchangeStorage;
  /** Called after a start of the exchange. */
  readonly #restarted: () => void;
  #downMs = DOWN_MS.min;

  constructor(deps: ExchangeCrashDeps, seed: number, restarted: () => void) {
    this.#deps = deps;
    this.#restarted = restarted;
    this.#storage = new ExchangeStorage(deps.queue, seed, () => this.#startLater());
    deps.venue.useStorage(this.#storage);
  }

  /** Crashes the exchange. `size`, in [0, 1), selects how, and how long it is down. */
  apply(size: number): void {
    const storage = this.#storage;
    if (storage.isDown) return;
    this.#downMs = Math.floor(DOWN_MS.min + size ** 3 * (DOWN_MS.max - DOWN_MS.min));
    const kind = (size * 64) % 1;
    if (kind < 0.6) return storage.crashSoon((size * 512) % 1);
    storage.crash(kind < 0.8);
    this.#startLater();
  }

  /** Crashes the exchange at one of the operations that store what it has just done. */
  applyBehind(size: number): void {
    this.#downMs = DOWN_MS.min + Math.floor(((size * 32) % 1) ** 3 * (DOWN_MS.max - DOWN_MS.min));
    this.#storage.crashSoon(size * BEHIND_SHARE);
  }

  #startLater(): void {
    const { queue, print } = this.#deps;
    print(`the exchange is gone for ${this.#downMs} ms`);
    queue.at(queue.nowMs + this.#downMs, () => this.#start());
  }
  /** KEPT: the exchange starts on what its disk has, and has every order that a reply has shown. */
  #start(): void {
    const { queue, venue, observer, print } = this.#deps;
    try {
      for (const { order, clientOrderId } of venue.restart(queue.nowMs))
        observer.report('KEPT', `a reply has shown order ${order.id} (${clientOrderId}), and the exchange has lost it`, queue.nowMs);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      observer.report('KEPT', `the exchange refuses its own folder: ${error.message}`, queue.nowMs);
    }
    this.#restarted();
    print('the exchange is back');
  }
}
