// Records the fills that strategies are notified of. A subclass of the author's class records each fill before the strategy gets it.

import type { Strategy, StrategyClass } from '../../strategy/strategy.ts';
import type { FillInfo } from '../../strategy/types.ts';

/** The fills that the strategies of one process were notified of, by order. After a restart, strategies get all fills again. */
export class ReportedFills {
  readonly #texts = new Map<number, string[]>();
  count = 0;

  note({ orderId, side, qty, price, fee, feeAsset }: FillInfo): void {
    this.count++;
    const text = `${side} ${qty.toFixed()} at ${price} fee ${fee.toFixed()} ${feeAsset}`;
    const known = this.#texts.get(orderId);
    if (known) known.push(text);
    else this.#texts.set(orderId, [text]);
  }
  of(order: number): readonly string[] {
    return this.#texts.get(order) ?? [];
  }
  entries(): Iterable<readonly [number, readonly string[]]> {
    return this.#texts;
  }
}

/** Returns a subclass of the author's class whose `onFill` records each fill, and then calls the author's `onFill`. */
export function listening(strategy: StrategyClass, reported: ReportedFills): StrategyClass {
  const Base = strategy as new (...args: ConstructorParameters<StrategyClass>) => Strategy;
  const Listening = class extends Base {
    constructor(...args: ConstructorParameters<StrategyClass>) {
      super(...args);
      // A field `onFill = (fill) => ...` of the author's class hides the method below, so the field is wrapped too.
      const own = Object.hasOwn(this, 'onFill') ? this.onFill?.bind(this) : undefined;
      if (typeof own !== 'function') return;
      this.onFill = (fill) => {
        reported.note(fill);
        return own.call(this, fill);
      };
    }
    override onFill(fill: FillInfo): void {
      reported.note(fill);
      return super.onFill?.(fill);
    }
  };
  // Messages and records must show the name of the author's class.
  Object.defineProperty(Listening, 'name', { value: strategy.name });
  return Listening as unknown as StrategyClass;
}
