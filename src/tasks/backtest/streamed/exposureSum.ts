// The exposure of a run of one spot instrument, summed row by row.

import { pow10 } from '../../../base/number/exact.ts';
import type { ExposureSums } from '../../../model/run/streamed.ts';
import type { RunRecord } from '../../../model/run/run.ts';
import { contractValueAt } from '../../../report/kernels/contractValue.ts';
import { contractFaceOf } from '../../../report/metrics/instrumentValue.ts';

/** Computes what `exposureFigures` does from whole columns: the same operations in the same order, so that the sums have the same bits. */
export class ExposureSum implements ExposureSums {
  gross = 0;
  net = 0;
  grossMax = 0;
  netExtreme = 0;
  isRuined = false;
  private readonly record: RunRecord;
  private readonly lot: number;
  private readonly unit: number;
  private readonly reporting: number;
  private readonly face;
  /** The position in units of the base asset, and the next fill to book. */
  private units = 0;
  private nextFill = 0;
  /** The exposure at the last instant, until the next one says how long it lasted. */
  private lastMs = NaN;
  private lastGross = 0;
  private lastNet = 0;

  /** `firstPrice`: the open of the first bar of the run. */
  constructor(record: RunRecord, firstPrice: number) {
    const instrument = record.instruments[0]!;
    this.record = record;
    this.lot = pow10(instrument.baseDigits - instrument.quantityDigits);
    this.unit = pow10(instrument.baseDigits);
    this.face = contractFaceOf(instrument);
    this.reporting = pow10(record.reportingDigits);
    this.take(record.fromMs, record.startUnits, firstPrice);
  }

  /**
   * Takes the instants `from` to `to` (exclusive), one for each bar: those with nothing in the market at once. `equity` is in units, `closes`
   * has an instant `offset` places behind that of `equity`.
   */
  takeRows(closeMs: Float64Array, closes: Float64Array, offset: number, equity: Float64Array, from: number, to: number): void {
    const { fills } = this.record;
    for (let index = from; index < to; index++) {
      const nowMs = closeMs[index + offset]!;
      if (this.units === 0 && this.lastMs !== this.lastMs && !(fills.timeMs[this.nextFill]! <= nowMs)) {
        if (!(equity[index]! > 0)) this.isRuined = true;
      } else this.take(nowMs, equity[index]!, closes[index + offset]!);
    }
  }

  /** Takes an instant: its equity in units, and the close of its bar. */
  take(nowMs: number, equity: number, price: number): void {
    if (this.lastMs === this.lastMs) this.endSpan(nowMs);
    const { fills } = this.record;
    while (this.nextFill < fills.length && fills.timeMs[this.nextFill]! <= nowMs) this.book(this.nextFill++);
    if (!(equity > 0)) this.isRuined = true;
    if (this.units === 0) return;
    const value = (this.units / this.unit) * contractValueAt(this.face, price);
    const gross = (Math.abs(value) * this.reporting) / equity;
    const net = (value * this.reporting) / equity;
    this.lastMs = nowMs;
    this.lastGross = gross;
    this.lastNet = net;
    if (gross > this.grossMax) this.grossMax = gross;
    if (Math.abs(net) > Math.abs(this.netExtreme)) this.netExtreme = net;
  }

  /** The run ends. */
  end(): void {
    if (this.lastMs === this.lastMs) this.endSpan(this.record.toMs);
  }

  private endSpan(nowMs: number): void {
    const span = nowMs - this.lastMs;
    this.gross += this.lastGross * span;
    this.net += this.lastNet * span;
    this.lastMs = NaN;
  }

  private book(row: number): void {
    const { fills } = this.record;
    const lots = fills.lots[row]! * this.lot;
    this.units = this.units + (fills.side[row] === 0 ? lots : -lots) - (fills.feeInBase[row] === 1 ? fills.fee[row]! : 0);
  }
}
