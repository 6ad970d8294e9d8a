// Orders, fills, trades and equity of a run as columns in natural units: what code reads, row by row the same as the files of the run folder.

import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { DoneReason, OrderRole, Side } from '../../model/order.ts';
import { ENDINGS, ROLES, SIDES, type RunRecord } from '../../model/run/run.ts';
import { tradesOf } from '../trades/trades.ts';

/** One row an order, in order of creation. Each column has `length` values; NaN is what an empty cell is in orders.csv. */
export interface Orders {
  readonly length: number;
  /** Counts up from 1. */
  readonly orderId: Float64Array;
  /** Position in the definition's list of strategies, from 0. */
  readonly strategy: Uint8Array;
  /** `spot:BTCUSDT`. */
  readonly instrument: readonly string[];
  readonly side: readonly Side[];
  readonly role: readonly OrderRole[];
  /** `open`: it had not ended with the run. */
  readonly ending: readonly (DoneReason | 'open')[];
  /** 0 or 1. */
  readonly reduceOnly: Uint8Array;
  /** The entry that a bracket leg belongs to, else NaN. */
  readonly parentId: Float64Array;
  /** Wanted, in the base asset; NaN for an order by amount. */
  readonly quantity: Float64Array;
  /** Wanted, in the quote asset; NaN for an order by quantity. */
  readonly quoteAmount: Float64Array;
  /** Limit or trigger; NaN for none. */
  readonly price: Float64Array;
  /** In the base asset, and in the quote asset. */
  readonly filledQuantity: Float64Array;
  readonly filledNotional: Float64Array;
  /** Ms UTC: decided; stood at the venue (NaN: never); ended (NaN: still open). */
  readonly createdMs: Float64Array;
  readonly arrivedMs: Float64Array;
  readonly doneMs: Float64Array;
  /** 1 when the outcome was unknown for a time. */
  readonly wasUnknown: Uint8Array;
  /** The name of the decision, and the code of a refusal by risk or venue; empty for none. */
  readonly slot: readonly string[];
  readonly code: readonly string[];
}

/** One row a fill, in booking order. */
export interface Fills {
  readonly length: number;
  readonly tradeId: Float64Array;
  readonly orderId: Float64Array;
  readonly strategy: Uint8Array;
  readonly instrument: readonly string[];
  readonly side: readonly Side[];
  /** 1 for a resting order, 0 for a taking one. */
  readonly isMaker: Uint8Array;
  /** Quote per base. */
  readonly price: Float64Array;
  /** In the base asset, and in the quote asset. */
  readonly quantity: Float64Array;
  readonly notional: Float64Array;
  /** Paid, in `feeAsset`. */
  readonly fee: Float64Array;
  readonly feeAsset: readonly string[];
  /** Ms UTC: a fill at a bar's open bears the open, one inside a bar its close. */
  readonly timeMs: Float64Array;
}

/** One row a closed trade (from flat to flat), in closing order. Money in the reporting asset. */
export interface Trades {
  readonly length: number;
  readonly strategy: Uint8Array;
  readonly instrument: readonly string[];
  readonly side: readonly ('long' | 'short')[];
  /** First and last fill, ms UTC. */
  readonly entryMs: Float64Array;
  readonly exitMs: Float64Array;
  /** Averages over the fills, quote per base. */
  readonly entryPrice: Float64Array;
  readonly exitPrice: Float64Array;
  /** Entered, in the base asset. */
  readonly quantity: Float64Array;
  readonly entryNotional: Float64Array;
  /** Notional of entries and exits. */
  readonly volume: Float64Array;
  /** Paid, that of a liquidation left out. */
  readonly fees: Float64Array;
  /** Parts of `pnl` beside fees, below 0 a cost: spread, slippage and latency; funding; what a liquidation cost. */
  readonly slippage: Float64Array;
  readonly funding: Float64Array;
  readonly liquidation: Float64Array;
  /** Net of all of them. */
  readonly pnl: Float64Array;
  /** `pnl` as a fraction of `entryNotional`. */
  readonly returnFraction: Float64Array;
  /** Lowest and highest running profit, at most and at least 0. */
  readonly mae: Float64Array;
  readonly mfe: Float64Array;
  readonly fills: Float64Array;
  /** The slot of the first and of the last fill's order; of a bracket leg its role. */
  readonly entryTag: readonly string[];
  readonly exitTag: readonly string[];
}

/** One row an instant at which an execution bar closed. */
export interface Equity {
  readonly length: number;
  /** Ms UTC. */
  readonly timeMs: Float64Array;
  /** Cash plus holdings at the last close, in the reporting asset. */
  readonly equity: Float64Array;
}

export function readOrders({ orders, instruments }: RunRecord): Orders {
  const at = orders.instrument;
  const scaled = (values: Float64Array, digits: (of: Instrument) => number) => divided(values, instruments.map(digits), at);
  const some = (values: Float64Array) => values.map((value) => (value === 0 ? NaN : value));
  return {
    length: orders.length,
    orderId: orders.id,
    strategy: orders.strategy,
    instrument: labels(at, namesOf(instruments)),
    side: labels(orders.side, SIDES),
    role: labels(orders.role, ROLES),
    ending: labels(orders.ending, ENDINGS),
    reduceOnly: orders.reduceOnly,
    parentId: some(orders.parent),
    quantity: some(scaled(orders.lots, quantityDigits)),
    quoteAmount: some(scaled(orders.quoteUnits, quoteDigits)),
    price: some(scaled(orders.limit, priceDigits)),
    filledQuantity: scaled(orders.filledLots, quantityDigits),
    filledNotional: scaled(orders.filledUnits, quoteDigits),
    createdMs: orders.createdMs,
    arrivedMs: orders.arrivedMs,
    doneMs: orders.doneMs,
    wasUnknown: orders.wasUnknown,
    slot: labels(orders.slot, orders.texts),
    code: labels(orders.code, orders.texts),
  };
}

export function readFills({ fills, instruments }: RunRecord): Fills {
  const at = fills.instrument;
  const scaled = (values: Float64Array, digits: (of: Instrument) => number) => divided(values, instruments.map(digits), at);
  // Two entries an instrument: its quote asset, its base asset.
  const feeAt = Uint16Array.from(at, (instrument, row) => instrument * 2 + fills.feeInBase[row]!);
  const feeDigits = instruments.flatMap((of) => [of.quoteDigits, of.baseDigits]);
  const feeAssets = instruments.flatMap((of) => [of.quote, of.base]);
  return {
    length: fills.length,
    tradeId: fills.tradeId,
    orderId: fills.orderId,
    strategy: fills.strategy,
    instrument: labels(at, namesOf(instruments)),
    side: labels(fills.side, SIDES),
    isMaker: fills.isMaker,
    price: scaled(fills.price, priceDigits),
    quantity: scaled(fills.lots, quantityDigits),
    notional: scaled(fills.notional, quoteDigits),
    fee: divided(fills.fee, feeDigits, feeAt),
    feeAsset: labels(feeAt, feeAssets),
    timeMs: fills.timeMs,
  };
}

export function readTrades(record: RunRecord): Trades {
  const { instruments, reportingDigits } = record;
  const { closed, tags } = tradesOf(record);
  const money = (units: Float64Array) => divided(units, [reportingDigits], null);
  return {
    length: closed.length,
    strategy: closed.strategy,
    instrument: labels(closed.instrument, namesOf(instruments)),
    side: labels(closed.side, LONG_SHORT),
    entryMs: closed.entryMs,
    exitMs: closed.exitMs,
    entryPrice: closed.entryPrice,
    exitPrice: closed.exitPrice,
    quantity: divided(closed.lots, instruments.map(quantityDigits), closed.instrument),
    entryNotional: money(closed.entryUnits),
    volume: money(closed.volumeUnits),
    fees: money(closed.feeUnits),
    slippage: money(closed.slippageUnits),
    funding: money(closed.fundingUnits),
    liquidation: money(closed.liquidationUnits),
    pnl: money(closed.pnlUnits),
    returnFraction: closed.returnFraction,
    mae: money(closed.maeUnits),
    mfe: money(closed.mfeUnits),
    fills: closed.fills,
    entryTag: labels(closed.entryTag, tags),
    exitTag: labels(closed.exitTag, tags),
  };
}

export function readEquity({ equity, reportingDigits }: RunRecord): Equity {
  return { length: equity.length, timeMs: equity.timeMs, equity: divided(equity.units, [reportingDigits], null) };
}

const LONG_SHORT = ['long', 'short'] as const;
const namesOf = (instruments: readonly Instrument[]) => instruments.map(({ id }): string => id);
const priceDigits = (of: Instrument) => of.priceDigits;
const quantityDigits = (of: Instrument) => of.quantityDigits;
const quoteDigits = (of: Instrument) => of.quoteDigits;

/** Whole numbers of 10^-digits as the doubles nearest to their decimals; `digitsAt` tells which of `digits` is a row's (null: the first). */
function divided(values: Float64Array, digits: readonly number[], digitsAt: ArrayLike<number> | null): Float64Array {
  const powers = digits.map(pow10);
  const only = powers[0] ?? 1;
  const out = new Float64Array(values.length);
  for (let row = 0; row < out.length; row++) out[row] = values[row]! / (digitsAt === null ? only : powers[digitsAt[row]!]!);
  return out;
}

function labels<const Label>(codes: ArrayLike<number>, names: readonly Label[]): readonly Label[] {
  return Array.from(codes, (code) => names[code]!);
}
