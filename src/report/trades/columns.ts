// Closed trades as columns and open trades as objects, the input of the trade figures, the trade table and the report.

import type { InstrumentId } from '../../model/instrument.ts';

/** Closed trades in closing order. Money in units of the reporting asset, prices (averages over fills) in the quote asset. */
export interface TradeColumns {
  readonly length: number;
  /** Indexes into `RunRecord.strategies` and `RunRecord.instruments`. */
  readonly strategy: Uint8Array;
  readonly instrument: Uint16Array;
  /** 0 long, 1 short. */
  readonly side: Uint8Array;
  /** First and last fill (ms UTC). */
  readonly entryMs: Float64Array;
  readonly exitMs: Float64Array;
  readonly entryPrice: Float64Array;
  readonly exitPrice: Float64Array;
  /** Quantity entered, in lots. */
  readonly lots: Float64Array;
  readonly entryUnits: Float64Array;
  /** Notional of entries and exits. */
  readonly volumeUnits: Float64Array;
  /** Net result after all costs. */
  readonly pnlUnits: Float64Array;
  /** Fees paid, without those of a liquidation. A fee in the base asset is valued at the price of its fill. */
  readonly feeUnits: Float64Array;
  /** Parts of the net result other than fees, below 0 a cost: spread, slippage and latency; funding; fees and losses of a liquidation. */
  readonly slippageUnits: Float64Array;
  readonly fundingUnits: Float64Array;
  readonly liquidationUnits: Float64Array;
  /** Number of liquidations of the trade by the exchange. */
  readonly liquidations: Float64Array;
  /** Result as a fraction of the entry notional. NaN when that is 0. */
  readonly returnFraction: Float64Array;
  /** Lowest running profit (at most 0) and highest running profit (at least 0). NaN when no path was recorded. */
  readonly maeUnits: Float64Array;
  readonly mfeUnits: Float64Array;
  readonly maeFraction: Float64Array;
  readonly mfeFraction: Float64Array;
  readonly fills: Float64Array;
  /** Indexes into `RunTrades.tags`: the slot of the order of the first and of the last fill. For a bracket leg, its role. */
  readonly entryTag: Float64Array;
  readonly exitTag: Float64Array;
}

export interface OpenTrade {
  readonly strategy: number;
  readonly instrument: InstrumentId;
  readonly side: 'long' | 'short';
  readonly entryMs: number;
  readonly entryPrice: number;
  /** Quantity at the end, in units of the base asset (above 0). */
  readonly baseUnits: number;
  /** Profit at the last close, minus the fees paid up to then. */
  readonly unrealisedUnits: number;
}

export interface RunTrades {
  readonly closed: TradeColumns;
  readonly open: readonly OpenTrade[];
  /** Unrealised profit of open trades and dust. Closed plus open profit equals the change of equity to the last unit. */
  readonly openUnits: number;
  readonly tags: readonly string[];
  /** Basis of all excursions: `coarse` is whole bars. */
  readonly path: 'coarse' | 'not-recorded';
}

/** One closed trade, before it is added to the columns. */
export interface ClosedTrade {
  readonly strategy: number;
  readonly instrument: number;
  readonly side: 1 | -1;
  readonly firstFill: number;
  readonly lastFill: number;
  readonly entryMs: number;
  readonly exitMs: number;
  readonly entryPrice: number;
  readonly exitPrice: number;
  readonly lots: number;
  readonly entryUnits: number;
  readonly exitUnits: number;
  readonly pnlUnits: number;
  readonly feeUnits: number;
  readonly slippageUnits: number;
  readonly fundingUnits: number;
  readonly liquidationUnits: number;
  readonly liquidations: number;
  readonly maeUnits: number;
  readonly mfeUnits: number;
  readonly fills: number;
}

/** Returns the columns. `closed` is in closing order. The tags are looked up by fill row. */
export function columnsOfTrades(
  closed: readonly ClosedTrade[],
  entryTagOf: (fill: number) => number,
  exitTagOf: (fill: number) => number,
): TradeColumns {
  const numbers = (of: (trade: ClosedTrade) => number) => {
    const out = new Float64Array(closed.length);
    for (let i = 0; i < out.length; i++) out[i] = of(closed[i]!);
    return out;
  };
  const fraction = (units: number, trade: ClosedTrade) => (trade.entryUnits > 0 ? units / trade.entryUnits : NaN);
  return {
    length: closed.length,
    strategy: Uint8Array.from(closed, (of) => of.strategy),
    instrument: Uint16Array.from(closed, (of) => of.instrument),
    side: Uint8Array.from(closed, (of) => (of.side === 1 ? 0 : 1)),
    entryMs: numbers((of) => of.entryMs),
    exitMs: numbers((of) => of.exitMs),
    entryPrice: numbers((of) => of.entryPrice),
    exitPrice: numbers((of) => of.exitPrice),
    lots: numbers((of) => of.lots),
    entryUnits: numbers((of) => of.entryUnits),
    volumeUnits: numbers((of) => of.entryUnits + of.exitUnits),
    pnlUnits: numbers((of) => of.pnlUnits),
    feeUnits: numbers((of) => of.feeUnits),
    slippageUnits: numbers((of) => of.slippageUnits),
    fundingUnits: numbers((of) => of.fundingUnits),
    liquidationUnits: numbers((of) => of.liquidationUnits),
    liquidations: numbers((of) => of.liquidations),
    returnFraction: numbers((of) => fraction(of.pnlUnits, of)),
    maeUnits: numbers((of) => of.maeUnits),
    mfeUnits: numbers((of) => of.mfeUnits),
    maeFraction: numbers((of) => fraction(of.maeUnits, of)),
    mfeFraction: numbers((of) => fraction(of.mfeUnits, of)),
    fills: numbers((of) => of.fills),
    entryTag: numbers((of) => entryTagOf(of.firstFill)),
    exitTag: numbers((of) => exitTagOf(of.lastFill)),
  };
}
