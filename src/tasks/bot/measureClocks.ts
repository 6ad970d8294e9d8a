// Measures the exchange's clocks at the start of a bot, because orders are signed with the exchange's time.

import type { Exchange } from '../../access/openExchange.ts';
import { ConfigError } from '../../base/errors.ts';
import { measureClock } from '../download/marketService.ts';
import type { LiveConfig } from './config/liveConfig.ts';

/** Maximum number of clock measurements. The first ones may be slow on a new connection or a busy computer. */
const MAX_MEASUREMENTS = 20;

/** Measures the clock of each market until it is certain enough. Throws ConfigError if it is not. */
export async function measureClocks({ markets, orders }: LiveConfig, exchange: Exchange): Promise<void> {
  exchange.clock.start(markets);
  for (const market of markets) {
    await measureClock(exchange, market);
    let { uncertaintyMs } = exchange.serverTime(market);
    for (let measurements = 1; measurements < MAX_MEASUREMENTS && uncertaintyMs > orders.maxUncertaintyMs; measurements++) {
      await new Promise<void>((resolve) => exchange.clock.measure(market, () => resolve()));
      ({ uncertaintyMs } = exchange.serverTime(market));
    }
    if (uncertaintyMs <= orders.maxUncertaintyMs) continue;
    const actualText = uncertaintyMs === Infinity ? 'no answer' : `${Math.round(uncertaintyMs)} ms`;
    throw new ConfigError(
      `the clock of the ${market} exchange: expected an uncertainty of at most ${orders.maxUncertaintyMs} ms, got ${actualText}`,
      'run isobar doctor to find the reason',
    );
  }
}
