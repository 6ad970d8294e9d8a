// Computes twenty series over two feeds, like the strategy of a pairs trader. It places no orders. With `none` it computes no series: the bench
// subtracts the time of such a run.
import {
  above, beta, choice, corr, div, ema, lag, log, mul, rank, sma, stdDev, Strategy, sub, where, zscore,
  type Feed, type Series,
} from 'isobar'; // prettier-ignore

/** The bench sets this hook to compare every value with those of the C program. */
declare const isobarBench: { onValues(values: readonly Series[]): void };

/** Returns the twenty series, in the order of pairs.c. */
function seriesOf(a: Feed, b: Feed) {
  const [logA, logB] = [log(a.close), log(b.close)];
  const [ratio, spread] = [div(a.close, b.close), sub(logA, logB)];
  const [moveA, moveB] = [sub(logA, lag(logA, 1)), sub(logB, lag(logB, 1))];
  const slope = beta(moveA, moveB, 60);
  const residual = sub(moveA, mul(slope, moveB));
  const [score, mean] = [zscore(spread, 60), sma(ratio, 20)];
  const [deviationA, deviationB] = [stdDev(moveA, 20), stdDev(moveB, 20)];
  return [
    logA, logB, ratio, spread, moveA, moveB, slope, corr(moveA, moveB, 60), residual, score,
    zscore(residual, 20), deviationA, deviationB, div(deviationA, deviationB), mean, ema(ratio, 20), div(ratio, mean),
    lag(score, 5), where(above(score, 0), moveA, moveB), rank(moveA, [moveA, moveB]),
  ]; // prettier-ignore
}

export default class PairSeries extends Strategy.with({ use: choice(['none', 'kept', 'read', 'compared'], 'none') }) {
  pair = this.feeds('pair');
  close = this.pair[0]!.close;
  twenty = this.params.use === 'none' ? [] : seriesOf(this.pair[0]!, this.pair[1]!).map((spec) => this.use(spec));
  isRead = this.params.use === 'read';
  isCompared = this.params.use === 'compared';
  sum = 0;

  override onBar() {
    this.sum += this.close.value;
    if (this.isRead) for (const series of this.twenty) this.sum += series.value;
    if (this.isCompared) isobarBench.onValues(this.twenty);
  }
}
