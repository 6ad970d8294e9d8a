// Samples the equity and the drawdown of two runs at the same instants. The distance between instants depends on the size of the page.

import { fixedLengthMs, INTERVALS } from '../../model/interval.ts';
import type { ComparedRun } from './input.ts';

/** The curves of both runs. */
export interface Curves {
  /** Distance between instants in ms. */
  readonly stepMs: number;
  /** The instants, ms UTC. The first is the earlier start of the two runs, and the last is the later end. */
  readonly ms: Float64Array;
  readonly a: Curve;
  readonly b: Curve;
}

/** The curve of one run, with one value for each instant. */
export interface Curve {
  /** Equity as a fraction of the starting equity. NaN outside the run. */
  readonly growth: Float64Array;
  /** Deepest fall below the peak since the previous instant, at most 0. NaN outside the run. */
  readonly depth: Float64Array;
}

/** Screens show fewer points. Both curves of a page then take about 200 kB. */
const MAX_INSTANTS = 20_000;

/** Returns the curves of two runs over the whole time that at least one of them covers. */
export function curvesOf(a: ComparedRun, b: ComparedRun): Curves {
  const fromMs = Math.min(a.summary.run.fromMs, b.summary.run.fromMs);
  const toMs = Math.max(a.summary.run.toMs, b.summary.run.toMs);
  const steps = INTERVALS.map(fixedLengthMs).filter((length) => length !== null);
  const stepMs = steps.find((length) => (toMs - fromMs) / length <= MAX_INSTANTS) ?? (toMs - fromMs) / MAX_INSTANTS;
  // Instants are multiples of the step since the epoch, so that bar closes fall on instants.
  const firstMultiple = Math.floor(fromMs / stepMs) + 1;
  const count = Math.max(0, Math.ceil(toMs / stepMs) - firstMultiple);
  const ms = Float64Array.from({ length: count + 2 }, (_, instant) => {
    if (instant === 0) return fromMs;
    return instant > count ? toMs : (firstMultiple + instant - 1) * stepMs;
  });
  return { stepMs, ms, a: curveOf(a, ms), b: curveOf(b, ms) };
}

/** Returns the curve of a run at the instants `ms`. */
function curveOf({ summary: { run }, timeMs, equity }: ComparedRun, ms: Float64Array): Curve {
  const startEquity = Number(run.startEquity);
  const growth = new Float64Array(ms.length).fill(NaN);
  const depth = new Float64Array(ms.length).fill(NaN);
  let row = 0;
  let lastEquity = startEquity;
  let peakEquity = startEquity;
  for (let instant = 0; instant < ms.length; instant++) {
    const instantMs = ms[instant] ?? 0;
    if (instantMs < run.fromMs) continue;
    // Includes one instant after the end, so that the curve reaches the end of the run.
    const previousMs = ms[instant - 1] ?? 0;
    if (instantMs > run.toMs && previousMs >= run.toMs) break;
    let deepest = lastEquity / peakEquity - 1;
    for (; row < timeMs.length && (timeMs[row] ?? 0) <= instantMs; row++) {
      lastEquity = equity[row] ?? lastEquity;
      if (lastEquity > peakEquity) peakEquity = lastEquity;
      deepest = Math.min(deepest, lastEquity / peakEquity - 1);
    }
    growth[instant] = lastEquity / startEquity;
    depth[instant] = deepest;
  }
  return { growth, depth };
}
