// Converts equity to returns: one for each period. Money that was paid in or out (an external flow) is no return. The series ends where equity is exhausted.

/** Equity at the sampling instants, and the returns between them. Columns of instants have one element more than `returns`. */
export interface ReturnSeries {
  readonly timeMs: Float64Array;
  /** Equity less all earlier external flows. Its differences are profit. */
  readonly equity: Float64Array;
  /** The series from which drawdowns are computed: the equity, or the compounded returns when external money moved. */
  readonly index: Float64Array;
  readonly returns: Float64Array;
  /** True when equity reached 0 or less. The series ends there. */
  readonly isRuined: boolean;
}

/** External money that arrived (above 0) or left right after a point of the series. */
export interface Flows {
  readonly after: Float64Array;
  /** 1 where a point exists only because money moved inside a period. Its return is compounded with the next one. */
  readonly cut: Uint8Array;
}

/**
 * Returns the series of returns, up to the point at which equity is exhausted. `equity[0]` is the starting capital and must be above 0.
 * Without `flows`, no external money moved.
 */
export function seriesOf(timeMs: Float64Array, equity: Float64Array, flows?: Flows): ReturnSeries {
  const ruin = pointsUntilRuin(equity);
  if (flows === undefined) {
    const equityUntilRuin = equity.subarray(0, ruin.points);
    const returns = new Float64Array(Math.max(0, ruin.points - 1));
    for (let point = 1; point < ruin.points; point++) returns[point - 1] = equity[point]! / equity[point - 1]! - 1;
    return { timeMs: timeMs.subarray(0, ruin.points), equity: equityUntilRuin, index: equityUntilRuin, returns, isRuined: ruin.isRuined };
  }
  return seriesWithFlows(timeMs, equity, flows, ruin);
}

/** The part of a series up to the first point without equity. */
interface RuinPoint {
  /** Number of points, including the first one without equity. */
  readonly points: number;
  /** True if such a point exists. */
  readonly isRuined: boolean;
}

/** Returns the series up to point `ruin.points` (exclusive). A return does not contain the money that moved before its period. */
function seriesWithFlows(timeMs: Float64Array, equity: Float64Array, flows: Flows, ruin: RuinPoint): ReturnSeries {
  const times = [timeMs[0]!];
  const ownEquity = [equity[0]!];
  const index = [1];
  const returns: number[] = [];
  let external = 0;
  /** Growth since the last point of the result. */
  let growth = 1;
  for (let point = 1; point < ruin.points; point++) {
    external += flows.after[point - 1]!;
    growth *= equity[point]! / (equity[point - 1]! + flows.after[point - 1]!);
    if (flows.cut[point] === 1 && point < ruin.points - 1) continue;
    times.push(timeMs[point]!);
    ownEquity.push(equity[point]! - external);
    index.push(index[index.length - 1]! * growth);
    returns.push(growth - 1);
    growth = 1;
  }
  return {
    timeMs: Float64Array.from(times),
    equity: Float64Array.from(ownEquity),
    index: Float64Array.from(index),
    returns: Float64Array.from(returns),
    isRuined: ruin.isRuined,
  };
}

/** Returns the part of a series up to the first point at which equity is 0 or less. */
function pointsUntilRuin(equity: Float64Array): RuinPoint {
  for (let point = 0; point < equity.length; point++) if (!(equity[point]! > 0)) return { points: point + 1, isRuined: true };
  return { points: equity.length, isRuined: false };
}
