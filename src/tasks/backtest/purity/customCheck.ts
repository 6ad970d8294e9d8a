// Checks that custom indicators read and write nothing outside their function: results must not depend on how far ahead they are computed.

import { largestOf } from '../../../base/number/extremes.ts';
import { DiffersError } from '../../../base/errors.ts';
import { seededRng } from '../../../base/number/rng.ts';
import type { HostCall } from '../../../engine/host/recordingHost.ts';
import { HostCallTexts, RecordingHost } from '../../../engine/host/recordingHost.ts';
import { needsTechnical } from '../../../engine/loop/setUp.ts';
import { spanLoop } from '../../../engine/loop/spanLoop.ts';
import type { CustomNote } from '../../../indicators/graph/spec.ts';
import { loadTechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
import { formatMinute } from '../../../model/time.ts';
import type { Warning, WarningList } from '../../../model/warning.ts';
import { replayedBotMaker, sealBot, type SealedBot } from '../../../app/replayedBot.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { finestFeeds } from '../../../definition/plan/finestFeeds.ts';
import { freshStrategies } from './freshStrategies.ts';
import { placeOfError } from './callSite.ts';

/** Rows of a span, and number of spans after the first one. */
export const SPAN_ROWS = 2048;
const LATER_SPANS = 2;
/** A run whose custom indicators are all declared pure is one span if it has at most this many bars, of all feeds together. */
const MAX_WHOLE_BARS = 262_144;

/** A bot before its run: its custom indicators, and when its strategies are ready. */
interface ReadyBot {
  readonly feeds: readonly { readonly indicators: { readonly customs: readonly CustomNote[] } }[];
  readonly runs: readonly { readonly readyMs: number }[];
}

/** A call that only one of both runs makes, with the time of its bar. */
interface CustomDifference {
  readonly timeMs: number;
  readonly text: string;
}

/**
 * Compares the calls of two fresh instances: one in full blocks, one in blocks of one row. They run over the first rows after the warm-up and
 * two later spans; a short run of pure indicators is compared as a whole. If their calls differ: throws DiffersError when every custom indicator
 * is declared pure, else adds a warning, and the run itself uses blocks of one row. `sealed`: the bot of the run; null: builds one.
 */
export async function checkCustoms(plan: RunPlan, sealed: ReadyBot | null, warnings: WarningList): Promise<void> {
  const engine = sealed ?? (await sealedEngineOf(plan));
  const customs = engine.feeds.flatMap(({ indicators }) => indicators.customs);
  if (customs.length === 0) return;
  const arePure = customs.every(({ isPure }) => isPure);
  for (const span of spansOf(plan, engine, arePure)) {
    const difference = await findDifference(plan, span);
    if (difference === null) continue;
    if (arePure) throw impureError(difference, customs);
    warnings.add(warningOf(difference, customs));
    return;
  }
}

/** Builds the bot of a run with fresh strategies, before its first bar. */
async function sealedEngineOf(plan: RunPlan): Promise<ReadyBot> {
  const bot = replayedBotMaker({ ...plan, strategies: await freshStrategies(plan.strategies) }, {})();
  return sealBot(bot, needsTechnical(bot.engine) ? await loadTechnicalLibrary() : null).engine;
}

/** A part of the run, ms UTC. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Returns the spans to check, by rows of the finest visible feed; none if the run ends before its strategies are ready. `arePure`: all custom
 * indicators are declared pure. A short run of those is one span, because pure indicators are computed ahead. With others the run goes row by
 * row, and the check only has to warn.
 */
function spansOf(plan: RunPlan, { runs }: ReadyBot, arePure: boolean): readonly Span[] {
  const visibleFeeds = plan.feeds.filter(({ isExecutionOnly }) => isExecutionOnly !== true);
  const [leadFeed] = finestFeeds(visibleFeeds);
  if (leadFeed === undefined) return [];
  const { closeMs, openMs, length } = leadFeed.bars;
  const readyMs = largestOf(runs.map((run) => run.readyMs));
  const readyRow = firstRowFrom(closeMs, length, readyMs);
  if (readyRow >= length) return [];
  if (arePure && length * plan.feeds.length <= MAX_WHOLE_BARS) return [{ fromMs: plan.fromMs, toMs: closeMs[length - 1]! }];
  const spanAt = (row: number, fromMs: number): Span => ({ fromMs, toMs: closeMs[Math.min(row + SPAN_ROWS, length) - 1]! });
  const rng = seededRng(plan.seed);
  const lastStartRow = length - SPAN_ROWS;
  const laterSpans = lastStartRow > readyRow ? LATER_SPANS : 0;
  const randomStartRow = (): number => readyRow + 1 + Math.floor(rng.next() * (lastStartRow - readyRow));
  const laterStartRows = Array.from({ length: laterSpans }, randomStartRow);
  // The first span begins at the start of the run, so that it has the same state as the run.
  const firstSpan = spanAt(readyRow, plan.fromMs);
  return [firstSpan, ...laterStartRows.map((row) => spanAt(row, openMs[row]!))];
}

/** Returns the first row that closes at or after `timeMs`; `length`: none. */
function firstRowFrom(closeMs: Float64Array, length: number, timeMs: number): number {
  let row = 0;
  while (row < length && closeMs[row]! < timeMs) row++;
  return row;
}

/** Returns the first call that differs between a run in full blocks and one in blocks of one row; null if all are equal. */
async function findDifference(plan: RunPlan, span: Span): Promise<CustomDifference | null> {
  const fullCalls = await recordCalls(plan, span, { stepsRows: false });
  const singleCalls = await recordCalls(plan, span, { stepsRows: true });
  for (let index = 0; index < Math.max(fullCalls.length, singleCalls.length); index++) {
    const fullCall = fullCalls[index];
    const singleCall = singleCalls[index];
    if (fullCall?.text === singleCall?.text && fullCall?.timeMs === singleCall?.timeMs) continue;
    // The earlier call is the one that the other run does not make.
    if (fullCall === undefined) return singleCall ?? null;
    return singleCall !== undefined && singleCall.timeMs < fullCall.timeMs ? singleCall : fullCall;
  }
  return null;
}

/** Returns the calls of a fresh instance in a span, and the error that it throws. `stepsRows`: it runs in blocks of one row. */
async function recordCalls(
  plan: RunPlan,
  { fromMs, toMs }: Span,
  { stepsRows }: { readonly stepsRows: boolean },
): Promise<readonly HostCall[]> {
  const log = new HostCallTexts();
  const { calls } = log;
  const strategies = await freshStrategies(plan.strategies);
  const spanPlan = { ...plan, fromMs, strategies };
  let bot: SealedBot | null = null;
  try {
    const replayedBot = replayedBotMaker(spanPlan, { hostFor: (run) => new RecordingHost(run, log) })();
    bot = sealBot(replayedBot, needsTechnical(replayedBot.engine) ? await loadTechnicalLibrary() : null);
    bot.engine.stepsRows = stepsRows;
    spanLoop(bot.engine, toMs);
  } catch (error) {
    // The run itself reports this error. Here it only matters whether both instances throw it.
    calls.push({ timeMs: bot?.engine.nowMs ?? fromMs, text: error instanceof Error ? error.message : String(error) });
  }
  bot?.engine.release();
  return calls.filter(({ timeMs }) => timeMs <= toMs);
}

/** Returns the error for a custom indicator whose results depend on the size of a block. */
function impureError({ timeMs, text }: CustomDifference, customs: readonly CustomNote[]): DiffersError {
  return new DiffersError(
    `${text} at ${formatMinute(timeMs)}: expected the same call whatever the size of a block, got another one; ${listNames(customs)} is not pure`,
    'keep the state of a custom indicator inside make and read it through its series; or leave { pure: true } out',
  );
}

/** Returns the warning about a custom indicator that is not declared pure and whose results differ. */
function warningOf({ timeMs, text }: CustomDifference, customs: readonly CustomNote[]): Warning {
  const firstImpure = customs.find(({ isPure }) => !isPure);
  const problem =
    `${listNames(customs)} writes or reads outside its function and would read the future in blocks of several rows: ` +
    `${text} at ${formatMinute(timeMs)} would differ; the run went row by row`;
  return { code: 'LOOKAHEAD_CUSTOM', text: problem, ...placeOf(firstImpure) };
}

/** Returns where the source declares a custom indicator. */
const placeOf = (note: CustomNote | undefined): Pick<Warning, 'file' | 'line'> =>
  (note === undefined ? null : placeOfError(note.place)) ?? { file: null, line: null };

/** Returns the custom indicators as text, each with its place in the source. */
function listNames(customs: readonly CustomNote[]): string {
  return customs
    .map((note) => {
      const { file, line } = placeOf(note);
      return file === null ? note.key : `${note.key} (${file}:${line})`;
    })
    .join(', ');
}
