// Runs a plan, or a part of it, and returns the decisions that its strategies made.

import { needsTechnical } from '../../../engine/loop/setUp.ts';
import { endSpan, spanLoop, turnsLoop } from '../../../engine/loop/spanLoop.ts';
import { RecordingHost } from '../../../engine/host/recordingHost.ts';
import type { StrategyRun } from '../../../engine/host/strategyRun.ts';
import { loadTechnicalLibrary, type TechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { InvariantError } from '../../../base/errors.ts';
import { Scratch } from '../../../base/memory/rowLog.ts';
import { replayedBotMaker, sealBot, type ReplayedBotOptions, type ConstructedBot, type SealedBot } from '../../../app/replayedBot.ts';
import { placeOfError } from '../purity/callSite.ts';
import { freshStrategies } from '../purity/freshStrategies.ts';
import { DecisionTrace } from './decisionTrace.ts';

/** The size of blocks: `usual` as in a backtest, or a fixed number of rows. */
export type BlockSize = 'usual' | number;

/** A run whose decisions are recorded. */
export interface TracedRun {
  readonly plan: RunPlan;
  readonly blockRows?: BlockSize;
  /** The run ends with the block that contains this time, ms UTC. Default: it ends with its data. */
  readonly untilMs?: number;
  /** True when the strategies are loaded again, so that no module variable has a value from an earlier run. */
  readonly isFresh?: boolean;
}

/** Rows of a block when two runs take turns. */
export const TURN_ROWS = 61;

/** Runs strategies in this process and records their decisions. `progressCells`: see EngineDeps. */
export class Tracer {
  private readonly scratch = new Scratch();
  private readonly progressCells: Int32Array | null;
  private readonly during: (run: () => void) => void;
  private current: SealedBot | null = null;
  /** Time at which the newest run ended, ms UTC. */
  private endedMs = NaN;

  /** `during`: calls a function that runs strategy code, for example while a watch listens. */
  constructor(progressCells: Int32Array | null = null, during: (run: () => void) => void = (run) => run()) {
    this.progressCells = progressCells;
    this.during = during;
  }

  /** Returns the decisions of a run. An error of a strategy is its last one. `recordedIndex`: the index of the decision to keep in full. */
  async run(tracedRun: TracedRun, recordedIndex = -1): Promise<DecisionTrace> {
    const trace = new DecisionTrace(recordedIndex);
    return this.withErrorNoted(trace, () =>
      this.withBot(tracedRun, trace, ({ engine }) => {
        spanLoop(engine, tracedRun.untilMs ?? Infinity);
        if (tracedRun.untilMs !== undefined) return;
        // Orders of these last calls cannot fill, so they are no decisions. But state that the strategy stores now may reach the next run.
        trace.hasEnded = true;
        endSpan(engine);
      }),
    );
  }

  /**
   * Returns the decisions of a run that takes turns with an equal run, which is one block ahead. Both use the modules of the plan, so they share
   * variables of modules and static fields. `recordedIndex`: see `run`.
   */
  async runBehind({ plan, untilMs = Infinity }: TracedRun, recordedIndex = -1): Promise<DecisionTrace> {
    const turnPlan: RunPlan = { ...plan, blockRows: TURN_ROWS };
    const trace = new DecisionTrace(recordedIndex);
    const bots: SealedBot[] = [];
    const work = async (): Promise<void> => {
      const constructed: ConstructedBot[] = [];
      this.during(() => {
        for (const botTrace of [new DecisionTrace(), trace]) {
          const makeBot = replayedBotMaker(turnPlan, this.optionsOf(botTrace));
          constructed.push(makeBot());
        }
      });
      const technical = needsTechnical(constructed[0]!.engine) ? await loadTechnicalLibrary() : null;
      this.during(() => {
        for (const bot of constructed) bots.push(sealBot(bot, technical));
        this.current = bots[1]!;
        turnsLoop(bots[0]!.engine, bots[1]!.engine, untilMs);
      });
    };
    return this.withErrorNoted(trace, () =>
      work().finally(() => {
        this.endedMs = bots[1]?.engine.nowMs ?? turnPlan.fromMs;
        this.current = null;
        for (const { engine } of bots) engine.release();
      }),
    );
  }

  /** Runs the work and returns its trace. An error of the strategy becomes part of the trace. */
  private async withErrorNoted(trace: DecisionTrace, work: () => Promise<void>): Promise<DecisionTrace> {
    try {
      await work();
    } catch (error) {
      // An internal error of isobar proves nothing, even if both runs have the same one.
      if (error instanceof InvariantError) throw error;
      trace[trace.hasEnded ? 'endError' : 'error'] = error instanceof Error ? error : new Error(String(error));
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      trace.noteError(this.endedMs, cause, cause instanceof Error ? placeOfError(cause) : null);
    }
    return trace;
  }

  /** Returns the options of a bot whose decisions go to `trace`. */
  private optionsOf(trace: DecisionTrace): ReplayedBotOptions {
    return {
      progressCells: this.progressCells,
      scratch: this.scratch,
      hostFor: (run: StrategyRun) => new RecordingHost(run, trace),
    };
  }

  /** The time that strategy code sees now, ms UTC; NaN outside of a run. */
  get currentMs(): number {
    return this.current?.engine.nowMs ?? NaN;
  }

  /** Builds the bot of a run, calls `use` with it before its first bar, and returns what `use` returns. Releases the bot afterwards. */
  async withBot<T>(
    { plan, blockRows = 'usual', isFresh = false }: TracedRun,
    trace: DecisionTrace,
    use: (bot: SealedBot) => T,
  ): Promise<T> {
    const strategies = isFresh ? await freshStrategies(plan.strategies) : plan.strategies;
    const freshPlan: RunPlan = { ...plan, strategies, ...(typeof blockRows === 'number' && blockRows > 1 ? { blockRows } : {}) };
    const options = this.optionsOf(trace);
    const parts: { constructed?: ConstructedBot; bot?: SealedBot; result?: T } = {};
    const sealAndUse = (constructed: ConstructedBot, technical: TechnicalLibrary | null): void => {
      const bot = (parts.bot = sealBot(constructed, technical));
      this.current = bot;
      if (blockRows !== 'usual') bot.engine.stepsRows = blockRows === 1;
      parts.result = use(bot);
    };
    try {
      this.during(() => {
        const constructed = replayedBotMaker(freshPlan, options)();
        if (needsTechnical(constructed.engine)) parts.constructed = constructed;
        else sealAndUse(constructed, null);
      });
      const { constructed } = parts;
      if (constructed !== undefined) {
        const technical = await loadTechnicalLibrary();
        this.during(() => sealAndUse(constructed, technical));
      }
      return parts.result as T;
    } finally {
      this.endedMs = parts.bot?.engine.nowMs ?? freshPlan.fromMs;
      this.current = null;
      parts.bot?.engine.release();
    }
  }
}
