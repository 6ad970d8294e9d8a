// Buys the coin and sells its perpetual while the mean funding rate pays for it. Drifts of the weights within the band are ignored.
import { float, int, Strategy } from 'isobar';

export default class BandedCarry extends Strategy.with({
  rates: int(3, { min: 1, max: 100 }),
  enter: float(0.0001, { min: -0.01, max: 0.01 }),
  band: float(0.01, { min: 0, max: 0.2 }),
}) {
  coin = this.feed('coin');
  contract = this.feed('contract');
  isOpen = false;

  override onBar() {
    if (!this.coin.fresh || !this.contract.fresh) return;
    const funding = this.funding(this.contract);
    const rates = Array.from({ length: this.params.rates }, (_, rows) => funding.ago(rows));
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    if (mean > this.params.enter) this.isOpen = true;
    else if (mean < 0) this.isOpen = false;
    const weight = this.isOpen ? 0.4 : 0;
    this.rebalance({ [this.coin.instrument.id]: weight, [this.contract.instrument.id]: -weight }, { band: this.params.band });
  }
}
