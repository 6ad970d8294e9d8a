// Holds a position while the newest prediction of a model is positive and not too old.
import { float, int, sma, Strategy } from 'isobar';

export default class LatePredictions extends Strategy.with({ enter: float(0.2, { min: 0, max: 5 }), hours: int(6, { min: 1, max: 100 }) }) {
  prediction = this.series('prediction');
  smooth = this.plot('prediction', sma(this.prediction, 4));

  override onBar() {
    const isOld = this.prediction.ageMs > this.params.hours * 3_600_000;
    const { isFlat } = this.position();
    if (isOld || !this.prediction.ready) {
      if (!isFlat) this.exit();
      return;
    }
    if (isFlat && this.prediction.value > this.params.enter && this.smooth.value > 0) this.buy({ equity: 0.9 });
    else if (!isFlat && this.prediction.value < 0) this.exit();
  }
}
