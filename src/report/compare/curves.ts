// Samples equity and drawdown of two runs at the same instants, as finely as a page can hold.

import { fixedLengthMs, INTERVALS } from '../../model/interval.ts';
import type { ComparedRun } from './input.ts';

export interface Curves {
  /** Distance between instants in ms. The first and the last instant cover both runs. */
  readonly stepMs: number;
  readonly ms: Float64Array;
  readonly a: Curve;
  readonly b: Curve;
}

export interface Curve {
  /** Equity as a fraction of the starting equity. NaN outside the run. */
  readonly growth: Float64Array;
  /** Deepest fall below the peak since the previous instant, at most 0. NaN outside the run. */
  readonly depth: Float64Array;
}

/** More points than a screen can show. Both curves of a page take about 200 kB. */
const MAX_INSTANTS = 20_000;

export function curvesOf(a: ComparedRun, b: ComparedRun): Curves {
  const fromMs = Math.min(a.summary.run.fromMs, b.summary.run.fromMs);
  const toMs = Math.max(a.summary.run.toMs, b.summary.run.toMs);
  const steps = INTERVALS.map(fixedLengthMs).filter((length) => length !== null);
  const stepMs = steps.find((length) => (toMs - fromMs) / length <= MAX_INSTANTS) ?? (toMs - fromMs) / MAX_INSTANTS;
  // Instants are multiples of the step since the epoch, so that bar closes fall on instants.
  const first = Math.floor(fromMs / stepMs) + 1;
  const count = Math.max(0, Math.ceil(toMs / stepMs) - first);
  const ms = Float64Array.from({ length: count + 2 }, (_, at) => (at === 0 ? fromMs : at > count ? toMs : (first + at - 1) * stepMs));
  return { stepMs, ms, a: curveOf(a, ms), b: curveOf(b, ms) };
}

function curveOf({ summary: { run }, timeMs, equity }: ComparedRun, ms: Float64Array): Curve {
  const start = Number(run.startEquity);
  const growth = new Float64Array(ms.length).fill(NaN);
  const depth = new Float64Array(ms.length).fill(NaN);
  let [row, last, peak] = [0, start, start];
  for (let at = 0; at < ms.length; at++) {
    const now = ms[at] ?? 0;
    if (now < run.fromMs) continue;
    // Includes one instant after the end, so that the curve reaches the end of the run.
    if (now > run.toMs && (ms[at - 1] ?? 0) >= run.toMs) break;
    let worst = last / peak - 1;
    for (; row < timeMs.length && (timeMs[row] ?? 0) <= now; row++) {
      last = equity[row] ?? last;
      if (last > peak) peak = last;
      worst = Math.min(worst, last / peak - 1);
    }
    growth[at] = last / start;
    depth[at] = worst;
  }
  return { growth, depth };
}
