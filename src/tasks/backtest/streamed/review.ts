// Reads the bars of a finished run once more, part by part, for the figures that need every row.

import { RAW, emptyColumns } from '../../../adapters/catalog/files/columns.ts';
import type { StreamedBars } from '../../../adapters/catalog/bars/streamedBars.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { barsBetween } from '../../../model/interval.ts';
import type { FeedQuality, RunRecord } from '../../../model/run/run.ts';
import type { EquityPart, StreamedFigures } from '../../../model/run/streamed.ts';
import { BarScan, RETURN_ROWS } from '../../../report/warnings/barScan.ts';
import { warningsOfFlaws } from '../../../report/warnings/dataWarnings.ts';
import type { EquityFile } from './equityFile.ts';
import { ExposureSum } from './exposureSum.ts';
import { ThinBars } from './thinBars.ts';

/** Rows that are read at once: those of a batch of the file. */
const PART_ROWS = 65_536;
/** Rows of the part before that are still needed. */
const KEPT_ROWS = RETURN_ROWS + 1;

/** Counts what the quality of a feed says of its rows. */
class RowCounts {
  gaps = 0;
  missingBars = 0;
  zeroVolume = 0;

  /** Takes the rows `from` to `to` (exclusive). Before the first one is the row before it, unless the run begins here. */
  take({ interval, openMs, closeMs, volume }: BarColumns, from: number, to: number, isFirst: boolean): void {
    for (let index = from; index < to; index++) {
      if (volume[index] === 0) this.zeroVolume++;
      if ((isFirst && index === from) || openMs[index] === closeMs[index - 1]) continue;
      this.gaps++;
      this.missingBars += barsBetween(interval, openMs[index - 1]!, openMs[index]!) - 1;
    }
  }
}

/** Returns the record of the run with thin bars, daily equity and the figures over all rows. `record` has no equity. */
export function reviewed(record: RunRecord, bars: StreamedBars, equity: EquityFile): RunRecord {
  const [feed] = record.feeds;
  const { firstRow } = feed!;
  const thin = new ThinBars(record.orders, record.fills, firstRow);
  const counts = new RowCounts();
  const scan = new BarScan();
  const held = partColumns(bars);
  const units = new Float64Array(PART_ROWS);
  let exposure: ExposureSum | null = null;
  let from = 0;
  let nextToScan = 0;
  for (let row = 0; row < bars.length;) {
    const rows = Math.min(PART_ROWS, bars.length - row);
    bars.readAgain(row, held, from, rows);
    const to = from + rows;
    for (let index = from; index < to; index++) held.closeMs[index] = bars.closeOf(held.openMs[index]!);
    thin.take(held, from, to, row);
    const before = Math.min(rows, Math.max(0, firstRow - row));
    if (before < rows) equity.read(row + before - firstRow, units.subarray(before, rows));
    if (before < rows) {
      exposure ??= new ExposureSum(record, held.open[from + before]!);
      exposure.takeRows(held.closeMs, held.close, from, units, before, rows);
      counts.take(held, from + before, to, row + before === firstRow);
    }
    row += rows;
    const isLast = row === bars.length;
    held.length = to;
    if (isLast) {
      scan.take(held, nextToScan, to);
      break;
    }
    nextToScan = scan.take(held, nextToScan, Math.max(nextToScan, to - RETURN_ROWS));
    const dropped = nextToScan - 1;
    scan.drop(held, dropped);
    for (const name of [...RAW, 'closeMs'] as const) held[name].copyWithin(0, dropped, to);
    from = to - dropped;
    nextToScan = 1;
  }
  exposure!.end();
  const { instrument, interval } = bars;
  const { gaps, missingBars, zeroVolume } = counts;
  const quality: FeedQuality = { ...feed!.quality, rows: bars.length - firstRow, gaps, missingBars, zeroVolume };
  const priceWarnings = warningsOfFlaws(`${instrument.wireName} ${interval}`, scan.flaws(held));
  return {
    ...record,
    feeds: [{ ...feed!, bars: thin.bars(instrument, interval), quality }],
    equity: equity.sampled(),
    streamed: new ReadAgain(bars, firstRow, equity, { exposure: exposure!, priceWarnings }),
  };
}

interface PartColumns extends BarColumns {
  length: number;
}

function partColumns({ instrument, interval }: BarColumns): PartColumns {
  const raw = emptyColumns(PART_ROWS + KEPT_ROWS);
  return { instrument, interval, ...raw, length: 0, closeMs: new Float64Array(raw.openMs.length) };
}

class ReadAgain implements StreamedFigures {
  readonly equityRows: number;
  readonly drawdown;
  readonly exposure;
  readonly priceWarnings;
  private readonly bars: StreamedBars;
  private readonly firstRow: number;
  private readonly equity: EquityFile;

  constructor(bars: StreamedBars, firstRow: number, equity: EquityFile, found: Pick<StreamedFigures, 'exposure' | 'priceWarnings'>) {
    this.bars = bars;
    this.firstRow = firstRow;
    this.equity = equity;
    this.equityRows = equity.rows;
    this.drawdown = equity.drawdown;
    this.exposure = found.exposure;
    this.priceWarnings = found.priceWarnings;
  }

  *equityParts(partRows: number): Generator<EquityPart, undefined> {
    const times = new Float64Array(partRows);
    const values = new Float64Array(partRows);
    for (let row = 0; row < this.equityRows; row += partRows) {
      const rows = Math.min(partRows, this.equityRows - row);
      const [timeMs, units] = [times.subarray(0, rows), values.subarray(0, rows)];
      this.bars.readTimesAgain(this.firstRow + row, timeMs);
      for (let index = 0; index < rows; index++) timeMs[index] = this.bars.closeOf(timeMs[index]!);
      this.equity.read(row, units);
      yield { timeMs, units };
    }
    return undefined;
  }

  unitsAt(row: number): number {
    const one = new Float64Array(1);
    this.equity.read(row, one);
    return one[0]!;
  }
}
