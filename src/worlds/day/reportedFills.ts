// Records the fills that a bot reports to its strategies. `DayWatcher` compares them with those of the exchange.

import type { Strategy, StrategyClass } from '../../strategy/strategy.ts';
import type { FillInfo } from '../../strategy/types.ts';

/** The fills that one process has reported to its strategies, by order. After a restart, a bot reports all fills again. */
export class ReportedFills {
  /** Fills as text, oldest first, by order. */
  readonly #texts = new Map<number, string[]>();
  /** Number of fills. */
  count = 0;

  /** Adds a fill. */
  note({ orderId, side, qty, price, fee, feeAsset }: FillInfo): void {
    this.count++;
    const text = `${side} ${qty.toFixed()} at ${price} fee ${fee.toFixed()} ${feeAsset}`;
    const texts = this.#texts.get(orderId);
    if (texts) texts.push(text);
    else this.#texts.set(orderId, [text]);
  }
  /** Returns the fills of an order as texts. */
  of(orderId: number): readonly string[] {
    return this.#texts.get(orderId) ?? [];
  }
  /** Returns the orders with their fills. */
  entries(): Iterable<readonly [number, readonly string[]]> {
    return this.#texts;
  }
}

/** Returns a subclass of the user's strategy whose `onFill` records each fill before it calls that of the user. */
export function withRecordedFills(strategy: StrategyClass, reported: ReportedFills): StrategyClass {
  const Base = strategy as new (...args: ConstructorParameters<StrategyClass>) => Strategy;
  const Recording = class extends Base {
    constructor(...args: ConstructorParameters<StrategyClass>) {
      super(...args);
      // A field `onFill = (fill) => ...` of the user's class hides the method below, so the field must be replaced too.
      const fieldOnFill = Object.hasOwn(this, 'onFill') ? this.onFill?.bind(this) : undefined;
      if (typeof fieldOnFill !== 'function') return;
      this.onFill = (fill) => {
        reported.note(fill);
        return fieldOnFill.call(this, fill);
      };
    }
    override onFill(fill: FillInfo): void {
      reported.note(fill);
      return super.onFill?.(fill);
    }
  };
  // Messages and records show the name of the class, which must be that of the user's class.
  Object.defineProperty(Recording, 'name', { value: strategy.name });
  return Recording as unknown as StrategyClass;
}
