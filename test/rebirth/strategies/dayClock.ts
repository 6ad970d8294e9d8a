// Has a budget of trades that timers (`at` and `cron`) renew, and that its bars use up.
import { Strategy } from 'isobar';

export default class DayClock extends Strategy.with({}) {
  budget = 0;
  dayCount = 0;

  override onStart() {
    this.at('08:00', () => {
      this.budget = 3 + (this.dayCount++ % 2);
    });
    this.cron('30 */6 * * *', () => this.exit());
    this.cron('0 3,15 * * *', () => {
      this.budget++;
    });
  }

  override onBar() {
    if (this.budget === 0 || !this.position().isFlat) return;
    this.budget--;
    this.buy({ quote: '700' });
  }
}
