// Trades an SMA cross on every feed of a list by `when`. The bench measures what hundreds of symbols cost in the whole command.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

export default class ManySymbols extends Strategy.with({ fast: int(10), slow: int(30) }) {
  tradedFeeds = this.feeds('all').map((feed) => {
    const fast = this.use(sma(feed.close, this.params.fast));
    const slow = this.use(sma(feed.close, this.params.slow));
    this.when(crossedUp(fast, slow), () => {
      if (this.position(feed).isFlat) this.buy(undefined, { feed });
    });
    this.when(crossedDown(fast, slow), () => {
      this.exit(feed);
    });
    return feed;
  });
}
