// Reads the bars of a finished run once more, part by part, for the figures that need every row.

import { RAW, emptyColumns } from '../../../adapters/catalog/files/columns.ts';
import type { StreamedBars } from '../../../adapters/catalog/bars/streamedBars.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { barsBetween } from '../../../model/interval.ts';
import type { FeedQuality, RunRecord } from '../../../model/run/run.ts';
import type { ExposureSums, StreamedFigures } from '../../../model/run/streamed.ts';
import { BarScan, RETURN_ROWS } from '../../../report/warnings/barScan.ts';
import { warningsOfFlaws } from '../../../report/warnings/dataWarnings.ts';
import type { EquityFile } from './equityFile.ts';
import { ThinBars } from './thinBars.ts';

/** Rows that are read at once. Their columns fit into the second-level cache of the processor, where each step finds them. */
const PART_ROWS = 8192;
/** Rows of the previous part that are still needed. */
const KEPT_ROWS = RETURN_ROWS + 1;

/** Counts gaps, missing bars and bars without volume, for the quality of a feed. */
class RowCounts {
  gaps = 0;
  missingBars = 0;
  zeroVolume = 0;

  /** Counts the rows `from` to `to` (exclusive). `isFirst`: the run begins at `from`, so the row before it does not count. */
  take({ interval, openMs, closeMs, volume }: BarColumns, from: number, to: number, isFirst: boolean): void {
    for (let index = from; index < to; index++) {
      if (volume[index] === 0) this.zeroVolume++;
      if ((isFirst && index === from) || openMs[index] === closeMs[index - 1]) continue;
      this.gaps++;
      this.missingBars += barsBetween(interval, openMs[index - 1]!, openMs[index]!) - 1;
    }
  }
}

/** The bars of a run. `firstRow`: the first one that its data quality counts. */
interface CountedBars {
  readonly bars: StreamedBars;
  readonly firstRow: number;
}

/** Returns the record of the run with thin bars, daily equity and the figures over all rows. `record` has no equity. */
export function reviewRecord(record: RunRecord, { bars, firstRow }: CountedBars, equity: EquityFile, exposure: ExposureSums): RunRecord {
  const [feed] = record.feeds;
  const thin = new ThinBars(record.orders, record.fills, feed!.firstRow);
  const counts = new RowCounts();
  const scan = new BarScan();
  const columns = partColumns(bars);
  let from = 0;
  let nextToScan = 0;
  for (let row = 0; row < bars.length;) {
    const rows = Math.min(PART_ROWS, bars.length - row);
    bars.readAgain(row, columns, from, rows);
    const to = from + rows;
    for (let index = from; index < to; index++) columns.closeMs[index] = bars.closeOf(columns.openMs[index]!);
    thin.take(columns, from, to, row);
    const before = Math.min(rows, Math.max(0, firstRow - row));
    if (before < rows) counts.take(columns, from + before, to, row + before === firstRow);
    row += rows;
    const isLast = row === bars.length;
    columns.length = to;
    if (isLast) {
      scan.take(columns, nextToScan, to);
      break;
    }
    nextToScan = scan.take(columns, nextToScan, Math.max(nextToScan, to - RETURN_ROWS));
    const dropped = nextToScan - 1;
    scan.drop(columns, dropped);
    for (const name of [...RAW, 'closeMs'] as const) columns[name].copyWithin(0, dropped, to);
    from = to - dropped;
    nextToScan = 1;
  }
  const { instrument, interval } = bars;
  const { gaps, missingBars, zeroVolume } = counts;
  const quality: FeedQuality = { ...feed!.quality, rows: bars.length - firstRow, gaps, missingBars, zeroVolume };
  const priceWarnings = warningsOfFlaws(`${instrument.wireName} ${interval}`, scan.flaws(columns));
  return {
    ...record,
    feeds: [{ ...feed!, bars: thin.bars(instrument, interval), quality }],
    equity: equity.sampledEquity(),
    streamed: new WrittenFigures(equity, { exposure, priceWarnings }),
  };
}

interface PartColumns extends BarColumns {
  length: number;
}

function partColumns({ instrument, interval }: BarColumns): PartColumns {
  const raw = emptyColumns(PART_ROWS + KEPT_ROWS);
  return { instrument, interval, ...raw, length: 0, closeMs: new Float64Array(raw.openMs.length) };
}

/** Figures of a run whose equity is in a file. */
class WrittenFigures implements StreamedFigures {
  readonly equityRows: number;
  readonly drawdown;
  readonly exposure;
  readonly priceWarnings;
  private readonly equity: EquityFile;

  constructor(equity: EquityFile, figures: Pick<StreamedFigures, 'exposure' | 'priceWarnings'>) {
    this.equity = equity;
    this.equityRows = equity.rows;
    this.drawdown = equity.drawdown;
    this.exposure = figures.exposure;
    this.priceWarnings = figures.priceWarnings;
  }

  timeParts(partRows: number): Iterable<Float64Array> {
    return this.parts(partRows, (row, into) => this.equity.readTimes(row, into));
  }

  equityParts(partRows: number): Iterable<Float64Array> {
    return this.parts(partRows, (row, into) => this.equity.readEquity(row, into));
  }

  unitsAt(row: number): number {
    return this.equity.unitsAt(row);
  }

  moveEquity(path: string, resultHash: string): void {
    this.equity.moveTo(path, resultHash);
  }

  /** Yields the rows in parts of at most `partRows`. All parts share one array. */
  private *parts(partRows: number, read: (row: number, into: Float64Array) => void): Generator<Float64Array, undefined> {
    const values = new Float64Array(Math.min(partRows, this.equityRows));
    for (let row = 0; row < this.equityRows; row += partRows) {
      const part = values.subarray(0, Math.min(partRows, this.equityRows - row));
      read(row, part);
      yield part;
    }
    return undefined;
  }
}
