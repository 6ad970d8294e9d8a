// Compares the configured capital with the account's balances, so that a bot never trades with money that the account does not have.

import { Decimal, fromScaled } from '../../../base/number/decimal.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Market } from '../../../model/instrument.ts';
import { ConvertedLedger } from '../../../portfolio/convertedLedger.ts';
import { marketOf } from '../../../app/kinds/market.ts';
import { answerTo, type MarketService } from '../../download/marketService.ts';
import type { AccountPlan } from '../../../app/kinds/parts.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';

/** Throws ConfigError if the capital of all strategies is more than the account holds, and NoAnswer if the exchange does not reply. */
export async function checkCapitalHeld(service: MarketService, plan: RunPlan, engine: Engine): Promise<void> {
  for (const account of marketOf(engine.instruments).accounts(plan, engine)) {
    const balances = account.market === 'spot' ? await spotBalances(service) : await futuresBalances(service);
    for (const [asset, booked] of bookedAmounts(account)) {
      const available = balances.get(asset) ?? new Decimal(0);
      if (available.greaterThanOrEqualTo(booked)) continue;
      throw capitalError(account.market, asset, booked, available);
    }
  }
}

/** Returns the error for more capital than the account has. */
function capitalError(market: Market, asset: string, booked: string, available: Decimal): ConfigError {
  return new ConfigError(
    `cash.${asset}: the strategies are given ${booked}, the ${market} account holds ${available.toFixed()}`,
    'lower cash to at most the balance; the bot never touches the rest of it',
  );
}

/** Returns the amounts in the ledger of an account, by asset. */
function bookedAmounts({ market, ledger }: AccountPlan): ReadonlyMap<string, string> {
  if (ledger instanceof ConvertedLedger) return convertedAmounts(ledger);
  const amounts = new Map([[ledger.cashAsset, fromScaled(ledger.cashTotal, ledger.cashDigits)]]);
  if (market === 'futures') return amounts;
  ledger.instruments.forEach((instrument, index) => {
    if (instrument.market !== 'spot') return;
    let units = 0;
    for (let strategy = 0; strategy < ledger.strategies; strategy++) units += ledger.qty(strategy, index);
    if (units > 0) amounts.set(instrument.base, fromScaled(units, ledger.qtyDigits(index)));
  });
  return amounts;
}

/** Returns the positive amounts in a ledger of several quote assets, by asset. */
function convertedAmounts(ledger: ConvertedLedger): ReadonlyMap<string, string> {
  // An asset may be both the cash of an account and the base of an instrument. Its digits are the same in both.
  const digitsByAsset = new Map([
    ...ledger.instruments.map(({ base, baseDigits }) => [base, baseDigits] as const),
    ...ledger.accounts.map(({ cashAsset, cashDigits }) => [cashAsset, cashDigits] as const),
  ]);
  const amounts = new Map<string, string>();
  for (const [asset, units] of ledger.balances()) if (units > 0) amounts.set(asset, fromScaled(units, digitsByAsset.get(asset)!));
  return amounts;
}

/** Returns the balances of a spot account by asset, locked amounts included. */
async function spotBalances(service: MarketService): Promise<ReadonlyMap<string, Decimal>> {
  const { rows } = await answerTo(service, 'spot.account', {});
  return new Map(rows.map(({ asset, free, locked }) => [asset, new Decimal(free).plus(locked)]));
}

/** Returns the wallet balances of a futures account. Unrealised profit does not count. */
async function futuresBalances(service: MarketService): Promise<ReadonlyMap<string, Decimal>> {
  const { rows } = await answerTo(service, 'futures.account', {});
  return new Map(rows.map(({ marginCoin, walletBalance, accountNormal }) => [marginCoin, new Decimal(walletBalance ?? accountNormal)]));
}
