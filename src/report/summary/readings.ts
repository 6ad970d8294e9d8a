// Gives code the orders, fills, trades and equity of a run as columns in natural units. The rows equal those of the files in the run
// folder.

import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { DoneReason, OrderRole, Side } from '../../model/order.ts';
import { ENDINGS, ROLES, SIDES, type RunRecord } from '../../model/run/run.ts';
import { tradesOf } from '../trades/trades.ts';

/** Orders, one row each, in order of creation. Each column has `length` values. NaN is an empty cell of orders.csv. */
export interface Orders {
  readonly length: number;
  /** Counts up from 1. */
  readonly orderId: Float64Array;
  /** Position in the list of strategies of the definition, from 0. */
  readonly strategy: Uint8Array;
  /** `spot:BTCUSDT`. */
  readonly instrument: readonly string[];
  readonly side: readonly Side[];
  readonly role: readonly OrderRole[];
  /** `open`: the order had not ended when the run ended. */
  readonly ending: readonly (DoneReason | 'open')[];
  /** 0 or 1. */
  readonly reduceOnly: Uint8Array;
  /** The entry to which a bracket leg belongs, else NaN. */
  readonly parentId: Float64Array;
  /** Ordered quantity in the base asset. NaN for an order by amount. */
  readonly quantity: Float64Array;
  /** Ordered amount in the quote asset. NaN for an order by quantity. */
  readonly quoteAmount: Float64Array;
  /** Limit or trigger price. NaN without one. */
  readonly price: Float64Array;
  /** In the base asset, and in the quote asset. */
  readonly filledQuantity: Float64Array;
  readonly filledNotional: Float64Array;
  /** Ms UTC: the decision, the arrival at the venue (NaN: never arrived), and the end (NaN: still open). */
  readonly createdMs: Float64Array;
  readonly arrivedMs: Float64Array;
  readonly doneMs: Float64Array;
  /** 1 when the outcome was unknown at some time. */
  readonly wasUnknown: Uint8Array;
  /** The decision slot, and the code with which risk denied the order or the venue refused it. Empty without a slot or a code. */
  readonly slot: readonly string[];
  readonly code: readonly string[];
}

/** Fills, one row each, in booking order. */
export interface Fills {
  readonly length: number;
  readonly tradeId: Float64Array;
  readonly orderId: Float64Array;
  readonly strategy: Uint8Array;
  readonly instrument: readonly string[];
  readonly side: readonly Side[];
  /** 1 for a maker fill, 0 for a taker fill. */
  readonly isMaker: Uint8Array;
  /** Quote per base. */
  readonly price: Float64Array;
  /** In the base asset, and in the quote asset. */
  readonly quantity: Float64Array;
  readonly notional: Float64Array;
  /** Fee paid, in `feeAsset`. */
  readonly fee: Float64Array;
  readonly feeAsset: readonly string[];
  /** Ms UTC. A fill at the open of a bar has the time of the open. A fill inside a bar has the time of the close. */
  readonly timeMs: Float64Array;
}

/** Closed trades (from flat to flat), one row each, in closing order. Money in the reporting asset. */
export interface Trades {
  readonly length: number;
  readonly strategy: Uint8Array;
  readonly instrument: readonly string[];
  readonly side: readonly ('long' | 'short')[];
  /** First and last fill, ms UTC. */
  readonly entryMs: Float64Array;
  readonly exitMs: Float64Array;
  /** Average prices of the fills, quote per base. */
  readonly entryPrice: Float64Array;
  readonly exitPrice: Float64Array;
  /** Quantity entered, in the base asset. */
  readonly quantity: Float64Array;
  readonly entryNotional: Float64Array;
  /** Notional of entries and exits. */
  readonly volume: Float64Array;
  /** Fees paid, without those of a liquidation. */
  readonly fees: Float64Array;
  /** Parts of `pnl` other than fees, below 0 a cost: spread, slippage and latency; funding; cost of liquidations. */
  readonly slippage: Float64Array;
  readonly funding: Float64Array;
  readonly liquidation: Float64Array;
  /** Net profit after all costs. */
  readonly pnl: Float64Array;
  /** `pnl` as a fraction of `entryNotional`. */
  readonly returnFraction: Float64Array;
  /** Lowest running profit (at most 0) and highest running profit (at least 0). */
  readonly mae: Float64Array;
  readonly mfe: Float64Array;
  readonly fills: Float64Array;
  /** For the orders of the first and of the last fill: the decision slot, or the role of a bracket leg. */
  readonly entryTag: readonly string[];
  readonly exitTag: readonly string[];
}

/** Equity, one row for each instant at which an execution bar closed. */
export interface Equity {
  readonly length: number;
  /** Ms UTC. */
  readonly timeMs: Float64Array;
  /** Cash plus holdings at the last close, in the reporting asset. */
  readonly equity: Float64Array;
}

/** Returns the orders of a run. */
export function readOrders({ orders, instruments }: RunRecord): Orders {
  const instrumentAt = orders.instrument;
  const scaled = (values: Float64Array, digitsOf: (instrument: Instrument) => number) =>
    toNaturalUnits(values, instruments.map(digitsOf), instrumentAt);
  const emptyAtZero = (values: Float64Array) => values.map((value) => (value === 0 ? NaN : value));
  return {
    length: orders.length,
    orderId: orders.id,
    strategy: orders.strategy,
    instrument: labelsOf(instrumentAt, idsOf(instruments)),
    side: labelsOf(orders.side, SIDES),
    role: labelsOf(orders.role, ROLES),
    ending: labelsOf(orders.ending, ENDINGS),
    reduceOnly: orders.reduceOnly,
    parentId: emptyAtZero(orders.parent),
    quantity: emptyAtZero(scaled(orders.lots, quantityDigits)),
    quoteAmount: emptyAtZero(scaled(orders.quoteUnits, quoteDigits)),
    price: emptyAtZero(scaled(orders.limit, priceDigits)),
    filledQuantity: scaled(orders.filledLots, quantityDigits),
    filledNotional: scaled(orders.filledUnits, quoteDigits),
    createdMs: orders.createdMs,
    arrivedMs: orders.arrivedMs,
    doneMs: orders.doneMs,
    wasUnknown: orders.wasUnknown,
    slot: labelsOf(orders.slot, orders.texts),
    code: labelsOf(orders.code, orders.texts),
  };
}

/** Returns the fills of a run. */
export function readFills({ fills, instruments }: RunRecord): Fills {
  const instrumentAt = fills.instrument;
  const scaled = (values: Float64Array, digits: (instrument: Instrument) => number) =>
    toNaturalUnits(values, instruments.map(digits), instrumentAt);
  // Two entries for each instrument: its quote asset and its base asset.
  const feeAt = Uint16Array.from(instrumentAt, (instrument, row) => instrument * 2 + fills.feeInBase[row]!);
  const feeDigits = instruments.flatMap((instrument) => [instrument.quoteDigits, instrument.baseDigits]);
  const feeAssets = instruments.flatMap((instrument) => [instrument.quote, instrument.base]);
  return {
    length: fills.length,
    tradeId: fills.tradeId,
    orderId: fills.orderId,
    strategy: fills.strategy,
    instrument: labelsOf(instrumentAt, idsOf(instruments)),
    side: labelsOf(fills.side, SIDES),
    isMaker: fills.isMaker,
    price: scaled(fills.price, priceDigits),
    quantity: scaled(fills.lots, quantityDigits),
    notional: scaled(fills.notional, quoteDigits),
    fee: toNaturalUnits(fills.fee, feeDigits, feeAt),
    feeAsset: labelsOf(feeAt, feeAssets),
    timeMs: fills.timeMs,
  };
}

const LONG_SHORT = ['long', 'short'] as const;

/** Returns the closed trades of a run. */
export function readTrades(record: RunRecord): Trades {
  const { instruments, reportingDigits } = record;
  const { closed, tags } = tradesOf(record);
  const money = (units: Float64Array) => toNaturalUnits(units, [reportingDigits], null);
  return {
    length: closed.length,
    strategy: closed.strategy,
    instrument: labelsOf(closed.instrument, idsOf(instruments)),
    side: labelsOf(closed.side, LONG_SHORT),
    entryMs: closed.entryMs,
    exitMs: closed.exitMs,
    entryPrice: closed.entryPrice,
    exitPrice: closed.exitPrice,
    quantity: toNaturalUnits(closed.lots, instruments.map(quantityDigits), closed.instrument),
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
    entryTag: labelsOf(closed.entryTag, tags),
    exitTag: labelsOf(closed.exitTag, tags),
  };
}

/** Returns the equity of a run. */
export function readEquity({ equity, reportingDigits }: RunRecord): Equity {
  return { length: equity.length, timeMs: equity.timeMs, equity: toNaturalUnits(equity.units, [reportingDigits], null) };
}

const idsOf = (instruments: readonly Instrument[]) => instruments.map(({ id }): string => id);
const priceDigits = (instrument: Instrument) => instrument.priceDigits;
const quantityDigits = (instrument: Instrument) => instrument.quantityDigits;
const quoteDigits = (instrument: Instrument) => instrument.quoteDigits;

/**
 * Converts whole numbers in units of 10^-digits to the nearest doubles. `digitsAt` selects the entry of `digits` for each row. Null selects
 * the first entry for all rows.
 */
function toNaturalUnits(values: Float64Array, digits: readonly number[], digitsAt: ArrayLike<number> | null): Float64Array {
  const powers = digits.map(pow10);
  const firstPower = powers[0] ?? 1;
  const quotients = new Float64Array(values.length);
  for (let row = 0; row < quotients.length; row++) {
    const power = digitsAt === null ? firstPower : powers[digitsAt[row]!]!;
    quotients[row] = values[row]! / power;
  }
  return quotients;
}

/** Returns the label of each code. */
function labelsOf<const Label>(codes: ArrayLike<number>, names: readonly Label[]): readonly Label[] {
  return Array.from(codes, (code) => names[code]!);
}
