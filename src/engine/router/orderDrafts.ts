// Writes the orders of a strategy: converts its sizes, prices and triggers from decimals to whole numbers. `StrategyRun` calls it for `buy`,
// `sell`, `target` and `amend`.

import type { Lots, Ticks, Units } from '../../base/brand.ts';
import { StrategyError } from '../../base/errors.ts';
import * as numbers from '../../base/number/exact.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { WaitingDraft } from '../../orders/drafts.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { bothTargetsError, readTargets, writeLadder } from '../trailing/targetsOption.ts';
import { writeTrail } from '../trailing/trailOption.ts';
import { writeStopEntry } from '../entries/stopEntryOption.ts';
import { isNegative, negate } from '../../strategy/amounts.ts';
import { isInCoins } from '../../strategy/sizes.ts';
import type { Amendment, Amount, OrderOptions, Size } from '../../strategy/types.ts';
import type { OrderId } from '../../model/order.ts';
import type { DecisionLog } from '../book/decisionLog.ts';
import { inQuote } from '../book/moneyIn.ts';
import { amendOrder, type Amender, type AmendHost } from './amend.ts';
import type { ClearedSide, StrategyOrders } from '../host/strategyOrders.ts';
import { clearOldSide, heldAndOrdered, reversalOf, type ReversalHost } from './reversal.ts';
import { maxAtMarket, Sizing } from './sizing.ts';
import { checkSize, optionsError, sizeError, type SizedCall } from './checkSize.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

// hot: docs/performance.md#imported-constants
const { mulDiv } = numbers;

const MILLION = 1_000_000;
const UNSCALED_SIZING = new Sizing();
/** Valid option keys of an order. A misspelled stop would otherwise be ignored and leave the position unprotected. */
const ORDER_OPTIONS: Readonly<Record<string, true>> = {
  feed: true,
  limit: true,
  takeProfit: true,
  targets: true,
  stopLoss: true,
  trailing: true,
  trigger: true,
  stopEntry: true,
  reduceOnly: true,
  timeInForce: true,
  tag: true,
} satisfies Record<keyof OrderOptions, true>;

/** What `OrderDrafts` needs of the engine. */
export interface SizeHost extends ReversalHost, AmendHost {
  readonly instruments: readonly Instrument[];
  readonly sizing: Sizing;
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly nowMs: number;
  readonly defaultSize: Size;
  readonly collarPpm: number;
  lastTicks(instrumentIndex: number): number;
  equityUnits(strategyIndex: number): number;
}

/** Drafts the orders of one strategy. */
export class OrderDrafts implements StrategyOrders {
  private readonly engine: SizeHost;
  private readonly strategy: number;
  private readonly name: string;
  /** The size that was checked last, because sizes are mostly constants. The first value is an object that no strategy can pass. */
  private lastSize: Size = { base: 0 };
  /** By instrument: the lots of the run's default size if that is a quantity, which does not depend on a price; NaN until first used. */
  private readonly defaultLots: number[];
  private readonly amender: Amender & { decisions: DecisionLog | null };

  constructor(engine: SizeHost, strategyIndex: number, name: string) {
    this.engine = engine;
    this.strategy = strategyIndex;
    this.name = name;
    this.defaultLots = engine.instruments.map(() => NAN);
    this.amender = {
      strategy: strategyIndex,
      name,
      decisions: null,
      writeClosing: (order, size, lots) => this.writeClosing(order, size, lots),
    };
  }

  /** Writes the order intent. An invalid number makes the whole order invalid, and risk denies it. */
  write(order: BotOrder, isBuy: boolean, size: Size | undefined, options: OrderOptions | undefined): void {
    if (options !== undefined) this.applyOptions(order, options, isBuy);
    if (size !== undefined) this.checkSize(size, isBuy ? 'buy' : 'sell');
    const isLimit = options?.limit !== undefined;
    order.role = isLimit ? 'limit' : 'market';
    if (options?.stopEntry !== undefined) writeStopEntry(order, options, this.engine.lastTicks(order.instrumentIndex), this.name);
    else if (options?.trigger !== undefined) this.applyTrigger(order, options, options.trigger, isBuy);
    // NaN compares as false. A limit of 0 is invalid too.
    const hasValidPrices =
      options === undefined ||
      ((!isLimit || order.limit > 0) && order.takeProfit >= 0 && order.stopLoss >= 0 && order.trailing >= 0 && order.triggerTicks >= 0);
    order.slot = options?.tag ?? order.side;
    if (size === undefined && order.triggerTicks > 0 && order.reduceOnly) this.setSize(order, this.closableLots(order));
    else if (size === undefined && this.engine.defaultSize.base !== undefined) this.writeDefaultSize(order);
    else this.writeSize(order, size ?? this.engine.defaultSize);
    // A price is NaN for example while an indicator is not ready.
    if (!hasValidPrices) order.lots = NAN as Lots;
  }

  /** Checks the keys of a size when the object changes, and its number of units each time. */
  private checkSize(size: Size, call: SizedCall): void {
    if (size !== this.lastSize) checkSize(this.name, call, size, ORDER_OPTIONS);
    this.lastSize = size;
    const unitCount = unitCountOf(size);
    if (unitCount !== 1) throw unitCount === 0 ? sizeError(this.name, call, size) : this.severalUnitsError(size);
  }

  /** Writes the options of an order into it. Throws StrategyError for an unknown or invalid option. */
  private applyOptions(order: BotOrder, options: OrderOptions, isBuy: boolean): void {
    if (options === null) throw optionsError(this.name, isBuy ? 'buy' : 'sell', options);
    for (const key in options) if (ORDER_OPTIONS[key] !== true) throw this.unknownOptionError(key);
    if (options.tag !== undefined && typeof options.tag !== 'string') throw this.tagError(options.tag);
    const { sizing } = this.engine;
    const { instrument } = order;
    if (options.limit !== undefined) order.limit = sizing.ticks(instrument, options.limit, isBuy) as Ticks;
    // Legs have the opposite side: those of a long are sells, so their prices are rounded up.
    if (options.takeProfit !== undefined) order.takeProfit = sizing.ticks(instrument, options.takeProfit, !isBuy) as Ticks;
    if (options.targets !== undefined) this.writeTargets(order, options, options.targets);
    if (options.stopLoss !== undefined) order.stopLoss = sizing.ticks(instrument, options.stopLoss, !isBuy) as Ticks;
    if (options.trailing !== undefined) writeTrail(order, options.trailing, this.name);
    order.isGuarded = order.takeProfit > 0 || order.stopLoss > 0 || order.trailing > 0;
    if (options.reduceOnly !== undefined) order.reduceOnly = options.reduceOnly;
    if (options.timeInForce !== undefined) order.timeInForce = options.timeInForce;
  }

  private writeTargets(order: BotOrder, options: OrderOptions, targets: NonNullable<OrderOptions['targets']>): void {
    if (options.takeProfit !== undefined) throw bothTargetsError(this.name, 'an order', 'takeProfit');
    writeLadder(order, readTargets(order, targets, this.name));
  }

  /**
   * Writes the trigger. A trigger order on the opposite side of a position is reduce-only unless the strategy says otherwise. A price that
   * is not a number makes the trigger NaN.
   */
  private applyTrigger(order: BotOrder, options: OrderOptions, trigger: Amount, isBuy: boolean): void {
    if (options.limit !== undefined || options.timeInForce !== undefined) {
      throw new StrategyError(
        `${this.name}: an order with a trigger and a ${options.limit === undefined ? 'time in force' : 'limit'}`,
        'remove it: a trigger order becomes a market order once its price is reached',
      );
    }
    const { sizing } = this.engine;
    const triggerTicks = sizing.ticks(order.instrument, trigger, isBuy);
    order.triggerTicks = (triggerTicks > 0 ? triggerTicks : NAN) as Ticks;
    order.triggersAbove = triggerTicks > this.engine.lastTicks(order.instrumentIndex);
    order.reduceOnly = options.reduceOnly ?? this.closableLots(order) > 0;
    order.role = order.reduceOnly && order.triggersAbove === isBuy ? 'stopLoss' : 'condition';
  }
  /** Returns the lots that an order of this side can close. */
  private closableLots({ instrumentIndex, side }: BotOrder): number {
    return this.engine.ledger.closable(this.strategy, instrumentIndex, side === 'buy', true);
  }

  /** Writes a size into an order. A spot market buy keeps an amount of money, and any other order is counted in lots. */
  private writeSize(order: BotOrder, size: Size): void {
    const { instrument, limit } = order;
    const isSpot = instrument.contract === undefined;
    if (isSpot && order.side === 'buy' && limit === 0 && size.base === undefined)
      order.quoteUnits = this.moneyOf(size, instrument) as Units;
    else {
      const atTicks = limit > 0 ? limit : order.triggerTicks;
      const lots = this.lotsOf(size, instrument, order.instrumentIndex, atTicks);
      this.setSize(order, this.engine.sizing.scale === 1 ? lots : this.scaledExitLots(order, size, atTicks, lots));
    }
  }

  /**
   * Returns the lots of an order whose size was scaled to `lots`. The position is scaled already. So a closing order of the whole position
   * stays one of the whole position, and never becomes larger than the position.
   */
  private scaledExitLots(order: BotOrder, size: Size, atTicks: number, lots: number): number {
    const isOpening = order.instrument.contract === undefined ? order.side === 'buy' : !order.reduceOnly;
    if (isOpening) return lots;
    const unscaledLots = this.lotsOf(size, order.instrument, order.instrumentIndex, atTicks, UNSCALED_SIZING);
    const closableLots = this.closableLots(order);
    return unscaledLots === closableLots ? closableLots : Math.min(lots, Math.max(unscaledLots, closableLots));
  }

  /** Writes the default size of the run, in lots. It is computed once for each instrument. */
  private writeDefaultSize(order: BotOrder): void {
    const { instrumentIndex } = order;
    const { defaultLots } = this;
    if (defaultLots[instrumentIndex] !== defaultLots[instrumentIndex])
      defaultLots[instrumentIndex] = this.lotsOf(this.engine.defaultSize, order.instrument, instrumentIndex, 0);
    // hot: docs/performance.md#out-parameters
    this.setSize(order, defaultLots[instrumentIndex]!);
  }

  /** Returns a target size as the lots to hold, negative for short. Only here may a size be negative, and only on futures. */
  targetLots(size: Size, instrument: Instrument, instrumentIndex: number): number {
    this.checkSize(size, 'target');
    if (instrument.contract !== undefined) {
      const { base, quote, equity } = size;
      if (base !== undefined && isNegative(base)) return -this.lotsOf({ base: negate(base) }, instrument, instrumentIndex, 0);
      if (quote !== undefined && isNegative(quote)) return -this.lotsOf({ quote: negate(quote) }, instrument, instrumentIndex, 0);
      if (equity !== undefined && isNegative(equity)) return -this.lotsOf({ equity: negate(equity) }, instrument, instrumentIndex, 0);
    }
    return this.lotsOf(size, instrument, instrumentIndex, 0);
  }

  /** Returns a size as lots, at a price of `atTicks`; 0 means the last price. */
  private lotsOf(size: Size, instrument: Instrument, instrumentIndex: number, atTicks: number, sizing = this.engine.sizing): number {
    if (size.base === undefined) {
      const priceTicks = atTicks > 0 ? atTicks : this.engine.lastTicks(instrumentIndex);
      return this.engine.ledger.lotsFor(instrumentIndex, this.moneyOf(size, instrument, sizing), priceTicks);
    }
    const isByRisk = isInCoins(size);
    if (isByRisk && instrument.contract?.kind === 'inverse') throw this.inverseError(instrument);
    const lots = isByRisk ? sizing.lotsOfCoins(instrument, size.base) : sizing.lots(instrument, size.base);
    if (lots < 0) throw this.negativeSizeError(size.base, 'base');
    return lots;
  }

  /** Returns a size as money, in units: the amount itself, or a fraction of this strategy's equity. */
  private moneyOf(size: Size, instrument: Instrument, sizing = this.engine.sizing): number {
    const amount = size.quote ?? size.equity!;
    if (Number(amount) < 0) throw this.negativeSizeError(amount, size.quote !== undefined ? 'quote' : 'equity');
    return size.quote !== undefined
      ? sizing.quoteUnits(instrument, amount)
      : inQuote(this.engine, sizing.ofEquity(this.engine.equityUnits(this.strategy), amount), instrument);
  }

  /**
   * Sets the lots, and turns three kinds of market order into limits at the collar. First, a spot buy by base quantity, because the
   * exchange accepts market buys by amount only. Second, a futures order that opens a position, because services differ in what the volume
   * of a market order means. Third, a closing order above the largest market order, which the exchange would refuse.
   */
  setSize(order: BotOrder, lots: number): void {
    order.lots = lots as Lots;
    if (order.limit > 0) return;
    const isBuy = order.sign > 0;
    const isSpot = order.instrument.contract === undefined;
    if (isSpot ? !isBuy : order.reduceOnly && lots <= maxAtMarket(order.instrument)) return;
    const { collarPpm } = this.engine;
    const basisTicks = order.triggerTicks > 0 ? order.triggerTicks : this.engine.lastTicks(order.instrumentIndex);
    order.limit = (
      isBuy ? mulDiv(basisTicks, MILLION + collarPpm, MILLION, 'down') : mulDiv(basisTicks, MILLION - collarPpm, MILLION, 'up')
    ) as Ticks;
    if (!isSpot && order.triggerTicks === 0) order.timeInForce = 'IOC';
  }

  heldAndOrdered(instrumentIndex: number): number {
    return heldAndOrdered(this.engine, this.strategy, instrumentIndex);
  }
  reversal(instrumentIndex: number): WaitingDraft | undefined {
    return reversalOf(this.engine, this.strategy, instrumentIndex);
  }
  clearOldSide(order: BotOrder, missingLots: number): ClearedSide {
    return clearOldSide(this.engine, order, missingLots);
  }

  amend(id: OrderId, change: Amendment, decisions: DecisionLog | null): OrderId | null {
    this.amender.decisions = decisions;
    return amendOrder(this.engine, this.amender, id, change);
  }
  private writeClosing(order: BotOrder, size: Amount | undefined, lots: number): void {
    if (size === undefined) this.setSize(order, lots);
    else this.writeSize(order, { base: size });
  }

  private tagError(tag: unknown): StrategyError {
    return new StrategyError(
      `${this.name}: an order whose tag is a ${typeof tag} instead of a text`,
      "write it in quotes, such as { tag: 'dip' }",
    );
  }

  private unknownOptionError(key: string): StrategyError {
    const nearestKey = nearestName(key, Object.keys(ORDER_OPTIONS));
    return new StrategyError(
      `${this.name}: an order with the option ${key}, which does not exist`,
      nearestKey === null ? `the options are ${Object.keys(ORDER_OPTIONS).join(', ')}` : `did you mean ${nearestKey}?`,
    );
  }

  private severalUnitsError(size: Size): StrategyError {
    return new StrategyError(
      `${this.name}: an order whose size has several units: ${Object.keys(size).join(', ')}`,
      'give one of base, quote and equity',
    );
  }

  private inverseError({ wireName }: Instrument): StrategyError {
    return new StrategyError(
      `${this.name}: sizeByRisk for ${wireName}, an inverse contract, whose profit is in its coin`,
      "give a size such as { equity: '0.5' }, or { base: '10' } for contracts",
    );
  }

  private negativeSizeError(amount: Amount, unit: string): StrategyError {
    return new StrategyError(
      `${this.name}: an order of a negative size, ${String(amount)} ${unit}`,
      'give a size above zero: buy and sell give the direction',
    );
  }
}

/** Returns how many units a size names. */
const unitCountOf = ({ base, quote, equity }: Size): number =>
  (base === undefined ? 0 : 1) + (quote === undefined ? 0 : 1) + (equity === undefined ? 0 : 1);
