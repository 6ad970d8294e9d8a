// Supports a backtest that reads its bars block by block, because they are too many for the memory. It owns the equity file and the memory of the
// run, and completes the record of its results.

import type { StreamedBars } from '../../../adapters/catalog/bars/streamedBars.ts';
import { Scratch } from '../../../base/memory/rowLog.ts';
import { NeedsWholeBars } from '../../../model/bars/wholeBars.ts';
import type { RunRecord } from '../../../model/run/run.ts';
import { streamedBarsOf } from '../../../definition/load/streaming.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { ResolvedRun } from '../../../definition/resolve.ts';
import { EquityFile } from './equityFile.ts';
import { ExposureSum, type LiveFills } from './exposureSum.ts';
import { reviewRecord } from './reviewRecord.ts';

/** Minimum number of rows from which a run reads its bars block by block, if its strategy allows that. */
export const STREAMED_ROWS = 10_000_000;
/** Rows that the sample run after the backtest reads from memory, in addition to the warm-up rows. */
const SAMPLE_ROWS = 65_536;
/** Rows around a block that the engine reads in addition to the look-back of the indicators. */
const MARGIN_ROWS = 64;

/** Where a run may store its equity, and from how many rows on. */
export interface StreamSettings {
  /** A folder for this run alone. The run creates and removes it. */
  readonly folder: string;
  /** Minimum number of rows from which the run reads its bars block by block. */
  readonly minRows: number;
}

/** The members of the engine that a streamed run uses. */
interface StreamedEngine {
  readonly feeds: readonly {
    readonly indicators: { readonly rowsBack: number; readonly readsTimes: boolean; readonly customs: readonly unknown[] };
  }[];
  readonly risk: { readonly watchesEquity: boolean };
  readonly ledger: { readonly cashAsset: string; readonly cashDigits: number };
  readonly fills: LiveFills;
  readonly startUnits: number;
  release(): void;
}

/** Memory for one run alone. Memory that is given back is freed, so that it cannot add up in another run. */
class UnsharedScratch extends Scratch {
  override give(): void {}
}

/** The equity file, the memory and the bars of one run that reads its bars block by block. Call `begin`, run, then `recordOf` and `release`. */
export class StreamedRun {
  /** The file with the equity of each row. */
  readonly equity: EquityFile;
  /** The memory for rows of the run. */
  readonly scratch: Scratch = new UnsharedScratch();
  /** Sums the exposure over all rows; null before `begin`. */
  private exposureSum: ExposureSum | null = null;
  private readonly bars: StreamedBars;
  /** The first row that opens at or after the start of the run. The quality of the data counts from it on. */
  private readonly firstRow: number;

  private constructor(bars: StreamedBars, firstRow: number, equity: EquityFile) {
    this.bars = bars;
    this.firstRow = firstRow;
    this.equity = equity;
  }

  /** Returns the streamed run of a plan; null if its bars are in memory. */
  static of({ feeds, fromMs, toMs }: RunPlan, settings: StreamSettings | null): StreamedRun | null {
    const bars = streamedBarsOf(feeds);
    if (bars === null || settings === null) return null;
    return new StreamedRun(bars, feeds[0]!.firstRow, new EquityFile(settings.folder, fromMs, toMs));
  }

  /** Prepares the run, before its first bar. Throws NeedsWholeBars if the run needs all of its bars in memory. */
  begin(engine: StreamedEngine, { name, models, fromMs, toMs }: RunPlan): void {
    const [feed] = engine.feeds;
    const { indicators } = feed!;
    const neededRowsBack = indicators.rowsBack + MARGIN_ROWS;
    if (neededRowsBack > this.bars.maxRowsBack) throw new NeedsWholeBars(`a look-back of ${neededRowsBack} rows`);
    if (indicators.readsTimes) throw new NeedsWholeBars('an indicator that reads the times of rows');
    if (indicators.customs.length > 0) throw new NeedsWholeBars('a custom indicator, which is checked at several places of the bars');
    if (engine.risk.watchesEquity) throw new NeedsWholeBars('a risk limit that watches equity');
    if ((models?.modules ?? []).length > 0) throw new NeedsWholeBars('modules');
    const { cashAsset, cashDigits } = engine.ledger;
    const { instrument, open, close } = this.bars;
    const runTerms = { name, fromMs, toMs, startUnits: engine.startUnits, reportingAsset: cashAsset, reportingDigits: cashDigits };
    this.exposureSum = new ExposureSum({ ...runTerms, instrument, fills: engine.fills, open, close });
    this.equity.begin(runTerms, this.exposureSum);
  }

  /**
   * Ends the run: reads the bar file to its end, releases the engine and completes the equity file. Returns the record with the figures over all
   * rows. `record` must own its columns, because the engine's memory is released.
   */
  recordOf(record: RunRecord, engine: StreamedEngine): RunRecord {
    this.exposureSum!.end();
    engine.release();
    this.bars.finish();
    this.equity.flush();
    return reviewRecord(record, { bars: this.bars, firstRow: this.firstRow }, this.equity, this.exposureSum!);
  }

  /** Returns the resolved run over its first rows alone, which are in memory, for the sample run. `warmupRows`: rows before the first decision. */
  sampleOf(resolved: ResolvedRun, warmupRows: number, record: RunRecord): ResolvedRun {
    const { plan } = resolved;
    const [feed] = plan.feeds;
    const firstBars = this.bars.head(feed!.firstRow + warmupRows + SAMPLE_ROWS);
    return { ...resolved, plan: { ...plan, feeds: [{ ...feed!, bars: firstBars, quality: record.feeds[0]!.quality }] } };
  }

  /** Closes the bars and removes the file of equity. */
  release(): void {
    this.bars.release();
    this.equity.release();
  }
}
