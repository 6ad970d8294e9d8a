// Provides one clock for a paper exchange and a bot in this process. It moves on command, once every request has been answered.

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
  /** Moves its clock to `timeMs`, and runs what is due there. */
  readonly moveTo: (timeMs: number) => void | Promise<void>;
  /** Number of requests and replies that it holds back until their time. By default none. */
  readonly held?: () => number;
}

/** Time limit of one step, ms of this computer. It is long, because a busy disk or core is slow. */
const MAX_STEP_MS = 120_000;
/** Turns of the event loop in which a reply is read and the requests that follow from it are sent. */
const TURNS_AFTER = 3;
/**
 * Turns of 1 ms while the exchange holds a request back. If its client has given up, the count of held requests hides another request, which
 * is answered within these turns. Turns of the event loop alone may pass faster than the sockets deliver.
 */
const TURNS_HELD = 25;

/**
 * The Scheduler of the bot. A step first sets the time and then runs what is due, so that the bot never acts in the past of the exchange.
 * The exchange would refuse a request that is signed in the past.
 */
export class SteppedTime implements Scheduler {
  nowMs: number;
  readonly #exchange: MovedExchange;
  readonly #due: Due[] = [];
  #handleCount = 0;
  /** Requests whose answers are not complete. A set, because undici may report the end of an aborted request twice. */
  readonly #onWire = new Set<unknown>();
  readonly #started = (message: unknown): void => void this.#onWire.add(requestOf(message));
  readonly #ended = (message: unknown): void => {
    this.#onWire.delete(requestOf(message));
    this.#onReply();
  };
  #onReply: () => void = () => {};

  constructor(exchange: MovedExchange) {
    this.#exchange = exchange;
    this.nowMs = exchange.nowMs;
    subscribe('undici:request:create', this.#started);
    subscribe('undici:request:trailers', this.#ended);
    subscribe('undici:request:error', this.#ended);
  }

  close(): void {
    unsubscribe('undici:request:create', this.#started);
    unsubscribe('undici:request:trailers', this.#ended);
    unsubscribe('undici:request:error', this.#ended);
  }

  at(timeMs: number, run: () => void): number {
    const due: Due = { timeMs, handle: ++this.#handleCount, run };
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
    for (let idleTurns = 0; idleTurns < (this.#onWire.size > 0 ? TURNS_HELD : TURNS_AFTER);) {
      if (performance.now() > endMs) throw new Error(`at ${new Date(this.nowMs).toISOString()} the bot and the exchange come to no rest`);
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

  #runDue(): boolean {
    const isDue = this.nextMs <= this.nowMs;
    while (this.nextMs <= this.nowMs) this.#due.shift()!.run();
    return isDue;
  }
}

const requestOf = (message: unknown): unknown => (message as { readonly request: object }).request;

/** True while writes to the disk are pending, such as records of a journal. They hold requests back. */
const isDiskBusy = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
