// The prices of a simulated day: each market of the exchange follows a random walk that the seed decides.

import { seededRng } from '../../../../src/base/number/rng.ts';
import { randomWalk, type PriceSource } from '../../../../src/paperExchange/market/priceSource.ts';
import { followPrices, writeHistory } from '../../../../src/paperExchange/market/simulatedMarket.ts';
import type { TradedMarket } from '../../../../src/paperExchange/market/tradedMarket.ts';
import type { Service } from '../../../../src/paperExchange/service.ts';
import { FIRST_TICKS, HISTORY_MS } from '../venueTerms.ts';

/** The pace of the random walk before the day. */
const HISTORY_WALK = { stepMs: 15_000, stepPpm: 150, lots: 2000 } as const;
/** The pace of the random walk of the day. Its trades have more lots, so that they fill orders. */
const DAY_WALK = { stepMs: 12_000, stepPpm: 150, lots: 20_000 } as const;
/** Form of the book around the price. */
const BOOK = { levelsPerSide: 4, spreadTicks: 2, spacingTicks: 5 } as const;
/** Distance of the seeds of two days, so that their markets have different walks. */
const SEEDS_PER_DAY = 31;

/** Makes the markets of an exchange follow their prices, also after a restart of the exchange. */
export class SeededPrices {
  /** Factor of all prices, changed by price jumps. */
  factor = 1;
  /** For each market: makes it follow its prices from an opening price on. */
  readonly #follows: ((service: Service, market: TradedMarket, openingTicks: number) => void)[] = [];

  /** Writes the history of each market and starts its prices. `levelLots`: lots at a level of the book. */
  constructor(service: Service, seed: number, startMs: number, levelLots: number) {
    for (const [index, market] of service.markets.entries()) {
      const rng = seededRng(seed * SEEDS_PER_DAY + index);
      const history = randomWalk(rng, startMs - HISTORY_MS, { firstTicks: FIRST_TICKS, ...HISTORY_WALK });
      const openingTicks = writeHistory(market, history, startMs);
      const nextPoint = randomWalk(rng, startMs, { firstTicks: openingTicks, ...DAY_WALK });
      const follow = ({ scheduler }: Service, followed: TradedMarket, fromTicks: number): void => {
        const source: PriceSource = () => {
          let point = nextPoint();
          // No trade happens while the exchange is down.
          while (point !== null && point.timeMs < scheduler.nowMs) point = nextPoint();
          return point === null ? null : { ...point, priceTicks: Math.round(point.priceTicks * this.factor) };
        };
        followPrices(followed, source, { scheduler, rng, ...BOOK, maxLotsPerLevel: levelLots, openingTicks: fromTicks });
      };
      this.#follows.push(follow);
      follow(service, market, openingTicks);
    }
  }

  /** Makes the markets of a restored exchange follow their prices again. */
  followAgain(service: Service): void {
    for (const [index, market] of service.markets.entries()) this.#follows[index]!(service, market, market.referencePrice);
  }
}
