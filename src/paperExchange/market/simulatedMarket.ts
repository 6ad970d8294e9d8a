// Life on one instrument: history before the exchange opens, and a background market that follows a source of prices from then on.

import type { Rng } from '../../base/number/rng.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import { BackgroundLiquidity, type BackgroundOptions } from './backgroundLiquidity.ts';
import type { PricePoint, PriceSource } from './priceSource.ts';
import type { TradedMarket } from './tradedMarket.ts';

/** Puts what a source says of the time before `untilMs` into the klines, as trades of others; returns the last price, 0 where there is none. */
export function writeHistory({ tape }: TradedMarket, source: PriceSource, untilMs: number): number {
  let last = 0;
  for (let point = source(); point !== null && point.timeMs < untilMs; point = source()) {
    tape.klines.print(point.timeMs, point.price, point.lots);
    last = point.price;
  }
  return last;
}

export interface SimulatedMarketOptions extends BackgroundOptions {
  /** Ticks at the opening, about which the makers quote until the source has its first point. */
  readonly price: number;
}

/** From now on the market follows the source, point by point, as time passes. */
export function followPrices(
  market: TradedMarket,
  source: PriceSource,
  scheduler: Scheduler,
  rng: Rng,
  options: SimulatedMarketOptions,
): void {
  const background = new BackgroundLiquidity(market.matcher, rng, options);
  const step = (point: PricePoint): void => {
    market.referencePrice = point.price;
    background.step(point);
  };
  step({ timeMs: scheduler.nowMs, price: options.price, lots: 1 });
  const next = (): void => {
    const point = source();
    if (point === null) return;
    // A point whose time has passed already, as the first one may, happens now.
    scheduler.at(Math.max(point.timeMs, scheduler.nowMs), () => {
      step({ ...point, timeMs: scheduler.nowMs });
      next();
    });
  };
  next();
}
