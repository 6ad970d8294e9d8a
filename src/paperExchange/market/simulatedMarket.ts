// Simulates the market of one instrument: price history before the exchange opens, then background liquidity that follows a price source.

import type { Rng } from '../../base/number/rng.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import { BackgroundLiquidity, type BackgroundOptions } from './backgroundLiquidity.ts';
import type { PricePoint, PriceSource } from './priceSource.ts';
import type { TradedMarket } from './tradedMarket.ts';

/** Adds the points before `untilMs` to the klines, as trades of other parties. Returns the last price; 0 if there is no point. */
export function writeHistory({ tape }: TradedMarket, source: PriceSource, untilMs: number): number {
  let lastPrice = 0;
  for (let point = source(); point !== null && point.timeMs < untilMs; point = source()) {
    tape.klines.addTrade(point.timeMs, point.priceTicks, point.lots);
    lastPrice = point.priceTicks;
  }
  return lastPrice;
}

/** Background liquidity, its opening price, and the clock and random numbers that drive it. */
export interface SimulatedMarketOptions extends BackgroundOptions {
  readonly scheduler: Scheduler;
  readonly rng: Rng;
  /** Price at the opening, in ticks. Makers quote around it until the source has its first point. */
  readonly openingTicks: number;
}

/** Makes the market follow a price source, point by point, as time passes. */
export function followPrices(market: TradedMarket, source: PriceSource, { scheduler, rng, ...options }: SimulatedMarketOptions): void {
  const background = new BackgroundLiquidity(market.matcher, rng, options);
  const step = (point: PricePoint): void => {
    market.referencePrice = point.priceTicks;
    background.moveTo(point);
  };
  step({ timeMs: scheduler.nowMs, priceTicks: options.openingTicks, lots: 1 });
  const scheduleNext = (): void => {
    const point = source();
    if (point === null) return;
    // A point in the past, which the first may be, happens now.
    scheduler.at(Math.max(point.timeMs, scheduler.nowMs), () => {
      step({ ...point, timeMs: scheduler.nowMs });
      scheduleNext();
    });
  };
  scheduleNext();
}
