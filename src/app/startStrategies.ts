// Starts a bot in a backtest or live: constructs its strategies and deposits its starting balances.

import { toScaled } from '../base/number/decimal.ts';
import { ConfigError } from '../base/errors.ts';
import { seededRng } from '../base/number/rng.ts';
import type { Engine } from '../engine/engine.ts';
import { addStrategy } from '../engine/loop/setUp.ts';
import type { StrategyRun } from '../engine/host/strategyRun.ts';
import type { Instrument } from '../model/instrument.ts';
import type { StrategyHost } from '../strategy/host.ts';
import { parseParams } from '../strategy/params.ts';
import { marketOf } from './kinds/market.ts';
import type { AccountPlan, Deposits } from './kinds/parts.ts';
import type { RunPlan } from '../definition/plan/plan.ts';

/** Returns the host that serves a strategy in place of its run, such as one that records all calls. */
export type HostMaker = (run: StrategyRun) => StrategyHost;

/** Constructs the strategies of `plan` in the engine. Throws StrategyError if a constructor throws, ConfigError for invalid parameters. */
export function addStrategies(engine: Engine, plan: RunPlan, hostFor?: HostMaker): void {
  plan.strategies.forEach(({ strategy, record, params }, index) => {
    const values = parseParams(strategy.params, params, record.file);
    try {
      addStrategy(engine, strategy, record.name, values, seededRng(plan.seed * 65_537 + index), hostFor);
    } catch (error) {
      throw engine.attributeError(error, 'while it was constructed');
    }
  });
}

/** Deposits the starting balances in the ledger of the strategies, by share. Returns the deposits of each account at the venue. */
export function depositCash(engine: Engine, plan: RunPlan): readonly Deposits[] {
  return marketOf(engine.instruments)
    .accounts(plan, engine)
    .map((account) => depositToAccount(account, engine, plan));
}

/** Deposits the starting balances of one account in the ledger of the strategies. Throws ConfigError for an asset that the run does not trade. */
function depositToAccount({ market, ledger, cash }: AccountPlan, engine: Engine, plan: RunPlan): Deposits {
  const deposits = new Map<string, number>();
  const digitsOf = digitsByAsset(engine.instruments.filter((instrument) => instrument.market === market));
  const marketParts = marketOf(engine.instruments);
  for (const [asset, text] of Object.entries(cash)) {
    const digits = digitsOf.get(asset);
    if (digits === undefined) {
      throw new ConfigError(`cash.${asset}: no feed of the run trades this asset`, `name one of ${[...digitsOf.keys()].join(', ')}`);
    }
    const totalUnits = toScaled(text, digits);
    if (totalUnits === null || totalUnits < 0) {
      throw new ConfigError(`cash.${asset}: expected at most ${digits} decimals and not below zero, got ${text}`, 'round the amount');
    }
    deposits.set(asset, totalUnits);
    splitByShare(totalUnits, plan).forEach((units, strategy) =>
      ledger.deposit(strategy, asset, units, marketParts.startingValue(engine, asset, units)),
    );
  }
  return deposits;
}

/** Returns the units of `totalUnits` that each strategy gets: its share, rounded down. The last strategy gets the remainder. */
function splitByShare(totalUnits: number, plan: RunPlan): number[] {
  const units = plan.strategies.map(({ share }) => Math.floor(totalUnits * Number(share)));
  const assignedUnits = units.slice(0, -1).reduce((sum, strategyUnits) => sum + strategyUnits, 0);
  units[units.length - 1] = totalUnits - assignedUnits;
  return units;
}

/** Returns the number of digits of each asset that the instruments trade. */
function digitsByAsset(instruments: readonly Instrument[]): Map<string, number> {
  return new Map(
    instruments.flatMap(({ base, baseDigits, quote, quoteDigits }): [string, number][] => [
      [quote, quoteDigits],
      [base, baseDigits],
    ]),
  );
}
