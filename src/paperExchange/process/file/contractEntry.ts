// A contract in the exchange config: its schema, and the instrument that it describes.

import { z } from 'zod';
import { assumedTiers } from '../../../adapters/catalog/records/contractRecord.ts';
import { lots } from '../../../base/brand.ts';
import { nearestScaled } from '../../../base/number/decimal.ts';
import { scaleDown } from '../../../base/number/decimalText.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Contract, MarginTier } from '../../../model/contract.ts';
import { instrumentId, type Instrument } from '../../../model/instrument.ts';
import { flagValue, mapValue, rateValue, textValue, integerValue } from '../../../definition/text/values.ts';
import { decimalValue, digits, marketKeys, signedRate } from './values.ts';

/** No known service offers a higher leverage. */
const MAX_LEVERAGE = 1000;
/** With units this fine, positions of billions are still exact. */
const MARGIN_DIGITS = 6;

const tier = mapValue(
  {
    notional: decimalValue('the largest value that the tier covers; the last tier has none').optional(),
    maintenanceRate: rateValue('margin that must remain, as a fraction of the value'),
    maxLeverage: integerValue('times', 'largest leverage of such a position', 1, MAX_LEVERAGE),
  },
  "a tier, such as { notional: '50000', maintenanceRate: '0.005', maxLeverage: 125 }",
);

/** The keys of a contract in the config. */
export const contractEntry = mapValue(
  {
    contractName: textValue(
      'a name on the wire, such as E-BTC-USDT',
      'type, coin, coin of the price',
      /^[A-Z]{1,8}-[A-Z0-9]{1,16}-[A-Z0-9]{1,16}$/,
    ),
    multiplier: decimalValue('face value of a contract: in the coin; of an inverse contract in the coin of the price'),
    priceDigits: digits('decimals of a price'),
    inverse: flagValue('the contract settles in its coin, not in the coin of the price').optional(),
    contractId: integerValue('digits', 'contract id on the wire', 1).optional(),
    marginDigits: digits('decimals of money').optional(),
    minVolume: integerValue('contracts', 'smallest order', 1).optional(),
    maxMarketVolume: integerValue('contracts', 'largest MARKET order', 1).optional(),
    minLeverage: integerValue('times', 'smallest leverage', 1, MAX_LEVERAGE).optional(),
    maxLeverage: integerValue('times', 'largest leverage', 1, MAX_LEVERAGE).optional(),
    tiers: z.array(tier, { error: 'a list of tiers' }).min(1, { error: 'at least one tier' }).optional(),
    fundingRate: signedRate('funding rate of each eight hours; default: seeded').optional(),
    closed: flagValue('orders that open a position are refused: -2016').optional(),
    ...marketKeys,
  },
  "a contract, such as { contractName: E-BTC-USDT, multiplier: '0.0001', priceDigits: 1 }",
);
/** A checked contract of the config. */
export type ContractEntry = z.output<typeof contractEntry>;

/** Defaults of a contract entry. */
const ENTRY_DEFAULTS = { makerFee: '0.0002', takerFee: '0.0005', minLeverage: 1, maxLeverage: 125, minVolume: 1 };

/** Returns the instrument of the entry at `index`. Throws ConfigError naming the config and the key. */
export function contractInstrument(entry: ContractEntry, index: number, configName: string): Instrument {
  const contract = contractOf(entry, index, configName);
  const { marginCoin, marginDigits, multiplierCoin } = contract;
  return {
    id: instrumentId('futures', entry.contractName),
    market: 'futures',
    wireName: entry.contractName,
    base: multiplierCoin,
    quote: marginCoin,
    priceDigits: entry.priceDigits,
    quantityDigits: 0,
    quoteDigits: marginDigits,
    baseDigits: 0,
    minLots: lots(entry.minVolume ?? ENTRY_DEFAULTS.minVolume),
    makerFeePpm: 0,
    takerFeePpm: 0,
    contract,
  };
}

/** Returns the terms of the contract of an entry. An inverse contract is settled in the coin that the other kinds count. */
function contractOf(entry: ContractEntry, index: number, configName: string): Contract {
  const { contractName, multiplier, inverse = false, priceDigits, maxMarketVolume = 0, closed = false } = entry;
  const [type = '', coin = '', priceCoin = ''] = contractName.split('-');
  const [quote, base] = inverse ? [coin, priceCoin] : [priceCoin, coin];
  const multiplierDigits = multiplier.split('.')[1]?.length ?? 0;
  const faceValue = scaleDown(multiplier, multiplierDigits) ?? 0;
  if (faceValue < 1)
    throw new ConfigError(
      `${configName} ${contractName} multiplier: expected a face value above 0, got ${multiplier}`,
      "for example '0.0001'",
    );
  const marginDigits = entry.marginDigits ?? (inverse ? 8 : Math.max(MARGIN_DIGITS, multiplierDigits + priceDigits));
  const makerPpm = contractPpm(entry.makerFee ?? ENTRY_DEFAULTS.makerFee);
  const takerPpm = contractPpm(entry.takerFee ?? ENTRY_DEFAULTS.takerFee);
  const tiers = entry.tiers === undefined ? assumedTiers(quote, marginDigits) : tiersOf(entry.tiers, marginDigits);
  return {
    contractId: entry.contractId ?? index + 1,
    kind: inverse ? 'inverse' : 'linear',
    type,
    marginCoin: quote,
    marginDigits,
    multiplier: faceValue,
    multiplierDigits,
    multiplierCoin: base,
    minLeverage: entry.minLeverage ?? ENTRY_DEFAULTS.minLeverage,
    // Capped at the first tier: an account that starts with a higher leverage could open no position.
    maxLeverage: Math.min(entry.maxLeverage ?? ENTRY_DEFAULTS.maxLeverage, tiers[0]?.maxLeverage ?? Infinity),
    maxMarketLots: maxMarketVolume,
    openMakerFeePpm: makerPpm,
    openTakerFeePpm: takerPpm,
    closeMakerFeePpm: makerPpm,
    closeTakerFeePpm: takerPpm,
    isTrading: !closed,
    tiers,
  };
}

/** Returns the margin tiers of an entry, in units and ppm. */
const tiersOf = (tiers: NonNullable<ContractEntry['tiers']>, marginDigits: number): MarginTier[] =>
  tiers.map(({ notional, maintenanceRate, maxLeverage }) => ({
    upToUnits: notional === undefined ? null : nearestScaled(notional, marginDigits),
    maintenancePpm: contractPpm(maintenanceRate),
    maxLeverage,
  }));

/** Converts a fraction with at most six decimals to millionths. */
export const contractPpm = (fraction: string): number => scaleDown(fraction, 6) ?? 0;
