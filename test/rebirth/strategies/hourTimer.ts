// Acts only by timers: buys every two hours, except each third time, and exits every 45 minutes. A field counts the rounds.
import { Strategy } from 'isobar';

export default class HourTimer extends Strategy.with({}) {
  rounds = 0;

  override onStart() {
    this.every('2h', () => {
      this.rounds++;
      if (this.rounds % 3 !== 0) this.buy({ base: (0.01 + (this.rounds % 7) * 0.001).toFixed(3) }, { tag: `round ${this.rounds}` });
    });
    this.every('45m', () => {
      if (!this.position().isFlat) this.exit();
    });
  }
}
