// An SMA cross on every feed of a list: what a row costs when several symbols run side by side.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

export default class EightFeeds extends Strategy.with({ fast: int(10), slow: int(30) }) {
  legs = this.feeds('all').map((feed) => {
    const fast = this.use(sma(feed.close, this.params.fast));
    const slow = this.use(sma(feed.close, this.params.slow));
    return { feed, up: this.use(crossedUp(fast, slow)), down: this.use(crossedDown(fast, slow)) };
  });

  override onBar() {
    for (const { feed, up, down } of this.legs) {
      if (up.value && this.position(feed).isFlat) this.buy(undefined, { feed, tag: feed.instrument.wireName });
      else if (down.value) this.exit(feed);
    }
  }
}
