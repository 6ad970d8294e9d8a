// Opens the second bot of a simulated day. It trades on the same exchange, with a journal, a strategy, an operator and client order ids of its
// own. On some days it shares the account of the first bot.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { foreignOrdersOf } from '../../../../src/tasks/bot/run/foreignOrders.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import { writeBotConfig } from '../botConfig.ts';
import { rngOf } from '../draws.ts';
import { drawContracts } from '../futures/contractDay.ts';
import { ContractRules } from '../futures/contractRules.ts';
import { ContractVenue } from '../futures/contractVenue.ts';
import { Observer, type ObservedEngine } from '../observer.ts';
import { SimulatedBot, type SimulatedBotDeps } from '../simulatedBot.ts';
import { RareTrader, Trader } from '../trader.ts';
import { SimulatedVenue, SYMBOLS } from '../venue.ts';
import { sharesAccount } from './pairDay.ts';

/** How often the operator of each bot reviews foreign orders on a shared account, ms. */
const REVIEW_INTERVAL_MS = 60_000;

/** What both bots of the day share, and the first bot with its exchange and its observer. */
export interface SecondBotDeps extends Pick<
  SimulatedBotDeps,
  'queue' | 'folder' | 'maxSkewMs' | 'maxLots' | 'calmFromMs' | 'hash' | 'print' | 'faultByCreate'
> {
  readonly first: {
    readonly bot: SimulatedBot;
    readonly venue: SimulatedVenue;
    readonly observer: Observer;
    /** Null on a day of coins. */
    readonly contractRules: ContractRules | null;
  };
}

/** Opens the second bot of a day. The rules that it violates are reported together with those of the first bot. */
export function openSecondBot(seed: number, { first, ...deps }: SecondBotDeps): SimulatedBot {
  const folder = join(deps.folder, 'second');
  mkdirSync(folder, { mode: 0o700 });
  const isAccountShared = sharesAccount(seed, first.venue.market);
  const contractVenue =
    first.venue instanceof ContractVenue ? ContractVenue.secondContractClientOf(first.venue, seed, isAccountShared) : null;
  const venue = contractVenue ?? SimulatedVenue.secondClientOf(first.venue, isAccountShared);
  const contracts =
    contractVenue === null ? null : drawContracts(rngOf(seed, 'secondContracts'), false, null, isAccountShared ? SYMBOLS[1] : null);
  const maxLots = contracts?.maxLots ?? deps.maxLots;
  const rules = contractVenue === null ? null : new ContractRules(contractVenue);
  const observer = new Observer(rules, { violations: first.observer.violations, name: 'the second bot' });
  writeBotConfig(seed, { folder, venue, contracts, maxLots, part: 'secondConfig' });
  const bot = new SimulatedBot({
    ...deps,
    maxLots,
    folder,
    venue,
    observer,
    rng: rngOf(seed, 'secondProcess'),
    networkRng: rngOf(seed, 'secondNetwork'),
    module: null,
    cancelRule: null,
    strategy: () => contracts?.strategy ?? (isAccountShared ? RareTrader : Trader),
    clockStepMs: () => 0,
    lastKill: () => null,
    sharesAccount: isAccountShared,
    isOfBan: () => false,
  });
  if (isAccountShared) {
    if (rules !== null && first.venue instanceof ContractVenue) {
      rules.partner = { venue: first.venue, engine: () => engineOf(first.bot) };
      first.contractRules!.partner = { venue: contractVenue!, engine: () => engineOf(bot) };
    }
    reviewForeignOrders(first.bot, first.observer, deps.queue);
    reviewForeignOrders(bot, observer, deps.queue);
  }
  return bot;
}

/** Returns the engine of a bot; null while it is down. */
const engineOf = ({ process }: SimulatedBot): ObservedEngine | null => process?.opened?.bot.deps.engine ?? null;

/**
 * Reviews foreign orders at fixed intervals. The operator of `bot` ignores the orders of the other bot, and clears the mismatch that trades of
 * the other bot cause in symbols that `bot` does not read. Reports a violation of rule S7 of the observer if a foreign order is undecided and
 * the account is not halted.
 */
function reviewForeignOrders(bot: SimulatedBot, observer: Observer, queue: DueQueue): void {
  queue.at(queue.nowMs + REVIEW_INTERVAL_MS, () => reviewForeignOrders(bot, observer, queue));
  const opened = bot.process?.opened;
  if (!opened || bot.process?.isAsleep) return;
  const { services, engine } = opened.bot.deps;
  const foreignOrders = foreignOrdersOf(services);
  const haltCodes = new Set(engine.risk.halts.causes().map(({ code }) => code));
  const isHalted = haltCodes.has('ALIEN') || haltCodes.has('KILLED');
  if (!isHalted)
    for (const { venueId } of foreignOrders)
      observer.report('S7', `order ${venueId} is foreign and undecided, and the account is not halted`, queue.nowMs);
  bot.operator.ignore(foreignOrders.map(({ venueId }) => venueId));
  if (haltCodes.has('MISMATCH')) bot.operator.clearOnce('MISMATCH');
}
