// Compares the configured capital with the account's balances, so that a bot never trades with money that the account does not have.

import { Decimal, fromScaled } from '../../../base/number/decimal.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Market } from '../../../model/instrument.ts';
import { marketOf } from '../../../app/kinds/market.ts';
import { answerTo, type MarketService } from '../../download/service.ts';
import type { AccountPlan } from '../../../app/kinds/parts.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';

/** Throws ConfigError if the capital of all strategies is more than the account holds, and NoAnswer if the exchange does not reply. */
export async function checkCapitalHeld(service: MarketService, plan: RunPlan, engine: Engine): Promise<void> {
  for (const account of marketOf(engine.instruments).accounts(plan, engine)) {
    const held = account.market === 'spot' ? await spotHoldings(service) : await futuresHoldings(service);
    for (const [asset, wanted] of bookedAmounts(account)) {
      const there = held.get(asset) ?? new Decimal(0);
      if (there.greaterThanOrEqualTo(wanted)) continue;
      throw tooMuch(account.market, asset, wanted, there);
    }
  }
}

function tooMuch(market: Market, asset: string, wanted: string, there: Decimal): ConfigError {
  return new ConfigError(
    `cash.${asset}: the strategies are given ${wanted}, the ${market} account holds ${there.toFixed()}`,
    'give them no more than is there; what they are not given is not touched',
  );
}

/** Returns the amounts in the ledger of an account, by asset. */
function bookedAmounts({ market, ledger }: AccountPlan): ReadonlyMap<string, string> {
  const found = new Map([[ledger.cashAsset, fromScaled(ledger.cashTotal, ledger.cashDigits)]]);
  if (market === 'futures') return found;
  ledger.instruments.forEach((instrument, index) => {
    if (instrument.market !== 'spot') return;
    let units = 0;
    for (let strategy = 0; strategy < ledger.strategies; strategy++) units += ledger.qty(strategy, index);
    if (units > 0) found.set(instrument.base, fromScaled(units, ledger.qtyDigits(index)));
  });
  return found;
}

async function spotHoldings(service: MarketService): Promise<ReadonlyMap<string, Decimal>> {
  const { rows } = await answerTo(service, 'spot.account', {});
  return new Map(rows.map(({ asset, free, locked }) => [asset, new Decimal(free).plus(locked)]));
}

/** Uses the wallet balance: unrealised profit does not count. */
async function futuresHoldings(service: MarketService): Promise<ReadonlyMap<string, Decimal>> {
  const { rows } = await answerTo(service, 'futures.account', {});
  return new Map(rows.map(({ marginCoin, walletBalance, accountNormal }) => [marginCoin, new Decimal(walletBalance ?? accountNormal)]));
}
