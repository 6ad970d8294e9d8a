// Runs one simulated day from its seed and its schedule of faults.

import type { DayOptions, DayResult } from './dayResult.ts';
import type { ScheduledFault } from './schedule.ts';
import type { SimulatedBot } from './simulatedBot.ts';
import { World } from './world.ts';

/** Runs the day of a seed and returns its result. */
export async function runDay(seed: number, schedule: readonly ScheduledFault[], options: DayOptions = {}): Promise<DayResult> {
  const world = new World(seed, schedule, options);
  try {
    await world.run();
    const { observer, venue, hash, bot, secondBot } = world;
    const bots = secondBot === null ? [bot] : [bot, secondBot];
    const sum = (countOf: (simulatedBot: SimulatedBot) => number): number =>
      bots.reduce((total, simulatedBot) => total + countOf(simulatedBot), 0);
    return {
      seed,
      orders: sum((simulatedBot) => simulatedBot.venue.orders.byId.size),
      creates: bot.network.creates,
      fills: sum((simulatedBot) => simulatedBot.venue.tradeCount),
      bars: bot.process?.trader?.barCount ?? 0,
      unknown: sum((simulatedBot) => simulatedBot.observer.unknown.size),
      restarts: sum(({ restarts }) => restarts),
      kills: sum(({ operator }) => operator.killCount),
      duplicates: sum((simulatedBot) => simulatedBot.observer.duplicates),
      forgotten: sum((simulatedBot) => simulatedBot.observer.forgotten),
      exchangeCrashes: venue.exchange.crashCount,
      lostOrders: venue.orders.lostCount,
      ordersOfSecondBot: secondBot?.venue.orders.byId.size ?? 0,
      violations: observer.violations,
      hash: hash.digest('hex').slice(0, 16),
    };
  } finally {
    world.close();
  }
}
