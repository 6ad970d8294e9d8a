// Runs one simulated day from its seed and its schedule of faults.

import type { DayOptions, DayResult } from './dayResult.ts';
import type { ScheduledFault } from './schedule.ts';
import { World } from './world.ts';

/** Runs the day of a seed and returns its result. */
export async function runDay(seed: number, schedule: readonly ScheduledFault[], options: DayOptions = {}): Promise<DayResult> {
  const world = new World(seed, schedule, options);
  try {
    await world.run();
    const { observer, venue, network, restarts, operator, hash, process } = world;
    return {
      seed,
      orders: venue.orders.size,
      creates: network.creates,
      fills: venue.tradeCount,
      bars: process?.trader?.barCount ?? 0,
      unknown: observer.unknown.size,
      restarts,
      kills: operator.kills,
      duplicates: observer.duplicates,
      forgotten: observer.forgotten,
      exchangeCrashes: venue.crashes,
      lostOrders: venue.lostOrders,
      violations: observer.violations,
      hash: hash.digest('hex').slice(0, 16),
    };
  } finally {
    world.close();
  }
}
