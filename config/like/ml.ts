// A model that learns as it goes: logistic regression on three returns, one step of gradient descent a bar, on closed bars alone.
import { float, Strategy, int } from 'isobar';

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

export default class Ml extends Strategy.with({
  rate: float(0.05, { min: 0.0001, max: 1, help: 'step of the descent' }),
  threshold: float(0.52, { min: 0.5, max: 0.99, help: 'probability of a rise from which it holds' }),
  learn: int(500, { min: 10, max: 100_000, unit: 'bars', help: 'before it trades' }),
}) {
  closes = this.use(this.bars.close, { depth: 25 });
  state = this.keep({ weights: [0, 0, 0, 0], features: [1, 0, 0, 0], seen: 0 });

  override onBar() {
    const { weights, features } = this.state;
    const close = this.closes.value;
    if (Number.isNaN(this.closes.ago(24))) return;
    // What the last bar predicted is known now: learn from it, then look ahead from this bar.
    if (this.state.seen > 0) {
      const error = (close > this.closes.prev ? 1 : 0) - this.chance();
      for (let i = 0; i < weights.length; i++) weights[i]! += this.params.rate * error * features[i]!;
    }
    [1, 5, 24].forEach((bars, at) => (features[at + 1] = 100 * (close / this.closes.ago(bars) - 1)));
    if (++this.state.seen < this.params.learn) return;
    const isLikely = this.chance() > this.params.threshold;
    if (isLikely && this.position().isFlat) this.buy({ equity: 0.9 });
    else if (!isLikely && !this.position().isFlat) this.exit();
  }

  private chance() {
    const { weights, features } = this.state;
    return sigmoid(weights.reduce((sum, weight, at) => sum + weight * features[at]!, 0));
  }
}
