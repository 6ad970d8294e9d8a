// Every four hours the strongest of twenty symbols, by return over volatility, in equal parts; symbols are listed at different times.
import { div, int, rank, realisedVolatility, roc, Strategy, type Feed } from 'isobar';

export default class ListedMomentum extends Strategy.with({ bars: int(20, { min: 2, max: 300 }), top: int(5, { min: 1, max: 20 }) }) {
  all = this.feeds('universe');
  scores = this.all.map(({ close }) => this.use(div(roc(close, this.params.bars), realisedVolatility(close, this.params.bars))));
  ranks = this.scores.map((score) => this.use(rank(score, this.scores)));
  wanted: readonly Feed[] = [];

  override onStart() {
    this.every('4h', () => {
      this.wanted = this.all.filter(({ fresh }, at) => fresh && this.ranks[at]!.value <= this.params.top && this.scores[at]!.value > 0);
      for (const feed of this.all) if (!this.wanted.includes(feed)) this.exit(feed);
    });
  }

  /** What is sold pays for what is bought, a bar later. */
  override onBar() {
    if (this.all.some((feed) => this.openOrders(feed).length > 0)) return;
    const missing = this.wanted.filter((feed) => this.position(feed).isFlat);
    this.wanted = [];
    for (const feed of missing) this.buy({ equity: 0.9 / this.params.top }, { feed });
  }
}
