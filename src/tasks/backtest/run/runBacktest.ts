// Runs one backtest from a resolved plan: builds a bot on replayed bars, runs it to the end and collects its record.

import { largestOf } from '../../../base/number/extremes.ts';
import { needsTechnical } from '../../../engine/loop/setUp.ts';
import type { BlockLoop } from '../../../engine/loop/blockLoop.ts';
import { Scratch } from '../../../base/memory/rowLog.ts';
import { DecisionLog } from '../../../engine/book/decisionLog.ts';
import type { EquitySink } from '../../../engine/book/equityRecorder.ts';
import type { FeedRun } from '../../../engine/feeds/feed.ts';
import type { StrategyRun } from '../../../engine/host/strategyRun.ts';
import type { IndicatorSet } from '../../../indicators/graph/indicatorSet.ts';
import type { Series } from '../../../indicators/graph/series.ts';
import { loadTechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { IndicatorTrace, RunRecord } from '../../../model/run/run.ts';
import type { WarningList } from '../../../model/warning.ts';
import { replayedBotMaker, loopsFor, sealBot, type ReplayedBotOptions, type SealedBot } from '../../../app/replayedBot.ts';
import { inlineFor, type RunKind } from '../../../adapters/runtime/inlining.ts';
import type { FuturesPlan, RunPlan } from '../../../definition/plan/plan.ts';
import { feedRecordsOf, runQuoteAssets } from './quoteAssets.ts';

/** What a caller may choose about one run of a plan. */
export interface BacktestRunOptions extends Omit<ReplayedBotOptions, 'dropsOrders'> {
  /** Keep the values of registered indicators, for charts. */
  readonly trace?: boolean;
  /** What the run is part of; by default a loop that runs many times. Affects only speed. */
  readonly kind?: RunKind;
  /** Takes the equity of each block, so that the run keeps no column of it. */
  readonly equitySink?: EquitySink | null;
  /** Keep what the strategies ask for, for the envelope. */
  readonly keepsDecisions?: boolean;
  /** Watches the strategies while they are constructed. */
  readonly during?: <T>(run: () => T) => T;
}

/** A bot that is ready to run, with its loop. */
export interface PreparedRun extends SealedBot {
  readonly loop: BlockLoop;
  /** Null: what the strategies ask for is not kept. */
  readonly decisionLog: DecisionLog | null;
}

/** Runs a plan and returns the record of the run. */
export async function runBacktest(plan: RunPlan, options: BacktestRunOptions = {}): Promise<RunRecord> {
  const prepared = await prepareBacktest(plan, options);
  prepared.loop(prepared.engine);
  return runRecordOf(plan, prepared, options.trace ?? false, options.warnings);
}

/** Prepares everything up to the first bar: container, strategies, deposits, warm-up. */
export async function prepareBacktest(plan: RunPlan, options: BacktestRunOptions = {}): Promise<PreparedRun> {
  inlineFor(options.kind ?? 'loop');
  const { during = (run) => run() } = options;
  const makeBot = replayedBotMaker(plan, options);
  const bot = during(() => makeBot());
  const decisionLog = options.keepsDecisions === true ? new DecisionLog(options.scratch ?? new Scratch()) : null;
  for (const run of bot.engine.runs) run.decisions = decisionLog;
  const { loop } = await loopsFor(plan);
  return {
    decisionLog,
    ...sealBot(bot, needsTechnical(bot.engine) ? await loadTechnicalLibrary() : null, options.equitySink ?? null),
    loop,
  };
}

/** Returns the record of a finished run. First checks that the bot's ledger and the venue's books agree to the last unit. */
export function runRecordOf(
  plan: RunPlan,
  { engine, checkBooks, decisionLog, plan: { strategies } }: PreparedRun,
  trace: boolean,
  warnings?: WarningList,
): RunRecord {
  checkBooks();
  return {
    name: plan.name,
    mode: 'backtest',
    strategies: strategies.map(({ record }) => record),
    instruments: engine.instruments,
    reportingAsset: engine.ledger.cashAsset,
    reportingDigits: engine.ledger.cashDigits,
    ...runQuoteAssets(plan, engine),
    fromMs: plan.fromMs,
    toMs: plan.toMs,
    startUnits: engine.startUnits,
    seed: plan.seed,
    rules: engine.risk.rulesOn(),
    feeds: feedRecordsOf(plan, engine),
    orders: engine.orders.columns(),
    fills: engine.fills.columns(),
    equity: engine.recorder.columns(),
    ...(plan.futures
      ? { payments: engine.payments.columns(), isTwoWay: !plan.futures.isNet, ...marksOf(engine.instruments, plan.futures) }
      : {}),
    indicators: trace ? tracesOf(engine.feeds, engine.runs) : [],
    warmupInRange: Math.max(0, largestOf(engine.runs.map((run) => rowsBefore(engine.execution[0]!, run)))),
    warnings: warnings?.all() ?? [],
    ...(decisionLog === null ? {} : { decisions: { ...decisionLog.columns(), dependsOn: dependenciesOf(engine.runs) } }),
  };
}

/** Returns everything that the decisions of the strategies depend on, without repetition. */
function dependenciesOf(runs: readonly StrategyRun[]): string[] {
  return [...new Set(runs.flatMap(({ dependsOn }) => dependsOn))];
}

/** Returns the mark prices of each instrument, and where they come from. */
function marksOf(instruments: readonly Instrument[], { data }: FuturesPlan): Pick<RunRecord, 'markSources' | 'markTicks'> {
  const marks = instruments.map(({ id }) => data.get(id)?.marks ?? null);
  const sources = instruments.map(({ contract }, index) => marks[index]?.source ?? (contract === undefined ? 'close' : 'last price'));
  return { markSources: sources, markTicks: marks.map((columns) => columns?.close ?? null) };
}

/** With more indicators than this, their values would take as much memory as the prices. */
const MAX_KEPT_TRACES = 64;

/** Returns the values of the indicators that strategies draw. */
function tracesOf(feeds: readonly FeedRun[], runs: readonly StrategyRun[]): IndicatorTrace[] {
  const drawn = runs.flatMap((run) => run.drawn);
  return drawn.map(({ feed, series, name, pane }) => {
    const trace = { name, pane, feedIndex: feeds.indexOf(feed), isOneOfFew: drawn.length <= MAX_KEPT_TRACES };
    return traceOf(trace, feed.indicators, series);
  });
}

/** Returns the values of one indicator. They hold its set, but not the feed or the engine, whose memory is free after the run. */
function traceOf(
  { name, pane, feedIndex, isOneOfFew }: Pick<IndicatorTrace, 'name' | 'pane'> & { feedIndex: number; isOneOfFew: boolean },
  indicators: IndicatorSet,
  series: Series,
): IndicatorTrace {
  // Custom functions may be impure, so that a second computation could give other values.
  const isImpure = indicators.customs.length > 0;
  const trace = new RunTrace(name, pane, feedIndex, isImpure || isOneOfFew, () => indicators.traceValues(series));
  if (!isImpure) trace.at = (rows) => indicators.traceAt(series, rows);
  return trace;
}

/**
 * The values of an indicator. They are computed when they are read: only charts need them, and a run without a report has none. `isKept`: the whole column is computed
 * once, otherwise at each read.
 */
class RunTrace implements IndicatorTrace {
  readonly name: string;
  readonly pane: string;
  readonly feed: number;
  at?: (rows: Int32Array) => Float64Array;
  readonly #isKept: boolean;
  readonly #computeValues: () => Float64Array;
  #values: Float64Array | null = null;

  constructor(name: string, pane: string, feedIndex: number, isKept: boolean, computeValues: () => Float64Array) {
    this.name = name;
    this.pane = pane;
    this.feed = feedIndex;
    this.#isKept = isKept;
    this.#computeValues = computeValues;
  }

  get values(): Float64Array {
    if (!this.#isKept) return this.#computeValues();
    return (this.#values ??= this.#computeValues());
  }
}

/** Returns the bars of the run before a strategy was ready. */
function rowsBefore({ bars: { closeMs, length, window }, firstRow }: FeedRun, run: StrategyRun): number {
  if (window !== undefined) return Math.max(firstRow, window.firstAfter(run.readyMs - 1)) - firstRow;
  let row = firstRow;
  while (row < length && closeMs[row]! < run.readyMs) row++;
  return row - firstRow;
}
