// Trades an SMA cross on every feed of a list. The bench measures what a row costs when several symbols run together.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

export default class EightFeeds extends Strategy.with({ fast: int(10), slow: int(30) }) {
  crosses = this.feeds('all').map((feed) => {
    const fast = this.use(sma(feed.close, this.params.fast));
    const slow = this.use(sma(feed.close, this.params.slow));
    return { feed, up: this.use(crossedUp(fast, slow)), down: this.use(crossedDown(fast, slow)) };
  });

  override onBar() {
    for (const { feed, up, down } of this.crosses) {
      if (up.value && this.position(feed).isFlat) this.buy(undefined, { feed, tag: feed.instrument.wireName });
      else if (down.value) this.exit(feed);
    }
  }
}
