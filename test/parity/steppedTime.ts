// One clock for a paper exchange and the bot of this process: it moves on command, and not before everything on the wire is answered.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import type { Scheduler } from '../../src/ports/scheduler.ts';

interface Due {
  readonly timeMs: number;
  readonly handle: number;
  readonly run: () => void;
}

/** An exchange whose clock moves only on command: in this process, or in another one. */
export interface MovedExchange {
  readonly nowMs: number;
  /** Moves its clock on to `timeMs`, and does what is due there. */
  readonly moveTo: (timeMs: number) => void | Promise<void>;
  /** Requests and answers that it holds back until its time has come; default none. */
  readonly held?: () => number;
}

/** A step without an end is given up after this time of this computer, ms: a disk or a core that others use is slow, not stuck. */
const MAX_STEP_MS = 120_000;
/** An answer is read, and the requests that follow from it are sent, within this many turns of the event loop. */
const TURNS_AFTER = 3;
/**
 * The same while the exchange holds a request back. If its client has given up, the count of held requests hides one other request: that one
 * is answered within this many turns.
 */
const TURNS_HELD = 60;

/**
 * The bot's Scheduler. A step sets the time first and runs what was due after that: the bot never acts in the past of the exchange, which would
 * refuse what is signed there.
 */
export class SteppedTime implements Scheduler {
  nowMs: number;
  readonly #exchange: MovedExchange;
  readonly #due: Due[] = [];
  #asked = 0;
  /** Requests whose answers are not complete. A set, because undici may report the end of an aborted request twice. */
  readonly #onWire = new Set<unknown>();
  readonly #created = (message: unknown): void => void this.#onWire.add(requestOf(message));
  readonly #over = (message: unknown): void => {
    this.#onWire.delete(requestOf(message));
    this.#answered();
  };
  #answered: () => void = () => {};

  constructor(exchange: MovedExchange) {
    this.#exchange = exchange;
    this.nowMs = exchange.nowMs;
    subscribe('undici:request:create', this.#created);
    subscribe('undici:request:trailers', this.#over);
    subscribe('undici:request:error', this.#over);
  }

  close(): void {
    unsubscribe('undici:request:create', this.#created);
    unsubscribe('undici:request:trailers', this.#over);
    unsubscribe('undici:request:error', this.#over);
  }

  at(timeMs: number, run: () => void): number {
    const due: Due = { timeMs, handle: ++this.#asked, run };
    let at = this.#due.length;
    while (at > 0 && this.#due[at - 1]!.timeMs > timeMs) at--;
    this.#due.splice(at, 0, due);
    return due.handle;
  }

  cancel(handle: number): void {
    const at = this.#due.findIndex((due) => due.handle === handle);
    if (at >= 0) this.#due.splice(at, 1);
  }

  /** When something is due next; Infinity: nothing is. */
  get nextMs(): number {
    return this.#due[0]?.timeMs ?? Infinity;
  }

  /** Moves both clocks to `timeMs`, runs what is due there, and returns once every request that follows at this time has been answered. */
  async stepTo(timeMs: number): Promise<void> {
    this.nowMs = Math.max(timeMs, this.nowMs);
    await this.#exchange.moveTo(this.nowMs);
    await this.quiet();
  }

  /** Runs what is due until nothing is on the wire, and nothing follows from its answer at this time. */
  async quiet(): Promise<void> {
    const endMs = performance.now() + MAX_STEP_MS;
    for (let still = 0; still < (this.#onWire.size > 0 ? TURNS_HELD : TURNS_AFTER);) {
      if (performance.now() > endMs) throw new Error(`at ${new Date(this.nowMs).toISOString()} the bot and the exchange come to no rest`);
      const ran = this.#runDue();
      await setImmediate();
      const isAwaited = this.#onWire.size > (this.#exchange.held?.() ?? 0);
      still = ran || isAwaited || isDiskBusy() ? 0 : still + 1;
      if (isAwaited && !ran) await this.#answer();
    }
  }

  /** Resolves with the next answer, and soon in any case: the exchange does not report what it holds back. To look at each turn keeps a core busy. */
  #answer(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 1);
      this.#answered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #runDue(): boolean {
    const isDue = this.nextMs <= this.nowMs;
    while (this.nextMs <= this.nowMs) this.#due.shift()!.run();
    return isDue;
  }
}

const requestOf = (message: unknown): unknown => (message as { readonly request: object }).request;

/** Writes on their way to the disk, such as records of a journal, hold requests back. */
const isDiskBusy = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
