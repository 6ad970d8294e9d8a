// Exposure: the share of equity that was in the market, weighted by time, from positions that change at fills.

import { DAY_MS } from '../../base/calendar.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { FeedRecord, RunRecord } from '../../model/run/run.ts';
import { shortsOf } from '../trades/positions.ts';
import { executionFeedById } from '../series/daily.ts';
import type { Figure } from '../kernels/figure.ts';
import { DAYS_PER_YEAR } from '../kernels/portfolio.ts';
import { mean, sumOf } from '../kernels/sums.ts';
import { contractValueAt, type ContractFace } from '../kernels/contractValue.ts';
import { contractFaceOf } from './instrumentValue.ts';

/** Names of the figures of exposure and leverage. `docs/metrics.md` has their formulas. */
export type ExposureFigure =
  | 'exposureTime'
  | 'grossExposure'
  | 'grossExposureMax'
  | 'netExposure'
  | 'netExposureMax'
  | 'leverage'
  | 'leverageMax'
  | 'turnover';

/** The first and last instant of each episode with a position, in any order. An open episode ends with the run. */
export interface HoldingPeriods {
  readonly fromMs: Float64Array;
  readonly toMs: Float64Array;
}

/**
 * Returns the exposure figures. `holding` are the times with a position, which can overlap. `dailyEquity` is the equity at each day's end,
 * in units.
 */
export function exposureFigures(
  record: RunRecord,
  holding: HoldingPeriods,
  dailyEquity: Float64Array,
): Readonly<Record<ExposureFigure, Figure>> {
  const elapsedMs = record.toMs - record.fromMs;
  const exposure = record.streamed?.exposure ?? weightedExposure(record);
  const valueOrReason = (value: number): Figure => {
    if (elapsedMs <= 0) return 'too-short';
    return exposure.isRuined ? 'ruined' : value;
  };
  const { fills } = record;
  const tradedNotional = sumOf(fills.length, (row) => Math.abs(fills.notional[row]!));
  const years = elapsedMs / (DAYS_PER_YEAR * DAY_MS);
  const turnover = (): Figure => {
    // A mean over days of debt would make the figure negative or huge.
    if (dailyEquity.some((units) => !(units > 0))) return 'ruined';
    return elapsedMs < DAY_MS ? 'too-short' : tradedNotional / mean(dailyEquity) / years;
  };
  return {
    exposureTime: elapsedMs <= 0 ? 'too-short' : unionMs(holding) / elapsedMs,
    grossExposure: valueOrReason(exposure.gross / elapsedMs),
    grossExposureMax: valueOrReason(exposure.grossMax),
    netExposure: valueOrReason(exposure.net / elapsedMs),
    netExposureMax: valueOrReason(exposure.netExtreme),
    // Leverage equals gross exposure here. The two would differ only for an account that can borrow.
    leverage: valueOrReason(exposure.gross / elapsedMs),
    leverageMax: valueOrReason(exposure.grossMax),
    turnover: turnover(),
  };
}

/** Returns the total length of the union of the periods in ms. */
function unionMs({ fromMs, toMs }: HoldingPeriods): number {
  const begins = fromMs.toSorted();
  const ends = toMs.toSorted();
  let totalMs = 0;
  let firstOfUnion = 0;
  for (let row = 0; row < begins.length; row++) {
    // As many periods have ended as have begun, so nothing is held until the next one begins.
    if (row + 1 < begins.length && begins[row + 1]! <= ends[row]!) continue;
    totalMs += ends[row]! - begins[firstOfUnion]!;
    firstOfUnion = row + 1;
  }
  return totalMs;
}

/** Exposure weighted by time. */
interface WeightedExposure {
  /** Sums of absolute and of signed notional / equity, each times its duration in ms. */
  gross: number;
  net: number;
  grossMax: number;
  /** The net exposure that is furthest from 0. */
  netExtreme: number;
  isRuined: boolean;
}

/**
 * Returns the time-weighted exposure. Between two equity instants it stays at its value at the first one, after all fills up to that
 * instant. Positions are valued at the last close, or at the first open before any bar has closed. Equity is as recorded.
 */
function weightedExposure(record: RunRecord): WeightedExposure {
  const { equity, fills } = record;
  const exposure: WeightedExposure = { gross: 0, net: 0, grossMax: 0, netExtreme: 0, isRuined: false };
  const positions = new Positions(record);
  if (positions.only !== null) return singleExposure(record, positions, positions.only);
  const fillRows = rowsByTime(record);
  const unitsPerAsset = pow10(record.reportingDigits);
  let nextFill = 0;
  // Instant -1 is the start of the run.
  for (let instant = -1; instant < equity.length; instant++) {
    const nowMs = instant < 0 ? record.fromMs : equity.timeMs[instant]!;
    while (nextFill < fills.length && fills.timeMs[fillRows[nextFill]!]! <= nowMs) positions.book(fillRows[nextFill++]!);
    const equityUnits = instant < 0 ? record.startUnits : equity.units[instant]!;
    if (!(equityUnits > 0)) exposure.isRuined = true;
    if (positions.openCount === 0) continue;
    const durationMs = (instant + 1 < equity.length ? equity.timeMs[instant + 1]! : record.toMs) - nowMs;
    positions.mark(nowMs);
    const gross = (positions.gross * unitsPerAsset) / equityUnits;
    const net = (positions.net * unitsPerAsset) / equityUnits;
    exposure.gross += gross * durationMs;
    exposure.net += net * durationMs;
    if (gross > exposure.grossMax) exposure.grossMax = gross;
    if (Math.abs(net) > Math.abs(exposure.netExtreme)) exposure.netExtreme = net;
  }
  return exposure;
}

/**
 * Returns the time-weighted exposure of a run with a single position. Each instant reads one price, so the loop needs no inner loop.
 * Hot: docs/performance.md#one-kind-loops.
 */
function singleExposure(record: RunRecord, positions: Positions, { bars, firstRow }: FeedRecord): WeightedExposure {
  const { equity, fills } = record;
  const { closeMs, close, open, length } = bars;
  const face = contractFaceOf(record.instruments[0]!);
  const unitsPerAsset = pow10(record.reportingDigits);
  let gross = 0;
  let net = 0;
  let grossMax = 0;
  let netExtreme = 0;
  let isRuined = false;
  let heldAmount = 0;
  let row = firstRow - 1;
  let nextFill = 0;
  // Instant -1 is the start of the run.
  for (let instant = -1; instant < equity.length; instant++) {
    const nowMs = instant < 0 ? record.fromMs : equity.timeMs[instant]!;
    while (nextFill < fills.length && fills.timeMs[nextFill]! <= nowMs) {
      positions.book(nextFill++);
      heldAmount = positions.amountOf(0);
    }
    const equityUnits = instant < 0 ? record.startUnits : equity.units[instant]!;
    if (!(equityUnits > 0)) isRuined = true;
    if (heldAmount === 0) continue;
    const durationMs = (instant + 1 < equity.length ? equity.timeMs[instant + 1]! : record.toMs) - nowMs;
    while (row + 1 < length && closeMs[row + 1]! <= nowMs) row++;
    const notional = heldAmount * contractValueAt(face, row < firstRow ? open[firstRow]! : close[row]!);
    const netNow = (notional * unitsPerAsset) / equityUnits;
    const grossNow = (Math.abs(notional) * unitsPerAsset) / equityUnits;
    gross += grossNow * durationMs;
    net += netNow * durationMs;
    if (grossNow > grossMax) grossMax = grossNow;
    if (Math.abs(netNow) > Math.abs(netExtreme)) netExtreme = netNow;
  }
  return { gross, net, grossMax, netExtreme, isRuined };
}

/**
 * Returns the fill rows in order of time. With several instruments the booking order differs, because fills are booked by instrument.
 * A fill inside a bar has the time of the close, but a fill of another instrument at the open can be booked after it.
 */
function rowsByTime({ fills: { length, timeMs }, instruments }: RunRecord): Uint32Array {
  const rows = new Uint32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return instruments.length < 2 ? rows : rows.toSorted((a, b) => timeMs[a]! - timeMs[b]!);
}

/** Positions of the account in coins or contracts, and their value at the last close. */
class Positions {
  /** Number of open positions. */
  openCount = 0;
  gross = 0;
  net = 0;
  /** Holdings by position: one for each instrument, then one for each separate short. */
  readonly #units: Float64Array;
  readonly #fills: RunRecord['fills'];
  readonly #shorts: ((row: number) => boolean) | null;
  /** By instrument: base units of one lot, and of one coin or contract. */
  readonly #unitsPerLot: readonly number[];
  readonly #unitsPerCoin: readonly number[];
  readonly #faces: readonly ContractFace[];
  readonly #feeds;
  /** By instrument: the newest closed row of its feed. */
  readonly #rows: Int32Array;

  constructor(record: RunRecord) {
    const { instruments, feeds } = record;
    this.#fills = record.fills;
    this.#shorts = shortsOf(record);
    this.#units = new Float64Array(instruments.length * (this.#shorts === null ? 1 : 2));
    this.#unitsPerLot = instruments.map((instrument) => pow10(instrument.baseDigits - instrument.quantityDigits));
    this.#unitsPerCoin = instruments.map((instrument) => pow10(instrument.baseDigits));
    this.#faces = instruments.map(contractFaceOf);
    const feedById = executionFeedById(feeds);
    this.#feeds = instruments.map(({ id }) => feedById.get(id) ?? null);
    this.#rows = Int32Array.from(this.#feeds, (feed) => (feed === null ? 0 : feed.firstRow - 1));
  }

  /** Books the fill of a row. */
  book(row: number): void {
    const fills = this.#fills;
    const instrument = fills.instrument[row]!;
    const position = this.#shorts?.(row) === true ? instrument + this.#feeds.length : instrument;
    const before = this.#units[position]!;
    const units = fills.lots[row]! * this.#unitsPerLot[instrument]!;
    const change = fills.side[row] === 0 ? units : -units;
    const fee = fills.feeInBase[row] === 1 ? fills.fee[row]! : 0;
    const after = before + change - fee;
    this.#units[position] = after;
    this.openCount += (after === 0 ? 0 : 1) - (before === 0 ? 0 : 1);
  }

  /** The feed of the only position: one instrument, without separate shorts. Null when there can be several positions. */
  get only(): FeedRecord | null {
    return this.#units.length === 1 ? this.#feeds[0]! : null;
  }

  /** Returns the coins or contracts of a position. */
  amountOf(position: number): number {
    return this.#units[position]! / this.#unitsPerCoin[position % this.#unitsPerCoin.length]!;
  }

  /** Values all positions at `nowMs` and sets `gross` and `net`, in the quote asset. */
  mark(nowMs: number): void {
    this.gross = 0;
    this.net = 0;
    const instrumentCount = this.#feeds.length;
    for (let position = 0; position < this.#units.length; position++) {
      const instrument = position % instrumentCount;
      const feed = this.#feeds[instrument];
      if (this.#units[position] === 0 || !feed) continue;
      const { closeMs, close, open, length } = feed.bars;
      let row = this.#rows[instrument]!;
      while (row + 1 < length && closeMs[row + 1]! <= nowMs) row++;
      this.#rows[instrument] = row;
      const price = row < feed.firstRow ? open[feed.firstRow]! : close[row]!;
      const value = this.amountOf(position) * contractValueAt(this.#faces[instrument]!, price);
      this.net += value;
      this.gross += Math.abs(value);
    }
  }
}
