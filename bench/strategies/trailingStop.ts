// Buys at an SMA cross with a trailing stop, so that a stop is open at nearly every bar.
import { crossedUp, sma, Strategy } from 'isobar';

export default class TrailingStop extends Strategy {
  crossUp = this.use(crossedUp(this.use(sma(this.bars.close, 10)), this.use(sma(this.bars.close, 30))));

  override onBar() {
    if (this.crossUp.value && this.position().isFlat) this.buy({ base: '1' }, { trailing: 300 });
  }
}
