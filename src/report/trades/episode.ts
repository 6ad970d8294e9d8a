// The book of one strategy and instrument: it groups fills into flat-to-flat episodes, exactly, and follows their running profit.

import { mulDiv, pow10 } from '../../base/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ClosedTrade } from './columns.ts';
import type { BarPath } from './excursions.ts';
import { valuationOf, type Valuation } from './valuation.ts';

/** One fill, or its part on one side of zero. Flow is what it does to money, fee included (see valuation.ts); base what it does to the holding. */
interface Part {
  readonly flow: number;
  readonly base: number;
  readonly notional: number;
  readonly lots: number;
  /** In quote units; of a liquidation 0 here, and its fee there. */
  readonly fee: number;
  readonly liquidation: number;
  readonly slippage: number;
}

export interface FillAt {
  readonly row: number;
  readonly timeMs: number;
  readonly ticks: number;
  readonly notional: number;
  readonly lots: number;
  readonly fee: number;
  readonly feeInBase: boolean;
  readonly isBuy: boolean;
  readonly isLiquidation: boolean;
  /** Its part in net of spread, slippage and latency. */
  readonly slippage: number;
  /** The row of bars that it happened in; -1 when no path was recorded. */
  readonly bar: number;
}

/**
 * The rule of flat: a reducing fill that leaves less of the base asset than the smallest order closes the episode, because what is left
 * cannot be sold. That dust keeps its share of what was paid for it (rounded toward zero) and hands it to the next episode, so that
 * closed profit plus open profit is the change of the balances to the last unit. A close is final once a fill enlarges the position
 * again: the rest of a close that was filled in parts belongs to the episode that it ends. A fill across zero is split there, its
 * notional and fee in proportion to quantity.
 */
export class EpisodeBook {
  /** Base units held, dust included. */
  base = 0;
  /** Quote units that went for `base`: minus its cost. */
  flow = 0;
  /** 1 long, -1 short, 0 between episodes. */
  side: 1 | -1 | 0 = 0;
  entryMs = 0;

  readonly #strategy: number;
  readonly #index: number;
  readonly #instrument: Instrument;
  readonly #valuation: Valuation;
  readonly #minUnits: number;
  readonly #path: BarPath | null;
  readonly #closed: ClosedTrade[];
  #closable = false;
  #firstFill = 0;
  #lastFill = 0;
  #exitMs = 0;
  #fills = 0;
  #fees = 0;
  #slippage = 0;
  #funding = 0;
  #liquidation = 0;
  #entry = { flow: 0, base: 0, notional: 0, lots: 0 };
  #exit = { flow: 0, base: 0, notional: 0, lots: 0 };
  #worst = 0;
  #best = 0;

  /** Finished episodes go to `closed`. `path` is null when there are no bars to follow. */
  constructor(strategy: number, index: number, instrument: Instrument, path: BarPath | null, closed: ClosedTrade[]) {
    this.#strategy = strategy;
    this.#index = index;
    this.#instrument = instrument;
    this.#valuation = valuationOf(instrument);
    this.#minUnits = Math.max(instrument.minLots, 1) * this.#valuation.unitsPerLot;
    this.#path = path;
    this.#closed = closed;
  }

  book(fill: FillAt): void {
    const part = this.#partOf(fill);
    const direction = part.base < 0 ? -1 : 1;
    if (this.#closable && (direction === this.side || this.base * this.side <= 0)) this.#finish();
    if (this.side === 0) this.#begin(direction, fill);
    else if (this.#path !== null) this.#follow(this.#path.between(fill.bar));
    const after = this.base + part.base;
    if (after * this.side < 0 && Math.abs(after) >= this.#minUnits && this.base * this.side > 0) {
      const [closing, rest] = split(part, Math.abs(this.base), Math.abs(part.base));
      this.#add(closing, fill);
      this.#finish();
      this.#begin(direction, fill);
      this.#add(rest, fill);
    } else this.#add(part, fill);
    this.#path?.stand(fill.bar);
  }

  /** Money that came without a trade, below 0 went: funding, or what others bore of a liquidation. It belongs to what is open. */
  pay(units: number, isFunding: boolean): void {
    this.flow += units;
    if (isFunding) this.#funding += units;
    else this.#liquidation += units;
  }

  /** The run is over: a close that nothing followed is final. */
  end(): void {
    if (this.#closable) this.#finish();
  }

  get entryPrice(): number {
    return this.#priceOf(this.#entry);
  }

  #partOf({ isBuy, notional, lots, fee, feeInBase, ticks, isLiquidation, slippage }: FillAt): Part {
    const units = lots * this.#valuation.unitsPerLot;
    const feeQuote = feeInBase ? 0 : fee;
    const feeBase = feeInBase ? fee : 0;
    const feeUnits = feeInBase ? this.#valuation.worth(fee, ticks) : fee;
    return {
      flow: this.#valuation.flow(isBuy, notional) - feeQuote,
      base: (isBuy ? units : -units) - feeBase,
      notional,
      lots,
      fee: isLiquidation ? 0 : feeUnits,
      liquidation: isLiquidation ? -feeUnits : 0,
      slippage,
    };
  }

  #begin(side: 1 | -1, fill: FillAt): void {
    this.side = side;
    this.entryMs = fill.timeMs;
    this.#firstFill = fill.row;
    this.#fills = 0;
    this.#fees = this.#slippage = this.#funding = this.#liquidation = 0;
    // Dust that was left comes in with its cost.
    this.#entry = { flow: this.flow, base: this.base * side, notional: 0, lots: 0 };
    this.#exit = { flow: 0, base: 0, notional: 0, lots: 0 };
    this.#worst = 0;
    this.#best = 0;
  }

  #add(part: Part, fill: FillAt): void {
    const isEntry = part.base * this.side > 0;
    const group = isEntry ? this.#entry : this.#exit;
    group.flow += part.flow;
    group.base += Math.abs(part.base);
    group.notional += part.notional;
    group.lots += part.lots;
    this.flow += part.flow;
    this.base += part.base;
    this.#fees += part.fee;
    this.#slippage += part.slippage;
    this.#liquidation += part.liquidation;
    this.#fills++;
    this.#lastFill = fill.row;
    this.#exitMs = fill.timeMs;
    this.#closable = !isEntry && Math.abs(this.base) < this.#minUnits;
    this.#see(fill.ticks / pow10(this.#instrument.priceDigits));
  }

  #finish(): void {
    const carried = this.#dustFlow();
    const pnlUnits = this.flow - carried;
    const known = this.#path !== null;
    this.#closed.push({
      strategy: this.#strategy,
      instrument: this.#index,
      side: this.side === -1 ? -1 : 1,
      firstFill: this.#firstFill,
      lastFill: this.#lastFill,
      entryMs: this.entryMs,
      exitMs: this.#exitMs,
      entryPrice: this.#priceOf(this.#entry),
      exitPrice: this.#priceOf(this.#exit),
      lots: this.#entry.lots,
      entryUnits: this.#entry.notional,
      exitUnits: this.#exit.notional,
      pnlUnits,
      feeUnits: this.#fees,
      slippageUnits: this.#slippage,
      fundingUnits: this.#funding,
      liquidationUnits: this.#liquidation,
      maeUnits: known ? Math.min(this.#worst, pnlUnits) : NaN,
      mfeUnits: known ? Math.max(this.#best, pnlUnits) : NaN,
      fills: this.#fills,
    });
    this.flow = carried;
    this.side = 0;
    this.#closable = false;
  }

  /** The part of the flow that belongs to what is left: its share of what it was bought (or sold) for. */
  #dustFlow(): number {
    if (this.base === 0) return 0;
    const group = this.base * this.side > 0 ? this.#entry : this.#exit;
    const share = mulDiv(Math.abs(group.flow), Math.abs(this.base), group.base, 'down');
    return group.flow < 0 ? -share : share;
  }

  #priceOf({ notional, lots }: { readonly notional: number; readonly lots: number }): number {
    return this.#valuation.price(lots, notional);
  }

  /** Running profit at a price (quote per base). */
  #see(price: number): void {
    const { quoteDigits, baseDigits, priceDigits, contract } = this.#instrument;
    const worth =
      contract === undefined
        ? (this.base / pow10(baseDigits)) * price * pow10(quoteDigits)
        : this.#valuation.worth(this.base, Math.round(price * pow10(priceDigits)));
    const profit = Math.round(this.flow + worth);
    if (profit < this.#worst) this.#worst = profit;
    if (profit > this.#best) this.#best = profit;
  }

  #follow(seen: { readonly high: number; readonly low: number; readonly close: number }): void {
    if (seen.close > 0) this.#see(seen.close);
    if (seen.high > 0) {
      this.#see(seen.high);
      this.#see(seen.low);
    }
  }
}

/** The first `part` / `whole` of a fill, and the rest of it. */
function split(fill: Part, part: number, whole: number): readonly [Part, Part] {
  const sign = fill.base < 0 ? -1 : 1;
  const money = (units: number) => (units < 0 ? -1 : 1) * mulDiv(Math.abs(units), part, whole, 'down');
  const lots = mulDiv(fill.lots, part, whole, 'halfUp');
  const first = {
    flow: money(fill.flow),
    base: sign * part,
    notional: money(fill.notional),
    lots,
    fee: money(fill.fee),
    liquidation: money(fill.liquidation),
    slippage: money(fill.slippage),
  };
  const rest = {
    flow: fill.flow - first.flow,
    base: fill.base - first.base,
    notional: fill.notional - first.notional,
    lots: fill.lots - lots,
    fee: fill.fee - first.fee,
    liquidation: fill.liquidation - first.liquidation,
    slippage: fill.slippage - first.slippage,
  };
  return [first, rest];
}
