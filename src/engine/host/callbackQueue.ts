// What strategies are still to be told: fills and order changes wait here until everything of the instant is booked.

import { StrategyError } from '../../base/errors.ts';
import type { FillInfo, OrderInfo } from '../../strategy/types.ts';
import type { StrategyRun } from './strategyRun.ts';

interface Waiting {
  /** Null of what the bot itself does. */
  readonly run: StrategyRun | null;
  readonly act: (() => void) | null;
  readonly fill: FillInfo | null;
  readonly order: OrderInfo | null;
  /** Sort key: fill time, instrument, trade id; order changes follow the fills in the order in which they happened. */
  readonly key: readonly [number, number, number];
}

/** A strategy that answers every fill with an order that fills at once would never end. */
const MAX_ROUNDS = 10_000;

export class CallbackQueue {
  #waiting: Waiting[] = [];
  /** After a restart: what happened step by step, until the start is complete. Null: everything is told at once. */
  #held: Waiting[][] | null = null;

  /** What is being told, and how much of it was. */
  #batch: readonly Waiting[] = [];
  #told = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }
  fill(run: StrategyRun, fill: FillInfo, timeMs: number, instrument: number, tradeId: number): void {
    this.#waiting.push({ run, act: null, fill, order: null, key: [timeMs, instrument, tradeId] });
  }
  order(run: StrategyRun, order: OrderInfo): void {
    this.#waiting.push({ run, act: null, fill: null, order, key: [Infinity, Infinity, Infinity] });
  }
  /** Something that the bot does once everything of the instant is booked and its rows are delivered, before strategies are told. */
  first(act: () => void): void {
    this.#waiting.push({ run: null, act, fill: null, order: null, key: [-Infinity, -Infinity, -Infinity] });
  }

  /** From now on nothing is told. */
  hold(): void {
    this.#held ??= [];
  }
  /** A strategy has thrown as it was told: what was to be told after that waits again. */
  resume(): void {
    this.#waiting.unshift(...this.#batch.slice(this.#told));
    this.#batch = [];
  }

  /** Tells what was held, in the order in which it happened. That an outcome was unknown is no news where it is known by now. */
  deliverHeld(...to: Parameters<CallbackQueue['deliver']>): void {
    const held = this.#held ?? [];
    this.#held = null;
    const newest = new Map(held.flatMap((batch) => batch.flatMap((each) => (each.order === null ? [] : [[each.order.id, each] as const]))));
    const isNews = (each: Waiting): boolean => each.order?.lifecycle !== 'unknown' || newest.get(each.order.id) === each;
    const batches = held.map((batch) => batch.filter(isNews));
    try {
      for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
        this.#waiting.push(...batch);
        this.deliver(...to);
      }
    } finally {
      // One strategy has thrown: the others are still to hear the rest.
      this.#waiting.push(...batches.flat());
    }
  }

  /**
   * Calls the callbacks; `before` learns whose turn it is, `refuse` what one has returned. What callbacks cause is delivered as well.
   */
  deliver(before: (run: StrategyRun) => void, refuse: (run: StrategyRun, returned: unknown, what: string) => void): void {
    if (this.#held !== null) {
      if (this.#waiting.length > 0) this.#held.push(this.#waiting.splice(0));
      return;
    }
    for (let round = 0; this.#waiting.length > 0; round++) {
      const batch = this.#waiting.toSorted(byTime);
      this.#waiting = [];
      this.#batch = batch;
      for (let at = 0; at < batch.length; at++) {
        const { run, act, fill, order } = batch[at]!;
        this.#told = at + 1;
        act?.();
        if (run === null || !run.started) continue;
        if (round > MAX_ROUNDS)
          throw new StrategyError(
            `${run.name}: its callbacks answer each other without end`,
            'do not send an order for every order change',
          );
        before(run);
        const returned: unknown = fill !== null ? run.instance!.onFill?.(fill) : run.instance!.onOrder?.(order!);
        if (returned !== undefined) refuse(run, returned, fill !== null ? 'onFill' : 'onOrder');
      }
      this.#batch = [];
    }
  }
}

function byTime(a: Waiting, b: Waiting): number {
  for (let at = 0; at < 3; at++) if (a.key[at] !== b.key[at]) return a.key[at]! < b.key[at]! ? -1 : 1;
  return 0;
}
