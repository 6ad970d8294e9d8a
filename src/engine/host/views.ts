// The objects in which a strategy sees its orders, fills and positions, and a placeholder for a missing default feed.

import type { TimeMs } from '../../base/brand.ts';
import type { Decimal } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import { allowOnlyMembers } from '../../base/number/onlyMembers.ts';
import { decimalOf } from '../../base/number/scaledDecimal.ts';
import type { Series } from '../../indicators/graph/series.ts';
import type { Fill } from '../../model/fill.ts';
import type { Lifecycle, OrderId, Side } from '../../model/order.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { Amendment, Feed, FillInfo, OrderInfo, Position } from '../../strategy/types.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** What a position view reads from. */
export interface PositionHost {
  readonly ledger: Ledger;
  readonly instruments: readonly Instrument[];
  readonly nowMs: number;
  /** The prices by which holdings are marked, in ticks by instrument; NaN before a first bar. */
  marks(): ArrayLike<number>;
}

/** Receives the changes of an order: the run of its strategy, or a wrapper that records its calls. */
export interface OrderOwner {
  amend(id: OrderId, change: Amendment): OrderId | null;
}

/** A copy of an order that a strategy may keep. Each read of a quantity creates a decimal. */
export class OrderView implements OrderInfo {
  readonly id: OrderId;
  readonly side: Side;
  readonly lifecycle: Lifecycle;
  readonly tag: string;
  readonly limit: number;
  readonly trigger: number;
  readonly entry: OrderId | null;
  readonly code: string | null;
  readonly #lots: number;
  readonly #filledLots: number;
  readonly #digits: number;
  readonly #owner: OrderOwner;

  constructor(order: BotOrder, owner: OrderOwner) {
    this.#owner = owner;
    const { instrument, limit, triggerTicks } = order;
    this.id = order.id;
    this.side = order.side;
    this.lifecycle = order.lifecycle;
    this.tag = order.slot;
    this.limit = isCollar(order) || limit === 0 ? NAN : limit / pow10(instrument.priceDigits);
    this.trigger = triggerTicks === 0 ? NAN : triggerTicks / pow10(instrument.priceDigits);
    this.entry = order.parent === 0 ? null : order.parent;
    this.code = order.code;
    // An order by amount has no lots, so its quantity is its filled quantity.
    this.#lots = order.lots === 0 ? order.filledLots : order.lots;
    this.#filledLots = order.filledLots;
    this.#digits = instrument.quantityDigits;
  }
  get qty(): Decimal {
    return decimalOf(this.#lots, this.#digits);
  }
  get filled(): Decimal {
    return decimalOf(this.#filledLots, this.#digits);
  }
  amend(change: Amendment): OrderId | null {
    return this.#owner.amend(this.id, change);
  }
  toJSON(): Omit<OrderInfo, 'amend'> {
    const { id, side, qty, filled, lifecycle, tag, limit, trigger, entry, code } = this;
    return { id, side, qty, filled, lifecycle, tag, limit, trigger, entry, code };
  }
}

/** True when the limit is the engine's own collar: a market order by quantity, or the order that a trigger order places. */
const isCollar = ({ role, triggerTicks }: BotOrder): boolean => role === 'market' || (role !== 'limit' && triggerTicks > 0);

/** A fill of an order. Each read of an amount creates a decimal. */
export class FillView implements FillInfo {
  readonly orderId: OrderId;
  readonly side: Side;
  readonly price: number;
  readonly feeAsset: string;
  readonly timeMs: TimeMs;
  readonly #lots: number;
  readonly #lotDigits: number;
  readonly #feeUnits: number;
  readonly #feeDigits: number;

  constructor({ id, side, instrument }: BotOrder, { price, lots, fee, feeInBase, timeMs }: Fill) {
    this.orderId = id;
    this.side = side;
    this.price = price / pow10(instrument.priceDigits);
    this.feeAsset = feeInBase ? instrument.base : instrument.quote;
    this.timeMs = timeMs as TimeMs;
    this.#lots = lots;
    this.#lotDigits = instrument.quantityDigits;
    this.#feeUnits = fee;
    this.#feeDigits = feeInBase ? instrument.baseDigits : instrument.quoteDigits;
  }
  get qty(): Decimal {
    return decimalOf(this.#lots, this.#lotDigits);
  }
  get fee(): Decimal {
    return decimalOf(this.#feeUnits, this.#feeDigits);
  }
  toJSON(): FillInfo {
    const { orderId, side, price, qty, fee, feeAsset, timeMs } = this;
    return { orderId, side, price, qty, fee, feeAsset, timeMs };
  }
}

/** The position of one strategy in one instrument. Each read returns the current state, so a strategy may keep the object. */
export class StrategyPosition implements Position {
  readonly #engine: PositionHost;
  readonly #strategy: number;
  readonly #instrumentIndex: number;
  /** The decimal of the last read quantity, and the quantity in units of the ledger. */
  #qty: Decimal | null = null;
  #qtyUnits = NAN;

  constructor(engine: PositionHost, strategyIndex: number, instrumentIndex: number) {
    this.#engine = engine;
    this.#strategy = strategyIndex;
    this.#instrumentIndex = instrumentIndex;
  }
  get qty(): Decimal {
    const { ledger } = this.#engine;
    const quantity = ledger.qty(this.#strategy, this.#instrumentIndex);
    if (this.#qty === null || quantity !== this.#qtyUnits) {
      this.#qty = decimalOf(quantity, ledger.qtyDigits(this.#instrumentIndex));
      this.#qtyUnits = quantity;
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
    return this.#engine.ledger.entryPrice(this.#strategy, this.#instrumentIndex);
  }
  get isFlat(): boolean {
    return this.#engine.ledger.isFlat(this.#strategy, this.#instrumentIndex);
  }
  get isLong(): boolean {
    return !this.isFlat && this.#engine.ledger.qty(this.#strategy, this.#instrumentIndex) > 0;
  }
  get isShort(): boolean {
    return !this.isFlat && this.#engine.ledger.qty(this.#strategy, this.#instrumentIndex) < 0;
  }
  get openedMs(): number {
    return this.#engine.ledger.openedMs(this.#strategy, this.#instrumentIndex);
  }
  get ageMs(): number {
    return this.#engine.nowMs - this.openedMs;
  }
  get unrealisedProfit(): Decimal {
    const { quoteDigits, contract } = this.#engine.instruments[this.#instrumentIndex]!;
    const { ledger } = this.#engine;
    // Without a position the marks are not read: reading them marks all instruments.
    const units = this.isFlat ? 0 : ledger.profitUnits(this.#strategy, this.#instrumentIndex, this.#engine.marks()[this.#instrumentIndex]!);
    return decimalOf(units, contract === undefined ? quoteDigits : contract.marginDigits);
  }

  /** Returns the quantity of the long or the short side; never negative. */
  #side(isLong: boolean): Decimal {
    const { ledger, instruments } = this.#engine;
    const digits = ledger.qtyDigits(this.#instrumentIndex);
    const isSpot = instruments[this.#instrumentIndex]!.contract === undefined;
    if (isSpot) return decimalOf(isLong ? ledger.qty(this.#strategy, this.#instrumentIndex) : 0, digits);
    // A closing buy takes from the short side.
    return decimalOf(ledger.closable(this.#strategy, this.#instrumentIndex, !isLong, true), digits);
  }
}

allowOnlyMembers(OrderView.prototype, 'the order', ['id', 'side', 'lifecycle', 'tag', 'limit', 'trigger', 'entry', 'code']);
allowOnlyMembers(FillView.prototype, 'the fill', ['orderId', 'side', 'price', 'feeAsset', 'timeMs']);
allowOnlyMembers(StrategyPosition.prototype, 'the position');

/** True for a series of an indicator or of a bar column. */
export const isSeries = (value: unknown): value is Series =>
  typeof value === 'object' && value !== null && 'ago' in value && 'prev' in value;

/** Returns the value of `this.bars` in a run without a default feed: each read throws an error that says how to fix it. */
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
