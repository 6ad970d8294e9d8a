// Supports a run whose bars are read block by block: its equity file, its memory, and the record of its results.

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

/** Minimum of rows from which a run reads its bars block by block, if it can. */
export const STREAMED_ROWS = 10_000_000;
/** Rows that stay in memory for the silent sample after the run, in addition to the warm-up rows. */
const HEAD_ROWS = 65_536;
/** Rows around a block that the engine itself reads. */
const MARGIN_ROWS = 64;

/** Where a run may store its equity, and the minimum of rows for that. */
export interface StreamSettings {
  /** A folder for this run alone. The run creates and removes it. */
  readonly folder: string;
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

/** Memory for one run alone. Returned memory is released and not reused by another run. */
class FreedScratch extends Scratch {
  override give(): void {}
}

/** The files of a run that reads its bars block by block. */
export class StreamedRun {
  /** The equity, in a file. */
  readonly equity: EquityFile;
  /** The memory for rows of the run. */
  readonly scratch: Scratch = new FreedScratch();
  private exposure: ExposureSum | null = null;
  private readonly bars: StreamedBars;

  private constructor(bars: StreamedBars, equity: EquityFile) {
    this.bars = bars;
    this.equity = equity;
  }

  /** Returns the streamed run of a plan; null if its bars are in memory. */
  static of({ feeds, fromMs, toMs }: RunPlan, settings: StreamSettings | null): StreamedRun | null {
    const bars = streamedBarsOf(feeds);
    if (bars === null || settings === null) return null;
    return new StreamedRun(bars, new EquityFile(settings.folder, fromMs, toMs));
  }

  /** Call before the first bar. Throws NeedsWholeBars if the run reads its bars in a way that needs all of them. */
  begin(engine: StreamedEngine, { name, models, fromMs, toMs }: RunPlan): void {
    const [feed] = engine.feeds;
    const { indicators } = feed!;
    const back = indicators.rowsBack + MARGIN_ROWS;
    if (back > this.bars.maxRowsBack) throw new NeedsWholeBars(`a look-back of ${back} rows`);
    if (indicators.readsTimes) throw new NeedsWholeBars('an indicator that reads the times of rows');
    if (indicators.customs.length > 0) throw new NeedsWholeBars('a custom indicator, which is checked at several places of the bars');
    if (engine.risk.watchesEquity) throw new NeedsWholeBars('a risk limit that watches equity');
    if ((models?.modules ?? []).length > 0) throw new NeedsWholeBars('modules');
    const { cashAsset, cashDigits } = engine.ledger;
    const { instrument, open, close } = this.bars;
    const run = { name, fromMs, toMs, startUnits: engine.startUnits, reportingAsset: cashAsset, reportingDigits: cashDigits };
    this.exposure = new ExposureSum({ ...run, instrument, fills: engine.fills, open, close });
    this.equity.begin(run, this.exposure);
  }

  /** Reads the file to its end, and returns the record with the figures over all rows. `record` has copied all that the engine kept. */
  recordOf(record: RunRecord, engine: StreamedEngine): RunRecord {
    this.exposure!.end();
    engine.release();
    this.bars.finish();
    this.equity.flush();
    return reviewRecord(record, this.bars, this.equity, this.exposure!);
  }

  /** Returns the resolved run with as many rows in memory as the sample after the run takes. `needed`: rows before the first decision. */
  resolvedOf(resolved: ResolvedRun, needed: number, record: RunRecord): ResolvedRun {
    const { plan } = resolved;
    const [feed] = plan.feeds;
    const bars = this.bars.head(feed!.firstRow + needed + HEAD_ROWS);
    return { ...resolved, plan: { ...plan, feeds: [{ ...feed!, bars, quality: record.feeds[0]!.quality }] } };
  }

  /** Closes the bars and removes the file of equity. */
  release(): void {
    this.bars.release();
    this.equity.release();
  }
}
