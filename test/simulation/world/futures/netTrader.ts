// Two strategies of one bot that trade the same contract, one long and one short. In net mode the account has the difference of their positions.

import { flag } from '../../../../src/index.ts';
import { Trader } from '../trader.ts';

/** Contracts of a position. */
const ORDER_LOTS = { min: 40, range: 100 };
/** Share of the bars on which the short strategy closes its position. */
const EXIT_SHARE = 0.05;

/** The long strategy buys once, on the first bar. The short one has a position whenever it may. */
export class NetTrader extends Trader {
  static override readonly params = { isLong: flag(true) };

  override onBar() {
    this.barCount++;
    const [feed] = this.symbols;
    if (feed === undefined || this.openOrders(feed).length > 0) return;
    const base = String(ORDER_LOTS.min + Math.floor(this.random() * ORDER_LOTS.range));
    const options = { feed, tag: 'in' };
    if ((this.params as { readonly isLong?: boolean }).isLong === true) {
      if (this.barCount === 1) this.buy({ base }, options);
    } else if (this.position(feed).isFlat) this.sell({ base }, options);
    else if (this.random() < EXIT_SHARE) this.exit(feed);
  }
}

/** The two strategies of the config. The simulation passes their class, so that the files do not exist. */
export const NET_STRATEGIES = [
  { file: '/world/long.ts', params: { isLong: true } },
  { file: '/world/short.ts', params: { isLong: false } },
] as const;
