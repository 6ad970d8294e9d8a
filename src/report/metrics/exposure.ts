// Exposure: the share of equity that was in the market, weighted by time, from positions that change at fills.

import { pow10 } from '../../base/number/exact.ts';
import type { FeedRecord, RunRecord } from '../../model/run/run.ts';
import { shortsOf } from '../trades/positions.ts';
import { executionFeeds } from '../series/daily.ts';
import type { Figure } from '../kernels/figure.ts';
import { DAY_MS, DAYS_PER_YEAR } from '../kernels/portfolio.ts';
import { mean, sumOf } from '../kernels/sums.ts';
import { contractValueAt, type ContractFace } from '../kernels/contractValue.ts';
import { contractFaceOf } from './instrumentValue.ts';

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

/** Returns the exposure figures. The periods of `held` can overlap. `daily` is the sampled equity in units. */
export function exposureFigures(record: RunRecord, held: HoldingPeriods, daily: Float64Array): Readonly<Record<ExposureFigure, Figure>> {
  const elapsedMs = record.toMs - record.fromMs;
  const weighted = record.streamed?.exposure ?? weightedExposure(record);
  const of = (value: number): Figure => (elapsedMs <= 0 ? 'too-short' : weighted.isRuined ? 'ruined' : value);
  const { fills } = record;
  const traded = sumOf(fills.length, (i) => Math.abs(fills.notional[i]!));
  const years = elapsedMs / (DAYS_PER_YEAR * DAY_MS);
  return {
    exposureTime: elapsedMs <= 0 ? 'too-short' : unionMs(held) / elapsedMs,
    grossExposure: of(weighted.gross / elapsedMs),
    grossExposureMax: of(weighted.grossMax),
    netExposure: of(weighted.net / elapsedMs),
    netExposureMax: of(weighted.netExtreme),
    // Leverage equals gross exposure here. The two would differ only for an account that can borrow.
    leverage: of(weighted.gross / elapsedMs),
    leverageMax: of(weighted.grossMax),
    turnover: elapsedMs < DAY_MS ? 'too-short' : traded / mean(daily) / years,
  };
}

/** Returns the total length of the union of the periods in ms. */
function unionMs({ fromMs, toMs }: HoldingPeriods): number {
  const begins = fromMs.toSorted();
  const ends = toMs.toSorted();
  let total = 0;
  let first = 0;
  for (let row = 0; row < begins.length; row++) {
    // As many periods have ended as have begun: nothing is held until the next one begins.
    if (row + 1 < begins.length && begins[row + 1]! <= ends[row]!) continue;
    total += ends[row]! - begins[first]!;
    first = row + 1;
  }
  return total;
}

interface Weighted {
  /** Integrals over ms of absolute and signed notional / equity. */
  gross: number;
  net: number;
  grossMax: number;
  /** The net exposure that is furthest from 0. */
  netExtreme: number;
  isRuined: boolean;
}

/**
 * Returns the time-weighted exposure. Between two equity instants it is constant: the exposure at the first, after all fills up to then.
 * Prices are those of the last close (before the first close, of the first open), equity is as recorded.
 */
function weightedExposure(record: RunRecord): Weighted {
  const { equity, fills } = record;
  const out: Weighted = { gross: 0, net: 0, grossMax: 0, netExtreme: 0, isRuined: false };
  const positions = new Positions(record);
  if (positions.only !== null) return singleExposure(record, positions, positions.only);
  const booked = rowsByTime(record);
  const reporting = pow10(record.reportingDigits);
  for (let i = -1, next = 0; i < equity.length; i++) {
    const nowMs = i < 0 ? record.fromMs : equity.timeMs[i]!;
    while (next < fills.length && fills.timeMs[booked[next]!]! <= nowMs) positions.book(booked[next++]!);
    const value = i < 0 ? record.startUnits : equity.units[i]!;
    if (!(value > 0)) out.isRuined = true;
    if (positions.periods === 0) continue;
    const span = (i + 1 < equity.length ? equity.timeMs[i + 1]! : record.toMs) - nowMs;
    positions.mark(nowMs);
    const gross = (positions.gross * reporting) / value;
    const net = (positions.net * reporting) / value;
    out.gross += gross * span;
    out.net += net * span;
    if (gross > out.grossMax) out.grossMax = gross;
    if (Math.abs(net) > Math.abs(out.netExtreme)) out.netExtreme = net;
  }
  return out;
}

/** The same for a single position: an instant reads one price, and the loop has no inner one. Hot: docs/performance.md#one-kind-loops. */
function singleExposure(record: RunRecord, positions: Positions, { bars, firstRow }: FeedRecord): Weighted {
  const { equity, fills } = record;
  const { closeMs, close, open, length } = bars;
  const face = contractFaceOf(record.instruments[0]!);
  const reporting = pow10(record.reportingDigits);
  let [gross, net, grossMax, netExtreme, isRuined] = [0, 0, 0, 0, false];
  let amount = 0;
  let row = firstRow - 1;
  for (let i = -1, next = 0; i < equity.length; i++) {
    const nowMs = i < 0 ? record.fromMs : equity.timeMs[i]!;
    while (next < fills.length && fills.timeMs[next]! <= nowMs) {
      positions.book(next++);
      amount = positions.amountOf(0);
    }
    const value = i < 0 ? record.startUnits : equity.units[i]!;
    if (!(value > 0)) isRuined = true;
    if (amount === 0) continue;
    const span = (i + 1 < equity.length ? equity.timeMs[i + 1]! : record.toMs) - nowMs;
    while (row + 1 < length && closeMs[row + 1]! <= nowMs) row++;
    const money = amount * contractValueAt(face, row < firstRow ? open[firstRow]! : close[row]!);
    const signed = (money * reporting) / value;
    const size = (Math.abs(money) * reporting) / value;
    gross += size * span;
    net += signed * span;
    if (size > grossMax) grossMax = size;
    if (Math.abs(signed) > Math.abs(netExtreme)) netExtreme = signed;
  }
  return { gross, net, grossMax, netExtreme, isRuined };
}

/**
 * Returns the fill rows in order of time. With several instruments the booking order differs: each instrument works through its bar alone.
 * A fill inside the bar has the time of the close, but a fill of another instrument at the open can be booked after it.
 */
function rowsByTime({ fills: { length, timeMs }, instruments }: RunRecord): Uint32Array {
  const rows = new Uint32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return instruments.length < 2 ? rows : rows.toSorted((a, b) => timeMs[a]! - timeMs[b]!);
}

/** Positions of the account in coins or contracts, and their value at the last close. */
class Positions {
  /** Number of open positions. */
  periods = 0;
  gross = 0;
  net = 0;
  /** By instrument. Shorts that exist beside longs follow after all instruments. */
  readonly #units: Float64Array;
  readonly #fills: RunRecord['fills'];
  readonly #shorts: ((row: number) => boolean) | null;
  readonly #lot: readonly number[];
  readonly #unit: readonly number[];
  readonly #worths: readonly ContractFace[];
  readonly #feeds;
  readonly #rows: Int32Array;

  constructor(record: RunRecord) {
    const { instruments, feeds } = record;
    this.#fills = record.fills;
    this.#shorts = shortsOf(record);
    this.#units = new Float64Array(instruments.length * (this.#shorts === null ? 1 : 2));
    this.#lot = instruments.map((of) => pow10(of.baseDigits - of.quantityDigits));
    this.#unit = instruments.map((of) => pow10(of.baseDigits));
    this.#worths = instruments.map(contractFaceOf);
    this.#feeds = instruments.map((of) => executionFeeds(feeds).find((feed) => feed.bars.instrument.id === of.id) ?? null);
    this.#rows = Int32Array.from(this.#feeds, (feed) => (feed === null ? 0 : feed.firstRow - 1));
  }

  book(row: number): void {
    const fills = this.#fills;
    const at = fills.instrument[row]!;
    const position = this.#shorts?.(row) === true ? at + this.#feeds.length : at;
    const before = this.#units[position]!;
    const lots = fills.lots[row]! * this.#lot[at]!;
    const after = before + (fills.side[row] === 0 ? lots : -lots) - (fills.feeInBase[row] === 1 ? fills.fee[row]! : 0);
    this.#units[position] = after;
    this.periods += (after === 0 ? 0 : 1) - (before === 0 ? 0 : 1);
  }

  /** The feed of the position if there can be only one: one instrument, without shorts beside longs. Otherwise null. */
  get only(): FeedRecord | null {
    return this.#units.length === 1 ? this.#feeds[0]! : null;
  }

  /** Returns the coins or contracts of a position. */
  amountOf(position: number): number {
    return this.#units[position]! / this.#unit[position % this.#unit.length]!;
  }

  /** Sets `gross` and `net`, in the quote asset. */
  mark(nowMs: number): void {
    this.gross = 0;
    this.net = 0;
    const many = this.#feeds.length;
    for (let position = 0; position < this.#units.length; position++) {
      const k = position % many;
      const feed = this.#feeds[k];
      if (this.#units[position] === 0 || !feed) continue;
      const { closeMs, close, open, length } = feed.bars;
      let row = this.#rows[k]!;
      while (row + 1 < length && closeMs[row + 1]! <= nowMs) row++;
      this.#rows[k] = row;
      const price = row < feed.firstRow ? open[feed.firstRow]! : close[row]!;
      const value = this.amountOf(position) * contractValueAt(this.#worths[k]!, price);
      this.net += value;
      this.gross += Math.abs(value);
    }
  }
}
