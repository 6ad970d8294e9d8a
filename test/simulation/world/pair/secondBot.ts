// A second bot of the same exchange, with its own journal, strategy, operator and client order ids: on its own account, or on that of the first bot.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { foreignOrdersOf } from '../../../../src/tasks/bot/run/foreignOrders.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import { writeBotConfig } from '../botConfig.ts';
import { rngOf } from '../draws.ts';
import { Observer } from '../observer.ts';
import { SimulatedBot, type SimulatedBotDeps } from '../simulatedBot.ts';
import { RareTrader, Trader } from '../trader.ts';
import { SimulatedVenue } from '../venue.ts';
import { sharesAccount } from './pairDay.ts';

/** How often the operators of one account look at foreign orders, ms. */
const LOOK_MS = 60_000;

/** What the second bot shares with the first one. */
export interface SecondBotDeps extends Pick<
  SimulatedBotDeps,
  'queue' | 'folder' | 'maxSkewMs' | 'maxLots' | 'calmFromMs' | 'hash' | 'print' | 'faultByCreate'
> {
  readonly first: { readonly bot: SimulatedBot; readonly venue: SimulatedVenue; readonly observer: Observer };
}

/** Opens the second bot of a day. Its violations are added to those of the first one. */
export function openSecondBot(seed: number, { first, ...deps }: SecondBotDeps): SimulatedBot {
  const folder = join(deps.folder, 'second');
  mkdirSync(folder, { mode: 0o700 });
  const isShared = sharesAccount(seed);
  const venue = SimulatedVenue.secondClientOf(first.venue, isShared);
  const observer = new Observer(null, { violations: first.observer.violations, name: 'the second bot' });
  writeBotConfig(seed, { folder, venue, contracts: null, maxLots: deps.maxLots, part: 'secondConfig' });
  const bot = new SimulatedBot({
    ...deps,
    folder,
    venue,
    observer,
    rng: rngOf(seed, 'secondProcess'),
    networkRng: rngOf(seed, 'secondNetwork'),
    strategy: () => (isShared ? RareTrader : Trader),
    clockStepMs: () => 0,
    lastKill: () => null,
    sharesAccount: isShared,
    isOfBan: () => false,
  });
  if (isShared) {
    lookAtForeign(first.bot, first.observer, deps.queue);
    lookAtForeign(bot, observer, deps.queue);
  }
  return bot;
}

/**
 * The operator of a bot ignores the orders of the other bot, and explains what that one has moved in symbols that this one does not read.
 * S7: until then the account is halted.
 */
function lookAtForeign(bot: SimulatedBot, observer: Observer, queue: DueQueue): void {
  queue.at(queue.nowMs + LOOK_MS, () => lookAtForeign(bot, observer, queue));
  const opened = bot.process?.opened;
  if (!opened || bot.process?.isAsleep) return;
  const { services, engine } = opened.bot.deps;
  const foreign = foreignOrdersOf(services);
  const codes = new Set(engine.risk.halts.causes().map(({ code }) => code));
  const isHalted = codes.has('ALIEN') || codes.has('KILLED');
  if (!isHalted)
    for (const { venueId } of foreign)
      observer.report('S7', `order ${venueId} is foreign and undecided, and the account is not halted`, queue.nowMs);
  bot.operator.ignore(foreign.map(({ venueId }) => venueId));
  if (codes.has('MISMATCH')) bot.operator.clearOnce('MISMATCH');
}
