// A strategy's view of its own affairs: copies of orders and fills, a position read from the ledger, and a stand-in for a missing feed.

import type { TimeMs } from '../../base/brand.ts';
import type { Decimal } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { Series } from '../../indicators/graph/series.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import { decimalOf } from '../../strategy/amounts.ts';
import type { Feed, FillInfo, OrderInfo, Position } from '../../strategy/types.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** What a position view reads from. */
export interface PositionHost {
  readonly ledger: Ledger;
  readonly instruments: readonly Instrument[];
}

/** Returns a copy of an order that a strategy may keep. */
export function orderInfo(order: BotOrder): OrderInfo {
  const { instrument } = order;
  const byAmount = order.lots === 0;
  return {
    id: order.id,
    side: order.side,
    qty: byAmount ? decimalOf(order.filledLots, instrument.quantityDigits) : decimalOf(order.lots, instrument.quantityDigits),
    filled: decimalOf(order.filledLots, instrument.quantityDigits),
    lifecycle: order.lifecycle,
    tag: order.slot,
    limit: isCollar(order) || order.limit === 0 ? NAN : order.limit / pow10(instrument.priceDigits),
    trigger: order.triggerTicks === 0 ? NAN : order.triggerTicks / pow10(instrument.priceDigits),
    entry: order.parent === 0 ? null : order.parent,
    code: order.code,
  };
}

/** True when the limit is the engine's own collar: a market order by quantity, or the order that a trigger order places. */
const isCollar = ({ role, triggerTicks }: BotOrder): boolean => role === 'market' || triggerTicks > 0;

export function fillInfo(order: BotOrder, fill: Fill): FillInfo {
  const { price, lots, fee, feeInBase, timeMs } = fill;
  const { instrument } = order;
  return {
    orderId: order.id,
    side: order.side,
    price: price / 10 ** instrument.priceDigits,
    qty: decimalOf(lots, instrument.quantityDigits),
    fee: decimalOf(fee, feeInBase ? instrument.baseDigits : instrument.quoteDigits),
    feeAsset: feeInBase ? instrument.base : instrument.quote,
    timeMs: timeMs as TimeMs,
  };
}

export class StrategyPosition implements Position {
  readonly #engine: PositionHost;
  readonly #strategy: number;
  readonly #at: number;
  #qty: Decimal | null = null;
  #qtyUnits = NAN;

  constructor(engine: PositionHost, strategy: number, instrumentIndex: number) {
    this.#engine = engine;
    this.#strategy = strategy;
    this.#at = instrumentIndex;
  }
  get qty(): Decimal {
    const { ledger } = this.#engine;
    const held = ledger.qty(this.#strategy, this.#at);
    if (this.#qty === null || held !== this.#qtyUnits) {
      this.#qty = decimalOf(held, ledger.qtyDigits(this.#at));
      this.#qtyUnits = held;
    }
    return this.#qty;
  }
  get long(): Decimal {
    return this.#side(true);
  }
  get short(): Decimal {
    return this.#side(false);
  }
  get entryPrice(): number {
    return this.#engine.ledger.entryPrice(this.#strategy, this.#at);
  }
  get isFlat(): boolean {
    return this.#engine.ledger.isFlat(this.#strategy, this.#at);
  }
  get isLong(): boolean {
    return !this.isFlat && this.#engine.ledger.qty(this.#strategy, this.#at) > 0;
  }
  get isShort(): boolean {
    return !this.isFlat && this.#engine.ledger.qty(this.#strategy, this.#at) < 0;
  }

  #side(isLong: boolean): Decimal {
    const { ledger, instruments } = this.#engine;
    const digits = ledger.qtyDigits(this.#at);
    if (instruments[this.#at]!.contract === undefined) return decimalOf(isLong ? ledger.qty(this.#strategy, this.#at) : 0, digits);
    // A closing buy takes from the short side.
    return decimalOf(ledger.closable(this.#strategy, this.#at, !isLong, true), digits);
  }
}

export const isSeries = (value: unknown): value is Series =>
  typeof value === 'object' && value !== null && 'ago' in value && 'prev' in value;

/** Stands in for `this.bars` in a run without a default feed: any read throws an error that says how to fix it. */
export function noDefaultFeed(strategy: string): Feed {
  return new Proxy({} as Feed, {
    get() {
      throw new ConfigError(
        `${strategy}: this.bars needs a feed called bars`,
        'add `bars` under `feeds` of the definition, or use this.feeds(name)',
      );
    },
  });
}
