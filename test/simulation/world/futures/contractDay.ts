// Draws the settings of a day of contracts: those of the account, the contracts and the strategy. Also decides about liquidations as the operator.

import type { Rng } from '../../../../src/base/number/rng.ts';
import { scopeName } from '../../../../src/tasks/control/scopes.ts';
import { foreignOrdersOf } from '../../../../src/tasks/bot/run/foreignOrders.ts';
import type { BotProcess } from '../botProcess.ts';
import type { UserOrder } from '../../../../src/paperExchange/orders/userOrder.ts';
import type { ObservedEngine } from '../observer.ts';
import { CASH, SYMBOLS } from '../venue.ts';
import { BareContractTrader, BusyContractTrader, ContractTrader, WaitingContractTrader } from './contractTrader.ts';
import { contractName, type ContractVenue } from './contractVenue.ts';
import { BareHedgeTrader, HEDGE_STRATEGIES, HedgeTrader } from './hedgeTrader.ts';
import { NET_STRATEGIES, NetTrader } from './netTrader.ts';
import { isTwoWayTheme, type Theme } from '../themes/themedDay.ts';
import type { Trader } from '../trader.ts';

/** Begin of a day of contracts since midnight UTC, ms: funding at 8:00 lies in the faulty part of the shortest day. */
export const FIRST_HOUR_MS = 7 * 3_600_000 + 1_200_000;
/** Largest position of a contract, and that of a busy day. */
const MAX_LOTS = { quiet: 800, busy: 300 };

/** The drawn settings of a day. */
export interface ContractDayTerms {
  readonly maxLots: number;
  /** Keys of the config that are about contracts. */
  readonly config: {
    readonly futures: object;
    readonly feeds: object;
    readonly cash: object;
    readonly market: 'futures';
    readonly strategy?: readonly object[];
  };
  readonly strategy: typeof Trader;
}

/**
 * Draws the settings of a day. Its theme selects the strategies. `ownContract`: the coin of the only contract of a bot that shares its account;
 * null for a bot with an account of its own. On about a quarter of the days nothing protects positions, and price gaps liquidate them.
 */
export function drawContracts(rng: Rng, isBusy: boolean, theme: Theme | null = null, ownContract: string | null = null): ContractDayTerms {
  // A liquidation would be one of the account, which two bots may share.
  const isBare = rng.next() < 0.25 && ownContract === null;
  const leverage = isBare ? 50 : 2 + Math.floor(rng.next() * 20);
  const margin = isBare || rng.next() < 0.3 ? 'isolated' : 'cross';
  const drawnContracts = SYMBOLS.slice(0, 1 + Math.floor(rng.next() * 2));
  const symbols = (ownContract === null ? drawnContracts : [ownContract]).map(contractName);
  // Also with one contract: the second strategy is then denied all of its orders.
  const hasTwoHedges = theme === 'bothSides' && rng.next() < 0.5;
  return {
    maxLots: isBusy ? MAX_LOTS.busy : MAX_LOTS.quiet,
    config: {
      market: 'futures',
      futures: { leverage, margin, positions: isTwoWayTheme(theme) ? 'twoWay' : 'net' },
      feeds: { bars: { symbols, interval: '1m' } },
      cash: { USDT: String(CASH) },
      ...(theme === 'netStrategies' ? { strategy: NET_STRATEGIES } : {}),
      ...(hasTwoHedges ? { strategy: HEDGE_STRATEGIES } : {}),
    },
    strategy: strategyOf(isBare, isBusy, theme),
  };
}

/** Returns the strategy class of a day. */
function strategyOf(isBare: boolean, isBusy: boolean, theme: Theme | null): typeof Trader {
  if (theme === 'contractKills') return WaitingContractTrader;
  if (theme === 'netStrategies') return NetTrader;
  if (theme === 'bothSides') return isBare ? BareHedgeTrader : HedgeTrader;
  if (isBare) return BareContractTrader;
  return isBusy ? BusyContractTrader : ContractTrader;
}

/** Halts that the faults of a day cause, and that the operator alone clears. */
const OPERATOR_CODES = ['ECHO', 'STATUS', 'POST_TRADE'] as const;

/** Returns the scopes on which a cause stands; the account if the cause does not stand. */
export function scopesOf(process: BotProcess, code: string): readonly string[] {
  const engine = process.opened?.bot.deps.engine;
  if (engine === undefined) return ['account'];
  const { risk, instruments, runs } = engine;
  const names = { instruments, strategies: runs.map(({ name }) => name) };
  const scopes = risk.halts.causes().filter((cause) => cause.code === code);
  return scopes.length === 0 ? ['account'] : [...new Set(scopes.map(({ scope }) => scopeName(scope, names)))];
}

/**
 * The operator has the strategy adopt the orders by which the exchange has liquidated its positions, ignores other foreign orders, and clears
 * ids that two orders had. `track` waits for each decision.
 */
export function reviewForeignOrders(process: BotProcess, venue: ContractVenue, track: (work: Promise<unknown>) => void): void {
  const services = process.opened?.bot.deps.services;
  if (!services || !process.control) return;
  const foreign = foreignOrdersOf(services);
  const raised = new Set(process.opened!.bot.deps.engine.risk.halts.causes().map(({ code }) => code));
  for (const code of foreign.length === 0 ? ['ALIEN', ...OPERATOR_CODES] : OPERATOR_CODES)
    if (raised.has(code))
      for (const scope of scopesOf(process, code))
        track(process.control.resume({ scope, code, why: 'the operator has looked' }, 'operator'));
  const liquidations = new Map(venue.liquidations.map(({ order }) => [order.id, order]));
  for (const { venueId } of foreign) {
    const decision = { id: venueId, why: 'the operator has looked' };
    const liquidation = liquidations.get(venueId);
    const owner = liquidation === undefined ? null : ownerOf(process.opened!.bot.deps.engine, liquidation);
    venue.cancelTriggerCopy(venueId);
    track(
      process.control.decide(
        owner === null ? { what: 'ignore', ...decision } : { what: 'adopt', strategy: owner, ...decision },
        'operator',
      ),
    );
  }
}

/** Returns the name of the strategy whose position an order closes; null if none has one, as after a second copy. */
function ownerOf({ runs, instruments, ledger }: ObservedEngine, { instrument, intent }: UserOrder): string | null {
  const index = instruments.findIndex(({ wireName }) => wireName === instrument.wireName);
  return runs.find((run) => ledger.closable(run.index, index, intent.side === 'buy', true) > 0)?.name ?? null;
}
