// Sums the exposure of a run of one spot instrument row by row, while the run proceeds.

import { pow10 } from '../../../base/number/exact.ts';
import type { ExposureSums } from '../../../model/run/streamed.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { RunRecord } from '../../../model/run/run.ts';
import { contractValueAt } from '../../../report/kernels/contractValue.ts';
import { contractFaceOf } from '../../../report/metrics/instrumentValue.ts';

/** The fills of a run that still proceeds, in booking order. */
export interface LiveFills {
  readonly length: number;
  timeMsAt(row: number): number;
  /** Returns by how much a fill changed the base asset, fee included, in units. `unitsPerLot`: units of one lot. */
  baseUnitsAt(row: number, unitsPerLot: number): number;
}

/** The run whose exposure is summed. The columns are those of its window of bars. */
export interface ExposureRun extends Pick<RunRecord, 'fromMs' | 'toMs' | 'startUnits' | 'reportingDigits'> {
  readonly instrument: Instrument;
  readonly fills: LiveFills;
  readonly open: Float64Array;
  readonly close: Float64Array;
}

/**
 * Computes the same sums as `exposureFigures` computes from whole columns, with the same operations in the same order, so that they have the same
 * bits. The last row of a part waits for the next part, because a fill at the open of the next row counts at the close before it.
 */
export class ExposureSum implements ExposureSums {
  gross = 0;
  net = 0;
  grossMax = 0;
  netExtreme = 0;
  isRuined = false;
  private readonly run: ExposureRun;
  private readonly unitsPerLot: number;
  private readonly unitsPerCoin: number;
  private readonly unitsPerAsset: number;
  private readonly face;
  /** The position in units of the base asset, and the next fill to book. */
  private units = 0;
  private nextFill = 0;
  /** Time and exposure of the last instant. They are added once the next instant shows how long they lasted. */
  private lastMs = NaN;
  private lastGross = 0;
  private lastNet = 0;
  /** The row that waits: its time, equity and close. */
  private isWaiting = false;
  private waitingMs = 0.5;
  private waitingEquity = 0.5;
  private waitingClose = 0.5;

  constructor(run: ExposureRun) {
    const { instrument } = run;
    this.run = run;
    this.unitsPerLot = pow10(instrument.baseDigits - instrument.quantityDigits);
    this.unitsPerCoin = pow10(instrument.baseDigits);
    this.face = contractFaceOf(instrument);
    this.unitsPerAsset = pow10(run.reportingDigits);
  }

  /** Adds the next `length` instants, one for each bar. `from`: index of the first one in `closeMs`. `equity`: units, from index 0 on. */
  takeRows(closeMs: Float64Array, from: number, equity: Float64Array, length: number): void {
    const { fills, fromMs, startUnits, open, close } = this.run;
    if (this.isWaiting) this.addInstant(this.waitingMs, this.waitingEquity, this.waitingClose);
    else this.addInstant(fromMs, startUnits, open[from]!);
    const last = length - 1;
    for (let row = 0; row < last; row++) {
      const untilMs = this.nextFill < fills.length ? fills.timeMsAt(this.nextFill) : Infinity;
      const hasPosition = this.units !== 0;
      row = hasPosition
        ? this.sumRows(closeMs, from, equity, row, last, untilMs)
        : this.passRows(closeMs, from, equity, row, last, untilMs);
      if (row < last) this.addInstant(closeMs[from + row]!, equity[row]!, close[from + row]!);
    }
    this.isWaiting = true;
    this.waitingMs = closeMs[from + last]!;
    this.waitingEquity = equity[last]!;
    this.waitingClose = close[from + last]!;
  }

  /** Adds the last row and the time until the end of the run. */
  end(): void {
    if (this.isWaiting) this.addInstant(this.waitingMs, this.waitingEquity, this.waitingClose);
    if (this.lastMs === this.lastMs) this.endSpan(this.run.toMs);
  }

  /** Adds an instant: its equity in units, and the close of its bar. */
  private addInstant(nowMs: number, equity: number, price: number): void {
    if (this.lastMs === this.lastMs) this.endSpan(nowMs);
    const { fills } = this.run;
    while (this.nextFill < fills.length && fills.timeMsAt(this.nextFill) <= nowMs)
      this.units += fills.baseUnitsAt(this.nextFill++, this.unitsPerLot);
    if (!(equity > 0)) this.isRuined = true;
    if (this.units === 0) return;
    const value = (this.units / this.unitsPerCoin) * contractValueAt(this.face, price);
    const gross = (Math.abs(value) * this.unitsPerAsset) / equity;
    const net = (value * this.unitsPerAsset) / equity;
    this.lastMs = nowMs;
    this.lastGross = gross;
    this.lastNet = net;
    if (gross > this.grossMax) this.grossMax = gross;
    if (Math.abs(net) > Math.abs(this.netExtreme)) this.netExtreme = net;
  }

  /** Passes over rows without a position that close before `untilMs`. Returns the row after them. */
  private passRows(closeMs: Float64Array, from: number, equity: Float64Array, first: number, end: number, untilMs: number): number {
    let row = first;
    for (; row < end && closeMs[from + row]! < untilMs; row++) if (!(equity[row]! > 0)) this.isRuined = true;
    return row;
  }

  /** Adds rows with a position that close before `untilMs`, like `addInstant` but faster. Returns the row after them. */
  private sumRows(closeMs: Float64Array, from: number, equity: Float64Array, first: number, end: number, untilMs: number): number {
    const { face, unitsPerAsset } = this;
    const { close } = this.run;
    const amount = this.units / this.unitsPerCoin;
    let { gross, net, grossMax, netExtreme, lastMs, lastGross, lastNet } = this;
    let row = first;
    for (; row < end; row++) {
      const nowMs = closeMs[from + row]!;
      if (!(nowMs < untilMs)) break;
      const span = nowMs - lastMs;
      gross += lastGross * span;
      net += lastNet * span;
      const equityUnits = equity[row]!;
      if (!(equityUnits > 0)) this.isRuined = true;
      const value = amount * contractValueAt(face, close[from + row]!);
      lastMs = nowMs;
      lastNet = (value * unitsPerAsset) / equityUnits;
      // The same bits as from the absolute value.
      lastGross = value < 0 ? -lastNet : lastNet;
      if (lastGross > grossMax) grossMax = lastGross;
      if (Math.abs(lastNet) > Math.abs(netExtreme)) netExtreme = lastNet;
    }
    this.gross = gross;
    this.net = net;
    this.grossMax = grossMax;
    this.netExtreme = netExtreme;
    this.lastMs = lastMs;
    this.lastGross = lastGross;
    this.lastNet = lastNet;
    return row;
  }

  /** Adds the exposure of the last instant for the time until `nowMs`. */
  private endSpan(nowMs: number): void {
    const span = nowMs - this.lastMs;
    this.gross += this.lastGross * span;
    this.net += this.lastNet * span;
    this.lastMs = NaN;
  }
}
