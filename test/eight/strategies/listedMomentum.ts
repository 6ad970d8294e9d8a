// Holds the strongest of twenty symbols by return over volatility, chosen every four hours. Symbols are listed at different times.
import { div, int, rank, realisedVolatility, roc, Strategy, type Feed } from 'isobar';

export default class ListedMomentum extends Strategy.with({ bars: int(20, { min: 2, max: 300 }), top: int(5, { min: 1, max: 20 }) }) {
  symbols = this.feeds('universe');
  scores = this.symbols.map(({ close }) => this.use(div(roc(close, this.params.bars), realisedVolatility(close, this.params.bars))));
  ranks = this.scores.map((score) => this.use(rank(score, this.scores)));
  toBuy: readonly Feed[] = [];

  override onStart() {
    this.every('4h', () => {
      this.toBuy = this.symbols.filter(
        ({ fresh }, index) => fresh && this.ranks[index]!.value <= this.params.top && this.scores[index]!.value > 0,
      );
      for (const feed of this.symbols) if (!this.toBuy.includes(feed)) this.exit(feed);
    });
  }

  /** Buys once no order is open any more, because the sales pay for the buys. */
  override onBar() {
    if (this.symbols.some((feed) => this.openOrders(feed).length > 0)) return;
    const missing = this.toBuy.filter((feed) => this.position(feed).isFlat);
    this.toBuy = [];
    for (const feed of missing) this.buy({ equity: 0.9 / this.params.top }, { feed });
  }
}
