// Crashes the exchange: at once, or at an operation of its disk. It is down for a while and starts again on the same folder.

import { ConfigError } from '../../../../src/base/errors.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { Observer } from '../observer.ts';
import type { SimulatedVenue } from '../venue.ts';
import { ExchangeStorage } from './exchangeStorage.ts';
import { subRandom } from '../draws.ts';

/** `crashSoon` may stop at any of the next operations of the disk. This first part of them stores the create before: its write and its sync. */
const AFTER_CREATE_SHARE = 0.15;
/** Share of the crashes that come at an operation of the disk; the others come at once. */
const SOON_SHARE = 0.6;
/** Up to this share a crash at once is a loss of power; beyond it only the process ends. */
const POWER_LOSS_SHARE = 0.8;
/** How long the exchange is down, ms. */
const DOWN_MS = { min: 2000, max: 240_000 };

/** Collaborators of the crashes. */
export interface ExchangeCrashDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly print: (text: string) => void;
}

/** Crashes and restarts the exchange of one day. */
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
    deps.venue.exchange.useStorage(this.#storage);
  }

  /** Crashes the exchange. `draw`, in [0, 1), selects how, and how long it is down. */
  apply(draw: number): void {
    const storage = this.#storage;
    if (storage.isDown) return;
    this.#downMs = Math.floor(DOWN_MS.min + draw ** 3 * (DOWN_MS.max - DOWN_MS.min));
    const kindDraw = subRandom(draw, 64);
    if (kindDraw < SOON_SHARE) return storage.crashSoon(subRandom(draw, 512));
    storage.crash({ isPowerLoss: kindDraw < POWER_LOSS_SHARE });
    this.#startLater();
  }

  /** Crashes the exchange at one of the operations that store what it has just done. */
  crashAfterCreate(draw: number): void {
    this.#downMs = DOWN_MS.min + Math.floor(subRandom(draw, 32) ** 3 * (DOWN_MS.max - DOWN_MS.min));
    this.#storage.crashSoon(draw * AFTER_CREATE_SHARE);
  }

  #startLater(): void {
    const { queue, print } = this.#deps;
    print(`the exchange is down for ${this.#downMs} ms`);
    queue.at(queue.nowMs + this.#downMs, () => this.#start());
  }
  /** Starts the exchange from its disk. Violation KEPT: an order that a reply has shown is missing. */
  #start(): void {
    const { queue, venue, observer, print } = this.#deps;
    try {
      for (const { order, clientOrderId } of venue.restart(queue.nowMs))
        observer.report('KEPT', `a reply has shown order ${order.id} (${clientOrderId}), and the exchange has lost it`, queue.nowMs);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      observer.report('KEPT', `the exchange rejects its own folder: ${error.message}`, queue.nowMs);
    }
    this.#restarted();
    print('the exchange is up');
  }
}
