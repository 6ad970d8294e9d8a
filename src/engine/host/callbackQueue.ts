// Queue of strategy callbacks: fills and order changes wait here until everything of the instant is booked.

import { appendAll } from '../../base/memory/appendAll.ts';
import { StrategyError } from '../../base/errors.ts';
import type { FillInfo, OrderInfo } from '../../strategy/types.ts';
import type { StrategyRun } from './strategyRun.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** A callback that waits: an action of the bot, a fill or an order change. */
interface QueuedCallback {
  /** The strategy to call; null for an action of the bot itself. */
  readonly run: StrategyRun | null;
  readonly action: (() => void) | null;
  readonly fill: FillInfo | null;
  readonly order: OrderInfo | null;
  /** Sort key: fill time in ms UTC, instrument index, trade id. Order changes follow the fills, in the order in which they happened. */
  readonly key: readonly [timeMs: number, instrument: number, tradeId: number];
}

/** Limit on callback rounds. A strategy that answers every fill with an order that fills at once would never end. */
const MAX_ROUNDS = 10_000;

/** Collects events while an instant is booked, and delivers them to the strategies afterwards, round by round. */
export class CallbackQueue {
  private waiting: QueuedCallback[] = [];
  /** After a restart: the held events of each step, until the start is complete. Null: events are delivered at once. */
  private heldCallbacks: QueuedCallback[][] | null = null;

  /** The batch that is being delivered, and how many of its events are done. */
  private batch: readonly QueuedCallback[] = [];
  private deliveredCount = 0;

  /** True when no event waits. */
  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }
  /** Adds a fill for `onFill`. Time, instrument and trade id decide its place in the round. */
  addFill(run: StrategyRun, fill: FillInfo, timeMs: number, instrumentIndex: number, tradeId: number): void {
    this.waiting.push({ run, action: null, fill, order: null, key: [timeMs, instrumentIndex, tradeId] });
  }
  /** Adds an order change for `onOrder`. It comes after the fills of its round. */
  addOrder(run: StrategyRun, order: OrderInfo): void {
    this.waiting.push({ run, action: null, fill: null, order, key: [INFINITY, INFINITY, INFINITY] });
  }
  /** Adds an action that the bot takes after everything of the instant is booked and its rows are delivered, and before callbacks. */
  addAction(action: () => void): void {
    this.waiting.push({ run: null, action, fill: null, order: null, key: [-INFINITY, -INFINITY, -INFINITY] });
  }

  /** From now on, events are held back. */
  holdBack(): void {
    this.heldCallbacks ??= [];
  }
  /** Returns the undelivered events of a batch to the queue after a strategy has thrown. */
  resume(): void {
    this.waiting = [...this.batch.slice(this.deliveredCount), ...this.waiting];
    this.batch = [];
  }

  /** Delivers the held events in the order in which they happened, without unknown outcomes that have been resolved meanwhile. */
  deliverHeld(...deliverArguments: Parameters<CallbackQueue['deliver']>): void {
    const heldCallbacks = this.heldCallbacks ?? [];
    this.heldCallbacks = null;
    const newestByOrder = new Map<number, QueuedCallback>();
    for (const callback of heldCallbacks.flat()) if (callback.order !== null) newestByOrder.set(callback.order.id, callback);
    const isCurrent = (callback: QueuedCallback): boolean =>
      callback.order?.lifecycle !== 'unknown' || newestByOrder.get(callback.order.id) === callback;
    const batches = heldCallbacks.map((batch) => batch.filter(isCurrent));
    try {
      for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
        appendAll(this.waiting, batch);
        this.deliver(...deliverArguments);
      }
    } finally {
      // If one strategy has thrown, the others still get the remaining events.
      appendAll(this.waiting, batches.flat());
    }
  }

  /**
   * Calls the callbacks, and those that they cause. `enterStrategy` receives the strategy that is called next, `rejectReturn` what a callback
   * returned. `isIncluded`: true for the strategies to call; the events of others wait. Null: all are called.
   */
  deliver(
    enterStrategy: (run: StrategyRun) => void,
    rejectReturn: (run: StrategyRun, returned: unknown, callback: string) => void,
    isIncluded: ((run: StrategyRun) => boolean) | null = null,
  ): void {
    if (this.heldCallbacks !== null) {
      if (this.waiting.length > 0) this.heldCallbacks.push(this.waiting.splice(0));
      return;
    }
    for (let round = 0; this.waiting.length > 0; round++) {
      const includedCallbacks = isIncluded === null ? this.waiting : this.waiting.filter(({ run }) => run === null || isIncluded(run));
      if (includedCallbacks.length === 0) return;
      const batch = includedCallbacks.toSorted(byKey);
      this.waiting = isIncluded === null ? [] : this.waiting.filter((callback) => !includedCallbacks.includes(callback));
      this.batch = batch;
      for (let index = 0; index < batch.length; index++) {
        const { run, action, fill, order } = batch[index]!;
        this.deliveredCount = index + 1;
        action?.();
        if (run === null || !run.hasStarted) continue;
        if (round > MAX_ROUNDS)
          throw new StrategyError(`${run.name}: its callbacks cause each other without end`, 'do not send an order for every order change');
        enterStrategy(run);
        if (fill !== null && !run.oco.isEmpty) run.cancelOthers(fill.orderId);
        const returned: unknown = fill !== null ? run.instance!.onFill?.(fill) : run.instance!.onOrder?.(order!);
        if (returned !== undefined) rejectReturn(run, returned, fill !== null ? 'onFill' : 'onOrder');
      }
      this.batch = [];
    }
  }
}

/** Compares the keys of two callbacks part by part. */
function byKey({ key }: QueuedCallback, { key: otherKey }: QueuedCallback): number {
  for (let part = 0; part < key.length; part++) if (key[part] !== otherKey[part]) return key[part]! < otherKey[part]! ? -1 : 1;
  return 0;
}
