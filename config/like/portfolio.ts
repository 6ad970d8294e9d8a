// A rotation: once a week the strongest symbols of a list, in parts by the inverse of their volatility.
import { inverseVolatility, int, rank, realisedVolatility, roc, Strategy } from 'isobar';

export default class Portfolio extends Strategy.with({
  bars: int(120, { min: 5, max: 5000, unit: 'bars', help: 'of the return and of the volatility' }),
  top: int(2, { min: 1, max: 100, help: 'number of symbols that it holds' }),
}) {
  all = this.feeds('universe');
  moves = this.all.map((feed) => this.use(roc(feed.close, this.params.bars)));
  ranks = this.moves.map((move) => this.use(rank(move, this.moves)));
  risks = this.all.map((feed) => this.use(realisedVolatility(feed.close, this.params.bars)));

  override onStart() {
    this.cron('0 0 * * 1', () => this.rotate());
  }

  private rotate() {
    const best = this.all.flatMap((feed, at) => (this.ranks[at]!.value <= this.params.top && this.moves[at]!.value > 0 ? [at] : []));
    const volatilities = Object.fromEntries(best.map((at) => [this.all[at]!.instrument.wireName, this.risks[at]!.value]));
    this.rebalance(inverseVolatility(volatilities, (0.9 * best.length) / this.params.top), { band: '0.02' });
  }
}
