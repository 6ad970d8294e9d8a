// Buys at the start, sells at each falling cross and buys back at once, so that nearly every bar has a position.
import { crossedDown, int, sma, Strategy, type FillInfo } from 'isobar';

export default class MostlyInvested extends Strategy.with({ fast: int(100), slow: int(300) }) {
  fastAverage = this.use(sma(this.bars.close, this.params.fast));
  slowAverage = this.use(sma(this.bars.close, this.params.slow));
  crossDown = this.when(crossedDown(this.fastAverage, this.slowAverage), () => this.exit());

  override onStart() {
    this.buy();
  }

  override onFill({ side }: FillInfo) {
    if (side === 'sell') this.buy();
  }
}
