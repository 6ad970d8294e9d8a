// Funding carry: holds a coin and an equal short position in its perpetual while shorts receive high funding. Price moves cancel out.
import { float, int, Strategy } from 'isobar';

export default class FundingCarry extends Strategy.with({
  rates: int(9, { min: 1, max: 500, unit: 'funding times', help: 'number of past rates in the average' }),
  enterRate: float(0.0001, { min: -0.01, max: 0.01, unit: 'fraction', help: 'an average above it opens the pair' }),
  leaveRate: float(0, { min: -0.01, max: 0.01, unit: 'fraction', help: 'an average below it closes the pair' }),
  share: float(0.4, { min: 0.01, max: 0.5, unit: 'of equity', help: 'value of each side; each account has about half of the equity' }),
  drift: float(0.02, { min: 0.001, max: 1, unit: 'fraction', help: 'the sides are adjusted when they differ by more' }),
}) {
  coin = this.feed('spot');
  perpetual = this.feed('perp');

  override onBar() {
    if (!this.coin.fresh || !this.perpetual.fresh || this.isWorking()) return;
    const isFlat = this.position(this.coin).isFlat && this.position(this.perpetual).isFlat;
    const average = this.averageRate();
    if (isFlat && average > this.params.enterRate) this.open();
    else if (!isFlat && average < this.params.leaveRate) this.close();
    else if (!isFlat) this.even();
  }

  private open() {
    const contracts = Math.floor((this.equity * this.params.share) / this.coin.close.value / this.face());
    this.buy({ base: contracts * this.face() }, { feed: this.coin });
    this.sell({ base: contracts }, { feed: this.perpetual });
  }

  private close() {
    this.exit(this.coin);
    this.exit(this.perpetual);
  }

  /** Makes the contracts equal to the coins. One side is smaller if its order was refused or filled in part. */
  private even() {
    const coins = this.position(this.coin).qty.toNumber();
    const short = -this.position(this.perpetual).qty.toNumber() * this.face();
    if (Math.abs(coins - short) > this.params.drift * Math.max(coins, short)) this.target({ base: -coins / this.face() }, this.perpetual);
  }

  private averageRate() {
    const funding = this.funding(this.perpetual);
    let sum = 0;
    for (let times = 0; times < this.params.rates; times++) sum += funding.ago(times);
    return sum / this.params.rates;
  }

  /** Returns the number of coins in one contract. */
  private face() {
    const { multiplier = 1, multiplierDigits = 0 } = this.perpetual.instrument.contract ?? {};
    return multiplier / 10 ** multiplierDigits;
  }

  private isWorking() {
    return this.openOrders(this.coin).length > 0 || this.openOrders(this.perpetual).length > 0;
  }
}
