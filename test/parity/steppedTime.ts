// Provides one clock for a paper exchange and a bot in this process. It moves on command, once every request has been answered.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import type { Scheduler } from '../../src/ports/scheduler.ts';

/** A callback that waits for its time. */
interface DueCallback {
  readonly timeMs: number;
  readonly handle: number;
  readonly run: () => void;
}

/** An exchange whose clock moves only on command: in this process, or in another one. */
export interface MovedExchange {
  readonly nowMs: number;
  /** Moves its clock to `timeMs`, and runs what is due there. */
  readonly moveTo: (timeMs: number) => void | Promise<void>;
  /** Number of requests and replies that it holds back until their time. By default none. */
  readonly held?: () => number;
}

/** Time limit of one step, ms of this computer. It is long, because a busy disk or core is slow. */
const MAX_STEP_MS = 120_000;
/** Number of idle turns of the event loop after which nothing more follows from a reply. Within them it is read and the next requests are sent. */
const TURNS_AFTER_REPLY = 3;
/**
 * Number of idle turns while the exchange holds a request back. These turns last 1 ms each. If the client of a held request has given up, the count of
 * held requests hides another request, and its reply must come within these turns. Shorter turns may pass faster than the sockets deliver.
 */
const TURNS_WHILE_HELD = 25;

/**
 * The Scheduler of the bot. A step first sets the time and then runs what is due, so that the bot never acts in the past of the exchange.
 * The exchange would refuse a request that is signed in the past.
 */
export class SteppedTime implements Scheduler {
  nowMs: number;
  readonly #exchange: MovedExchange;
  readonly #due: DueCallback[] = [];
  #handleCount = 0;
  /** Requests whose answers are not complete. A set, because undici may report the end of an aborted request twice. */
  readonly #onWire = new Set<unknown>();
  readonly #onRequestCreated = (message: unknown): void => void this.#onWire.add(requestOf(message));
  readonly #onRequestEnded = (message: unknown): void => {
    this.#onWire.delete(requestOf(message));
    this.#onReply();
  };
  /** Called with each reply. It ends the wait for the next one. */
  #onReply: () => void = () => {};

  constructor(exchange: MovedExchange) {
    this.#exchange = exchange;
    this.nowMs = exchange.nowMs;
    subscribe('undici:request:create', this.#onRequestCreated);
    subscribe('undici:request:trailers', this.#onRequestEnded);
    subscribe('undici:request:error', this.#onRequestEnded);
  }

  /** Stops watching requests. */
  close(): void {
    unsubscribe('undici:request:create', this.#onRequestCreated);
    unsubscribe('undici:request:trailers', this.#onRequestEnded);
    unsubscribe('undici:request:error', this.#onRequestEnded);
  }

  at(timeMs: number, run: () => void): number {
    const due: DueCallback = { timeMs, handle: ++this.#handleCount, run };
    let index = this.#due.length;
    while (index > 0 && this.#due[index - 1]!.timeMs > timeMs) index--;
    this.#due.splice(index, 0, due);
    return due.handle;
  }

  cancel(handle: number): void {
    const index = this.#due.findIndex((due) => due.handle === handle);
    if (index >= 0) this.#due.splice(index, 1);
  }

  /** Time of the next due callback. Infinity without one. */
  get nextMs(): number {
    return this.#due[0]?.timeMs ?? Infinity;
  }

  /** Moves both clocks to `timeMs`, runs what is due there, and returns once every request that follows at this time has been answered. */
  async stepTo(timeMs: number): Promise<void> {
    this.nowMs = Math.max(timeMs, this.nowMs);
    await this.#exchange.moveTo(this.nowMs);
    await this.quiet();
  }

  /** Runs what is due until no request is on the wire and nothing follows from the replies. */
  async quiet(): Promise<void> {
    const endMs = performance.now() + MAX_STEP_MS;
    let idleTurns = 0;
    while (idleTurns < (this.#onWire.size > 0 ? TURNS_WHILE_HELD : TURNS_AFTER_REPLY)) {
      if (performance.now() > endMs)
        throw new Error(`at ${new Date(this.nowMs).toISOString()} the bot and the exchange do not come to rest`);
      const hasRun = this.#runDue();
      await setImmediate();
      const isAwaited = this.#onWire.size > (this.#exchange.held?.() ?? 0);
      idleTurns = hasRun || isAwaited || isDiskBusy() ? 0 : idleTurns + 1;
      if (this.#onWire.size > 0 && !hasRun) await this.#nextReply();
    }
  }

  /** Resolves with the next reply, or after 1 ms, because the exchange does not report what it holds back. Polling each turn would keep a core busy. */
  #nextReply(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 1);
      this.#onReply = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Runs all callbacks that are due. Returns true if there was one. */
  #runDue(): boolean {
    const isDue = this.nextMs <= this.nowMs;
    while (this.nextMs <= this.nowMs) this.#due.shift()!.run();
    return isDue;
  }
}

/** Returns the request in a message of undici's diagnostics channels. */
const requestOf = (message: unknown): unknown => (message as { readonly request: object }).request;

/** True while writes to the disk are pending, such as records of a journal. They hold requests back. */
const isDiskBusy = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
