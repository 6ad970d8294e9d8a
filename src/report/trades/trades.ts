// Builds the trades of a run from its fills: closed trades as columns, open trades with their unrealised profit.

import { assert } from '../../base/assert.ts';
import { pow10 } from '../../base/number/exact.ts';
import { tickAt } from '../../model/bars/bars.ts';
import { ROLES, type RunRecord } from '../../model/run/run.ts';
import { EXIT_REASONS } from '../kernels/tradeGroups.ts';
import { countUpTo, executionFeedById } from '../series/daily.ts';
import { reportingView } from '../series/reportingView.ts';
import { ClosedTradeCollector, type OpenTrade, type RunTrades } from './columns.ts';
import { EpisodeBook, type FillAt } from './episode.ts';
import { BarPath } from './excursions.ts';
import { fillCosts, type FillCosts } from './fillCosts.ts';
import { paymentsUntil } from './payments.ts';
import { positionKey, shortsOf } from './positions.ts';
import { valuationOf } from './valuation.ts';

const tradesByRecord = new WeakMap<RunRecord, RunTrades>();

/** Returns the trades: money in the reporting asset, prices in the quote asset. They are built on first use and cached with the record. */
export function tradesOf(record: RunRecord): RunTrades {
  let trades = tradesByRecord.get(record);
  if (trades === undefined) {
    trades = record.quoteAssets === undefined ? buildTrades(record) : convertedTrades(record);
    tradesByRecord.set(record, trades);
  }
  return trades;
}

/** Returns the trades in the reporting asset, with their prices in their own quote assets. Both ways of counting have the same trades. */
function convertedTrades(record: RunRecord): RunTrades {
  const inQuote = buildTrades(record);
  const inReporting = buildTrades(reportingView(record));
  const { entryPrice, exitPrice } = inQuote.closed;
  return {
    ...inReporting,
    closed: { ...inReporting.closed, entryPrice, exitPrice },
    open: inReporting.open.map((trade, index) => ({ ...trade, entryPrice: inQuote.open[index]!.entryPrice })),
  };
}

/** Index in ROLES of the roles that decide where and why a trade ended. */
const ROLE = {
  stopLoss: ROLES.indexOf('stopLoss'),
  trailing: ROLES.indexOf('trailing'),
  takeProfit: ROLES.indexOf('takeProfit'),
  liquidation: ROLES.indexOf('liquidation'),
  condition: ROLES.indexOf('condition'),
};

/** A position of a strategy with the book of its trades. */
interface PositionTrades {
  readonly strategy: number;
  readonly instrument: number;
  readonly isShort: boolean;
  readonly book: EpisodeBook;
  readonly path: BarPath | null;
}

/** Builds the trades of a run. Throws InvariantError when an instrument and the run count money in different units. */
function buildTrades(record: RunRecord): RunTrades {
  const { instruments, fills } = record;
  checkMoneyUnits(record);
  const bars = executionBars(record);
  // Most trades have two fills.
  const closed = new ClosedTradeCollector(fills.length / 2 + 1);
  const fill = new FillRecord();
  const positions = new Map<number, PositionTrades>();
  const ticksPerPrice = instruments.map(({ priceDigits }) => pow10(priceDigits));
  const costs = costsOf(record);
  const shorts = shortsOf(record);
  const payUntil = paymentsUntil(
    record.payments,
    (strategy, instrument, isLong) => positions.get(positionKey(strategy, instrument, shorts !== null && !isLong))?.book,
  );
  const positionOf = (strategyIndex: number, instrumentIndex: number, isShort: boolean): PositionTrades => {
    const key = positionKey(strategyIndex, instrumentIndex, isShort);
    let position = positions.get(key);
    if (!position) {
      const path = bars[instrumentIndex] ? new BarPath(bars[instrumentIndex]) : null;
      const book = new EpisodeBook(
        { strategy: strategyIndex, index: instrumentIndex, instrument: instruments[instrumentIndex]!, path },
        closed,
      );
      position = { strategy: strategyIndex, instrument: instrumentIndex, isShort, path, book };
      positions.set(key, position);
    }
    return position;
  };
  for (let row = 0; row < fills.length; row++) {
    payUntil(row);
    const instrument = fills.instrument[row]!;
    const position = positionOf(fills.strategy[row]!, instrument, shorts?.(row) ?? false);
    readFill(record, row, costs, fill);
    if (position.path !== null) fill.bar = barOf(record, row, position.path, ticksPerPrice[instrument]!);
    position.book.book(fill);
  }
  payUntil(Infinity);
  for (const { book } of positions.values()) book.end();
  // An instrument that never traded needs no bars: of a list of symbols, some may have none in the range of the run.
  const isPathRecorded =
    positions.size > 0 ? Array.from(positions.values()).every(({ path }) => path !== null) : bars.every((columns) => columns !== null);
  const tags = new Tags(record);
  return {
    closed: closedTrades(closed, tags, record),
    ...openOf(record, [...positions.values()]),
    tags: tags.texts,
    path: isPathRecorded ? 'coarse' : 'not-recorded',
  };
}

/** Returns the columns of the closed trades, each with its tag and the reason of its exit. */
function closedTrades(rows: ClosedTradeCollector, tags: Tags, record: RunRecord): RunTrades['closed'] {
  return rows.columns(
    (fillRow) => tags.of(fillRow),
    (fillRow) => exitReasonOf(record, fillRow),
  );
}

/** Throws InvariantError when an instrument and the run count money in different units. */
function checkMoneyUnits({ instruments, reportingDigits }: RunRecord): void {
  for (const { id, quoteDigits } of instruments)
    assert(quoteDigits === reportingDigits, `${id} counts money in ${quoteDigits} digits, the run in ${reportingDigits}`);
}

/** Returns the bars in which the orders of each instrument filled. Null for an instrument without a feed. */
function executionBars({ instruments, feeds }: RunRecord) {
  const feedById = executionFeedById(feeds);
  return instruments.map(({ id }) => feedById.get(id)?.bars ?? null);
}

const costsByRecord = new WeakMap<RunRecord, FillCosts>();
/** Returns the costs of the fills other than their fees. They are computed on first use and cached with the record. */
export function costsOf(record: RunRecord): FillCosts {
  let costs = costsByRecord.get(record);
  if (costs === undefined) {
    costs = fillCosts(record, record.instruments.map(valuationOf), executionBars(record));
    costsByRecord.set(record, costs);
  }
  return costs;
}

/** A fill as books take it. One object is reused for all fills. Hot: docs/performance.md#double-fields. */
class FillRecord implements FillAt {
  row = 0;
  timeMs = 0.5;
  ticks = 0.5;
  notionalUnits = 0.5;
  lots = 0.5;
  feeUnits = 0.5;
  feeInBase = false;
  isBuy = false;
  isLiquidation = false;
  slippage = 0.5;
  bar = -1;
}

/** Writes a fill without its bar to `target`. */
function readFill({ fills }: RunRecord, row: number, { slippageUnits, isLiquidation }: FillCosts, target: FillRecord): void {
  target.row = row;
  target.timeMs = fills.timeMs[row]!;
  target.ticks = fills.price[row]!;
  target.bar = -1;
  target.notionalUnits = fills.notional[row]!;
  target.lots = fills.lots[row]!;
  target.feeUnits = fills.fee[row]!;
  target.feeInBase = fills.feeInBase[row] === 1;
  target.isBuy = fills.side[row] === 0;
  target.isLiquidation = isLiquidation[row] === 1;
  target.slippage = slippageUnits[row]!;
}

/** Returns the bar row in which a fill happened. */
function barOf({ fills, orders }: RunRecord, row: number, path: BarPath, ticksPerPrice: number): number {
  const order = fills.orderId[row]! - 1;
  const timeMs = fills.timeMs[row]!;
  const role = orders.role[order]!;
  const isStop = role === ROLE.stopLoss || role === ROLE.trailing;
  // A resting limit order and a liquidation fill inside their bar. A triggered order fills at the open after a gap, else inside the bar at
  // its level.
  if (fills.isMaker[row] === 1 || role === ROLE.liquidation) return path.barClosingAt(timeMs);
  if (!isStop && role !== ROLE.condition) return path.barOpeningAt(timeMs);
  const level = orders.limit[order]! / ticksPerPrice;
  // Only the last level of a trailing stop is recorded. In the bar before, its level differed.
  const sinceMs = role === ROLE.trailing ? Infinity : orders.arrivedMs[order]!;
  const triggered = { price: fills.price[row]! / ticksPerPrice, level, isBuy: fills.side[row] === 0, isStop, sinceMs };
  return path.isAtOpen(timeMs, triggered) ? path.barOpeningAt(timeMs) : path.barClosingAt(timeMs);
}

/** Returns a function that returns the price in ticks that values an instrument's positions when the run ends. 0 when none of its bars had closed. */
export function lastMarkTicksOf(record: RunRecord): (index: number) => number {
  const barsByInstrument = executionBars(record);
  return (index) => {
    const bars = barsByInstrument[index] ?? null;
    const last = bars === null ? -1 : countUpTo(bars.closeMs, bars.length, record.toMs) - 1;
    return last < 0 ? 0 : (record.markTicks?.[index]?.[last] ?? tickAt(bars!, 'close', last));
  };
}

/**
 * Returns the open trades. The positions of an instrument are valued together, as in the account's equity. The books share that value, and
 * the last book takes the rounding remainder.
 */
function openOf(record: RunRecord, positions: readonly PositionTrades[]): Pick<RunTrades, 'open' | 'openUnits'> {
  const open: OpenTrade[] = [];
  let openUnits = 0;
  const lastMarkTicks = lastMarkTicksOf(record);
  const positionsByInstrument = record.instruments.map((): PositionTrades[] => []);
  for (const position of positions) positionsByInstrument[position.instrument]!.push(position);
  record.instruments.forEach((instrument, index) => {
    const valuation = valuationOf(instrument);
    const ticks = lastMarkTicks(index);
    const valueOfUnits = (units: number) => (units === 0 ? 0 : valuation.holdingValue(units, ticks));
    for (const isShort of [false, true]) {
      const sharingPositions = positionsByInstrument[index]!.filter((position) => position.isShort === isShort);
      const sharedBase = sharingPositions.reduce((sum, { book }) => sum + book.base, 0);
      let remainder = valueOfUnits(sharedBase);
      sharingPositions.forEach(({ strategy, book }, place) => {
        const isLast = place === sharingPositions.length - 1;
        const value = isLast ? remainder : valueOfUnits(book.base);
        remainder -= value;
        openUnits += book.flow + value;
        if (book.side === 0) return;
        open.push({
          strategy,
          instrument: instrument.id,
          side: book.side === 1 ? 'long' : 'short',
          entryMs: book.entryMs,
          entryPrice: book.entryPrice,
          baseUnits: Math.abs(book.base),
          unrealisedUnits: book.flow + value,
        });
      });
    }
  });
  return { open, openUnits };
}

/** Index into EXIT_REASONS of each role. An order of the strategy itself is a signal. */
const REASON_OF_ROLE = ROLES.map((role) => {
  const reasons: Partial<Record<typeof role, (typeof EXIT_REASONS)[number]>> = {
    stopLoss: 'stop',
    takeProfit: 'target',
    trailing: 'trail',
    liquidation: 'liquidation',
  };
  return EXIT_REASONS.indexOf(reasons[role] ?? 'signal');
});

/** Returns the exit reason (index into EXIT_REASONS) of a trade whose last fill is `fillIndex`. */
function exitReasonOf({ orders, fills }: RunRecord, fillIndex: number): number {
  return REASON_OF_ROLE[orders.role[fills.orderId[fillIndex]! - 1]!]!;
}

/** The labels of trades: the decision slot of an order, or the role of a bracket leg. */
class Tags {
  readonly texts: string[] = [];
  readonly #record: RunRecord;
  readonly #indexes = new Map<string, number>();

  constructor(record: RunRecord) {
    this.#record = record;
  }

  /** Returns the index in `texts` of the label of a fill. */
  of(fillIndex: number): number {
    const { orders, fills } = this.#record;
    const order = fills.orderId[fillIndex]! - 1;
    const role = orders.role[order]!;
    const isLeg = role === ROLE.stopLoss || role === ROLE.trailing || role === ROLE.takeProfit;
    const text = isLeg ? ROLES[role]! : (orders.texts[orders.slot[order]!] ?? '');
    let index = this.#indexes.get(text);
    if (index === undefined) {
      index = this.texts.push(text) - 1;
      this.#indexes.set(text, index);
    }
    return index;
  }
}
