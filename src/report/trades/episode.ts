// Builds trades from the episodes of one strategy and instrument: costs, prices, times and running profit of each.

import { mulDiv, pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ClosedTrade } from './columns.ts';
import type { BarPath } from './excursions.ts';
import { Episodes, share, type Move } from './episodes.ts';
import { dustBelow, flowOf, holdingChangeOf, type Traded, valuationOf, type Valuation } from './valuation.ts';

/** A fill, or one part of a fill that crosses zero. */
interface FillPart extends Move {
  readonly notionalUnits: number;
  readonly lots: number;
  /** In quote units. For a liquidation the fee is in `liquidationUnits`, and this is 0. */
  readonly feeUnits: number;
  readonly liquidationUnits: number;
  readonly slippageUnits: number;
  readonly fill: FillAt;
}

/** A whole fill. One object is reused for all fills of a book. Hot: docs/performance.md#double-fields. */
class WholeFill implements FillPart {
  flow = 0.5;
  base = 0.5;
  notionalUnits = 0.5;
  lots = 0.5;
  feeUnits = 0.5;
  liquidationUnits = 0.5;
  slippageUnits = 0.5;
  fill: FillAt;
  constructor(fill: FillAt) {
    this.fill = fill;
  }
}

/** The terms of a fill as a book takes it. Prices in ticks, money in units. */
export interface FillAt {
  readonly row: number;
  readonly timeMs: number;
  readonly ticks: number;
  readonly notionalUnits: number;
  readonly lots: number;
  readonly feeUnits: number;
  readonly feeInBase: boolean;
  readonly isBuy: boolean;
  readonly isLiquidation: boolean;
  /** Effect of spread, slippage and latency on the net result (below 0 a cost). */
  readonly slippage: number;
  /** The bar row in which the fill happened. -1 when no path was recorded. */
  readonly bar: number;
}

/** Takes finished trades. */
interface ClosedTradeSink {
  push(trade: ClosedTrade): void;
}

/** Returns new totals of nothing traded yet. */
const noneTraded = (): Traded => ({ notionalUnits: 0, lots: 0, ticks: 0 });

/** The position that a book is about. */
export interface EpisodeOwner {
  /** Index of the strategy. */
  readonly strategy: number;
  /** Index of the instrument in the run. */
  readonly index: number;
  readonly instrument: Instrument;
  /** The bars that the position passes through. Null when there are no bars. */
  readonly path: BarPath | null;
}

/** The episodes of one position, with all values of the trade table. */
export class EpisodeBook extends Episodes<FillPart> {
  /** Time of the first fill of the episode (ms UTC). */
  entryMs = 0;

  readonly #strategy: number;
  readonly #index: number;
  readonly #isContract: boolean;
  readonly #valuation: Valuation;
  readonly #path: BarPath | null;
  readonly #closed: ClosedTradeSink;
  /** The reused fill. */
  #whole: WholeFill | null = null;
  #firstFill = 0;
  #lastFill = 0;
  #exitMs = 0;
  #fills = 0;
  #fees = 0;
  #slippage = 0;
  #funding = 0;
  #liquidation = 0;
  #liquidations = 0;
  /** Row of the last liquidation fill. A liquidation that reverses the position counts only for the trade that it ends. */
  #liquidationFill = -1;
  readonly #entry: Traded = noneTraded();
  readonly #exit: Traded = noneTraded();
  readonly #unitsPerCoin: number;
  readonly #unitsPerMoney: number;
  readonly #ticksPerPrice: number;
  /** Lowest and highest running profit of the episode, in units. */
  #worst = 0;
  #best = 0;

  /** Finished episodes are added to `closed`. */
  constructor({ strategy, index, instrument, path }: EpisodeOwner, closed: ClosedTradeSink) {
    const valuation = valuationOf(instrument);
    super(dustBelow(instrument, valuation));
    this.#strategy = strategy;
    this.#index = index;
    this.#isContract = instrument.contract !== undefined;
    this.#valuation = valuation;
    this.#path = path;
    this.#unitsPerCoin = pow10(instrument.baseDigits);
    this.#unitsPerMoney = pow10(instrument.quoteDigits);
    this.#ticksPerPrice = pow10(instrument.priceDigits);
    this.#closed = closed;
  }

  /** Books a fill. */
  book(fill: FillAt): void {
    this.take(this.#wholePartOf(fill));
    this.#path?.moveTo(fill.bar);
  }

  /**
   * Books money without a fill in the open episode: funding, or the part of a liquidation loss that others paid. An amount below 0 was
   * paid.
   */
  pay(units: number, isFunding: boolean, timeMs: number): void {
    if (!isFunding && this.#path !== null && this.base !== 0) {
      // The payment belongs to the bar of the liquidation. Earlier prices are followed first, because it does not apply to them.
      const bar = this.#path.barClosingAt(timeMs);
      this.#updateAlong(this.#path.between(bar));
      this.#path.moveTo(bar);
    }
    this.flow += units;
    if (isFunding) this.#funding += units;
    else this.#liquidation += units;
  }

  /** Average entry price of the episode, in the quote asset. */
  get entryPrice(): number {
    return this.#valuation.price(this.#entry);
  }

  /** Returns a fill as one part of an episode, in units. The same object is returned each time. */
  #wholePartOf(fill: FillAt): FillPart {
    const { notionalUnits, lots, feeUnits: chargedUnits, feeInBase, ticks, isLiquidation, slippage } = fill;
    const feeUnits = feeInBase ? this.#valuation.holdingValue(chargedUnits, ticks) : chargedUnits;
    const whole = (this.#whole ??= new WholeFill(fill));
    whole.flow = flowOf(this.#valuation, fill);
    whole.base = holdingChangeOf(this.#valuation, fill);
    whole.notionalUnits = notionalUnits;
    whole.lots = lots;
    whole.feeUnits = isLiquidation ? 0 : feeUnits;
    whole.liquidationUnits = isLiquidation ? -feeUnits : 0;
    whole.slippageUnits = slippage;
    whole.fill = fill;
    return whole;
  }

  protected override onBegin({ fill }: FillPart): void {
    this.entryMs = fill.timeMs;
    this.#firstFill = fill.row;
    this.#fills = 0;
    this.#fees = this.#slippage = this.#funding = this.#liquidation = this.#liquidations = 0;
    this.#entry.notionalUnits = this.#entry.lots = this.#entry.ticks = 0;
    this.#exit.notionalUnits = this.#exit.lots = this.#exit.ticks = 0;
    this.#worst = 0;
    this.#best = 0;
  }

  protected override onContinue({ fill }: FillPart): void {
    if (this.#path !== null) this.#updateAlong(this.#path.between(fill.bar));
  }

  protected override onAdd(part: FillPart, isEntry: boolean): void {
    const traded = isEntry ? this.#entry : this.#exit;
    traded.ticks = this.#valuation.averageTicks(traded.lots, traded.ticks, part.lots, part.fill.ticks);
    traded.notionalUnits += part.notionalUnits;
    traded.lots += part.lots;
    this.#fees += part.feeUnits;
    this.#slippage += part.slippageUnits;
    this.#liquidation += part.liquidationUnits;
    if (part.fill.isLiquidation && part.fill.row !== this.#liquidationFill) {
      this.#liquidations++;
      this.#liquidationFill = part.fill.row;
    }
    this.#fills++;
    this.#lastFill = part.fill.row;
    this.#exitMs = part.fill.timeMs;
    this.#updateExtremes(part.fill.ticks / this.#ticksPerPrice);
  }

  protected override onFinish(pnlUnits: number): void {
    const hasPath = this.#path !== null;
    this.#closed.push({
      strategy: this.#strategy,
      instrument: this.#index,
      side: this.side === -1 ? -1 : 1,
      firstFill: this.#firstFill,
      lastFill: this.#lastFill,
      entryMs: this.entryMs,
      exitMs: this.#exitMs,
      entryPrice: this.#valuation.price(this.#entry),
      // Coins taken as a fee are valued at the price of their fill.
      exitPrice: this.#valuation.price(this.#exit.lots > 0 ? this.#exit : this.#entry),
      lots: this.#entry.lots,
      entryUnits: this.#entry.notionalUnits,
      exitUnits: this.#exit.notionalUnits,
      pnlUnits,
      feeUnits: this.#fees,
      slippageUnits: this.#slippage,
      fundingUnits: this.#funding,
      liquidationUnits: this.#liquidation,
      liquidations: this.#liquidations,
      maeUnits: hasPath ? Math.min(this.#worst, pnlUnits) : NaN,
      mfeUnits: hasPath ? Math.max(this.#best, pnlUnits) : NaN,
      fills: this.#fills,
    });
  }

  /** Splits a fill that crosses zero: `quantity` of its `whole` units end the position, the remainder opens the next one. */
  protected override split(part: FillPart, quantity: number, whole: number): readonly [ending: FillPart, opening: FillPart] {
    const shareOf = (units: number) => share(units, quantity, whole);
    const lots = mulDiv(part.lots, quantity, whole, 'halfUp');
    const ending = {
      flow: shareOf(part.flow),
      base: (part.base < 0 ? -1 : 1) * quantity,
      notionalUnits: shareOf(part.notionalUnits),
      lots,
      feeUnits: shareOf(part.feeUnits),
      liquidationUnits: shareOf(part.liquidationUnits),
      slippageUnits: shareOf(part.slippageUnits),
      fill: part.fill,
    };
    const opening = {
      flow: part.flow - ending.flow,
      base: part.base - ending.base,
      notionalUnits: part.notionalUnits - ending.notionalUnits,
      lots: part.lots - lots,
      feeUnits: part.feeUnits - ending.feeUnits,
      liquidationUnits: part.liquidationUnits - ending.liquidationUnits,
      slippageUnits: part.slippageUnits - ending.slippageUnits,
      fill: part.fill,
    };
    return [ending, opening];
  }

  /** Updates the running profit with a price (quote per base). */
  #updateExtremes(price: number): void {
    const value = this.#isContract
      ? this.#valuation.holdingValue(this.base, Math.round(price * this.#ticksPerPrice))
      : (this.base / this.#unitsPerCoin) * price * this.#unitsPerMoney;
    const profit = Math.round(this.flow + value);
    if (profit < this.#worst) this.#worst = profit;
    if (profit > this.#best) this.#best = profit;
  }

  /** Updates the running profit with the prices since the last fill. 0 means absent. */
  #updateAlong(extremes: { readonly high: number; readonly low: number; readonly close: number }): void {
    if (extremes.close > 0) this.#updateExtremes(extremes.close);
    if (extremes.high > 0) {
      this.#updateExtremes(extremes.high);
      this.#updateExtremes(extremes.low);
    }
  }
}
