// The configuration of a futures venue, and its validation.

import { ConfigError } from '../../base/errors.ts';
import type { Rounding } from '../../base/number/exact.ts';
import { listOf } from '../../base/memory/listOf.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { FeeModel } from '../feeModel.ts';
import { checkCommon, checkPpm, type FillTerms, type VenueConfig } from '../venueConfig.ts';
import { ContractMoney } from './contractMoney.ts';
import type { ContractSetting, ContractTerms } from './wallets.ts';

/** What a futures venue is opened with. */
export interface FuturesVenueConfig extends FillTerms, Pick<VenueConfig, 'instruments' | 'maxOpenOrders' | 'state'> {
  /** `ppm` replaces the four rates of every contract. */
  readonly fees: { readonly rounding: Rounding; readonly model?: FeeModel | null; readonly ppm?: number };
  /** Fee of a liquidation, in ppm of the position's value. The insurance account receives it from the remaining margin. */
  readonly liquidationFeePpm: number;
  /** Settings of a new account. Leverage is capped at what each contract allows. */
  readonly opening: Readonly<ContractSetting>;
  /** Whether leverage and modes may change while a contract has positions or orders (-1020 if not). */
  readonly settingsInUse: 'refuse' | 'accept';
}

/** Returns the instruments with their money, and the assets in which they settle. Throws ConfigError for an invalid config. */
export function contractsOf(config: FuturesVenueConfig): {
  readonly contracts: readonly ContractTerms[];
  readonly assets: readonly string[];
} {
  checkCommon(config);
  checkPpm('liquidationFeePpm', config.liquidationFeePpm);
  checkPpm('fees.ppm', config.fees.ppm ?? 0);
  const digitsByAsset = new Map<string, number>();
  for (const { id, market, contract, base, quote, quoteDigits, baseDigits, quantityDigits } of config.instruments) {
    if (market !== 'futures' || contract === undefined) {
      throw new ConfigError(`instrument ${id}: expected a futures contract, got ${market}`, 'use futures contracts only');
    }
    const { marginCoin, marginDigits } = contract;
    const earlierDigits = digitsByAsset.get(marginCoin) ?? marginDigits;
    if (earlierDigits !== marginDigits) {
      throw new ConfigError(
        `instrument ${id}: ${marginCoin} has ${marginDigits} digits, but ${earlierDigits} in another contract`,
        `give ${marginCoin} the same marginDigits in every contract`,
      );
    }
    digitsByAsset.set(marginCoin, marginDigits);
    const matchesContract =
      quote === marginCoin && quoteDigits === marginDigits && base === contract.multiplierCoin && baseDigits === quantityDigits;
    if (!matchesContract) {
      const message = `instrument ${id}: base, quote and their digits do not match its contract`;
      throw new ConfigError(
        message,
        'set base to multiplierCoin, quote to marginCoin, quoteDigits to marginDigits and baseDigits to quantityDigits',
      );
    }
    checkContract(id, contract);
  }
  const assets = [...digitsByAsset.keys()];
  const contracts = listOf(config.instruments, (instrument) => ({
    instrument,
    money: new ContractMoney(withFees(instrument, config.fees.ppm)),
    asset: assets.indexOf(instrument.contract!.marginCoin),
  }));
  return { contracts, assets };
}

/** Returns the record with all four rates of its contract replaced; undefined: the record itself. */
function withFees(instrument: Instrument, ppm: number | undefined): Instrument {
  const { contract } = instrument;
  if (ppm === undefined || contract === undefined) return instrument;
  const fees = { openMakerFeePpm: ppm, openTakerFeePpm: ppm, closeMakerFeePpm: ppm, closeTakerFeePpm: ppm };
  return { ...instrument, contract: { ...contract, ...fees } };
}

/** Throws ConfigError for terms of a contract that the venue cannot obey. */
function checkContract(id: string, contract: NonNullable<Instrument['contract']>): void {
  for (const key of ['openMakerFeePpm', 'openTakerFeePpm', 'closeMakerFeePpm', 'closeTakerFeePpm'] as const) {
    checkPpm(`instrument ${id} ${key}`, contract[key]);
  }
  const { minLeverage, maxLeverage } = contract;
  if (!(Number.isInteger(minLeverage) && Number.isInteger(maxLeverage) && minLeverage >= 1 && maxLeverage >= minLeverage)) {
    throw new ConfigError(
      `instrument ${id}: expected leverage from 1 up, got ${minLeverage} to ${maxLeverage}`,
      'give minLeverage and maxLeverage as whole numbers',
    );
  }
}
