// The proof of blocks: a strategy makes the same decisions in blocks of one, seven and 2,048 rows.

import type { RunPlan } from '../../../definition/plan/plan.ts';
import { traceDifference, proofOf, type ComparedSide } from './traceDifference.ts';
import { counted } from '../../../base/text/format.ts';
import { countUntil } from './decisionTrace.ts';
import type { TracedRun, Tracer } from './tracedRun.ts';
import { plainProof, type Proof } from '../../../model/run/proof.ts';

/** Rows of a small block. */
const SMALL_ROWS = 7;
/** Rows of a usual block. */
export const FULL_ROWS = 2048;

/** Runs of the whole proof: blocks of one, seven and 2,048 rows. */
const RUNS = 3;

/** The inputs of the proof of blocks. */
export interface BlocksTask {
  readonly plan: RunPlan;
  /** Decisions up to this time (ms UTC) are compared; default all. */
  readonly untilMs?: number;
  /** True when each run loads the modules of the strategies again. */
  readonly isFresh: boolean;
  /** True when the proof leaves out blocks of seven rows. */
  readonly isShort?: boolean;
  /** A finished run in blocks of FULL_ROWS; null: the proof makes that run. */
  readonly full: ComparedSide | null;
  /** Called before each run with the finished share of the work, 0 to 1. */
  readonly onRun: (share: number) => void;
}

/** Returns the proof that decisions do not depend on the size of blocks. Runs the strategy in blocks of other sizes. */
export async function proveBlocks(
  tracer: Tracer,
  { plan, untilMs = Infinity, isFresh, isShort = false, full: fullSide, onRun }: BlocksTask,
): Promise<Proof> {
  const sideOf = async (blockRows: number, share: number): Promise<ComparedSide> => {
    onRun(share);
    const run: TracedRun = { plan, blockRows, isFresh, untilMs };
    return { run, trace: await tracer.run(run) };
  };
  const single = await sideOf(1, 0);
  const comparedSizes = isShort ? [FULL_ROWS] : [SMALL_ROWS, FULL_ROWS];
  for (const [index, rows] of comparedSizes.entries()) {
    const finishedSide = rows === FULL_ROWS ? fullSide : null;
    const compared = finishedSide ?? (await sideOf(rows, (index + 1) / RUNS));
    const difference = await traceDifference(tracer, single, compared, untilMs);
    if (difference === null) continue;
    const text = `blocks of ${rows} rows decide otherwise than blocks of one row: something reads what is computed ahead of its bar`;
    return proofOf('blocks', 'refuted', text, difference, plan);
  }
  const count = countUntil(single.trace, untilMs);
  const sizes = isShort ? `1 and ${FULL_ROWS}` : `1, ${SMALL_ROWS} and ${FULL_ROWS}`;
  return plainProof('blocks', 'proved', `blocks of ${sizes} rows make the same ${counted(count, 'decision')}`);
}
