// Every day the strongest of twenty symbols, by return over volatility, in equal parts; symbols are listed in different months.
import { div, equalWeights, int, rank, realisedVolatility, roc, Strategy } from 'isobar';

export default class ListedMomentum extends Strategy.with({ bars: int(20, { min: 2, max: 300 }), top: int(5, { min: 1, max: 20 }) }) {
  all = this.feeds('universe');
  scores = this.all.map(({ close }) => this.use(div(roc(close, this.params.bars), realisedVolatility(close, this.params.bars))));
  ranks = this.scores.map((score) => this.use(rank(score, this.scores)));

  override onStart() {
    this.at('00:00', () => {
      const { top } = this.params;
      const best = this.all.filter(({ fresh }, at) => fresh && this.ranks[at]!.value <= top && this.scores[at]!.value > 0);
      const symbols = best.map(({ instrument }) => instrument.wireName);
      this.rebalance(equalWeights(symbols, (0.9 * symbols.length) / top), { band: '0.03', minTrade: '50' });
    });
  }
}
