// Builds instrument records from the exchange's listing: precisions, minimums and fees, merged with the catalog's record.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCatalogFile, writeCatalogFile } from '../../adapters/catalog/bars/catalog.ts';
import { assumedTiers, proposeContract } from '../../adapters/catalog/records/contractRecord.ts';
import { instrumentText, proposeInstrument } from '../../adapters/catalog/records/instrumentRecord.ts';
import { instrumentPath } from '../../adapters/catalog/files/paths.ts';
import { lots } from '../../base/brand.ts';
import { Decimal, fromScaled } from '../../base/number/decimal.ts';
import type { Contract as Terms } from '../../model/contract.ts';
import { instrumentId, type Instrument, type Market } from '../../model/instrument.ts';
import type { WireContract, SpotSymbol } from '../../protocol/shapes/market.ts';

/** An instrument as the exchange lists it, in the terms of a record. Null: not listed. */
export interface ListedInstrument {
  readonly market: Market;
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly priceDigits: number;
  readonly quantityDigits: number | null;
  /** In the base asset; for a contract in contracts. */
  readonly minQuantity: Decimal | null;
  readonly isTradable: boolean;
  /** The contract as listed; null for spot. */
  readonly contract: WireContract | null;
}

/** Returns the facts of a spot instrument from the exchange's listing. */
export function listedSymbol(symbol: SpotSymbol): ListedInstrument {
  return {
    market: 'spot',
    symbol: symbol.symbol,
    base: symbol.baseAsset,
    quote: symbol.quoteAsset,
    priceDigits: symbol.pricePrecision,
    quantityDigits: symbol.quantityPrecision,
    minQuantity: aboveZero(symbol.limitVolumeMin),
    isTradable: true,
    contract: null,
  };
}

/** Converts a listed contract. Quantities are contracts, with the decimals of the minimum order. */
export function listedContract(contract: WireContract): ListedInstrument {
  return {
    market: 'futures',
    symbol: contract.symbol,
    base: contract.multiplierCoin,
    quote: contract.marginCoin,
    priceDigits: contract.pricePrecision,
    quantityDigits: new Decimal(contract.minOrderVolume).decimalPlaces(),
    minQuantity: aboveZero(contract.minOrderVolume),
    isTradable: contract.status === 1,
    contract,
  };
}

const aboveZero = (text: string | null | undefined): Decimal | null =>
  text === null || text === undefined || new Decimal(text).lte(0) ? null : new Decimal(text);

/**
 * Returns a first record, as an import would propose it. Prices limit the digits of money. Throws ConfigError if no number of digits is
 * exact.
 */
export function proposedFor(
  { market, base, quote, priceDigits, quantityDigits }: ListedInstrument,
  lowest: number,
  highest: number,
): Instrument {
  return proposeInstrument(market, `${base}-${quote}`, { priceDigits, volumeDigits: quantityDigits ?? 0, lowest, highest });
}

/** Returns the record of a listed instrument. Values that the exchange does not list come from `like`. */
export function instrumentRecordOf(listed: ListedInstrument, like: Instrument): Instrument {
  const { market, symbol, base, quote, priceDigits, contract } = listed;
  const quantityDigits = listed.quantityDigits ?? like.quantityDigits;
  const min = listed.minQuantity ?? new Decimal(fromScaled(like.minLots, like.quantityDigits));
  const common = {
    id: instrumentId(market, symbol),
    market,
    wireName: symbol,
    base,
    quote,
    priceDigits,
    quantityDigits,
    quoteDigits: like.quoteDigits,
    minLots: lots(Math.max(1, min.times(Decimal.pow(10, quantityDigits)).ceil().toNumber())),
  };
  if (contract !== null) {
    const terms = contractOf(contract, quantityDigits, like);
    return { ...common, baseDigits: quantityDigits, makerFeePpm: 0, takerFeePpm: 0, contract: terms };
  }
  const { makerFeePpm, takerFeePpm } = like;
  return { ...common, baseDigits: Math.max(like.baseDigits, quantityDigits), makerFeePpm, takerFeePpm };
}

type FeeKey = `${'open' | 'close'}${'Maker' | 'Taker'}Fee`;

/** Returns the listed contract terms. Margin tiers, which are not listed, and missing fees come from the catalog, else are assumed. */
function contractOf(contract: WireContract, quantityDigits: number, like: Instrument): Terms {
  const before = like.contract ?? proposeContract({ base: contract.multiplierCoin, quote: contract.marginCoin }, 0, like.quoteDigits);
  const guessed = new Set(before.assumed ?? []);
  const assumed: string[] = [];
  const fee = (key: FeeKey): number => {
    const text = contract[key];
    // Rounded up. A rebate counts as no fee, so that no result depends on it.
    if (text !== null) return Math.max(0, new Decimal(text).times(1e6).ceil().toNumber());
    if (guessed.has(key)) assumed.push(key);
    return before[`${key}Ppm`];
  };
  const multiplier = new Decimal(contract.multiplier);
  const multiplierDigits = multiplier.decimalPlaces();
  const max = aboveZero(contract.maxMarketVolume);
  const fees = {
    openMakerFeePpm: fee('openMakerFee'),
    openTakerFeePpm: fee('openTakerFee'),
    closeMakerFeePpm: fee('closeMakerFee'),
    closeTakerFeePpm: fee('closeTakerFee'),
  };
  if (guessed.has('tiers')) assumed.push('tiers');
  return {
    contractId: contract.contractId,
    kind: contract.side === 1 ? 'linear' : 'inverse',
    type: contract.type,
    marginCoin: contract.marginCoin,
    marginDigits: like.quoteDigits,
    multiplier: multiplier.times(Decimal.pow(10, multiplierDigits)).toNumber(),
    multiplierDigits,
    multiplierCoin: contract.multiplierCoin,
    minLeverage: contract.minLever,
    maxLeverage: contract.maxLever,
    maxMarketLots: max === null ? 0 : max.times(Decimal.pow(10, quantityDigits)).floor().toNumber(),
    ...fees,
    isTrading: contract.status === 1,
    tiers: guessed.has('tiers') ? assumedTiers(contract.marginCoin, like.quoteDigits) : before.tiers,
    ...(assumed.length === 0 ? {} : { assumed }),
  };
}

/** Returns a line such as `pricePrecision 2 -> 3` for each changed value of the record. */
export function changedFields(before: Instrument, after: Instrument): string[] {
  const [previous, now] = [before, after].map((record) => new Map(valuesIn(JSON.parse(instrumentText(record)), '')));
  const names = [...new Set([...now!.keys(), ...previous!.keys()])];
  return names.flatMap((name) => {
    const was = previous!.get(name) ?? 'none';
    const is = now!.get(name) ?? 'none';
    return was === is ? [] : [`${name} ${was} -> ${is}`];
  });
}

/** Returns the values in a JSON value by their paths: `contract.tiers[0].maxLeverage`. */
function valuesIn(value: unknown, path: string): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => valuesIn(item, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) => valuesIn(inner, path === '' ? key : `${path}.${key}`));
}

/** Path of the full listing of a contract: `contract.json` in the folder of its bars, with every field as received. */
function contractPath(catalog: string, symbol: string): string {
  return join(dirname(instrumentPath(catalog, 'futures', symbol)), 'contract.json');
}

/** Stores the terms of a contract, unless the same are stored already. */
export function storeContract(catalog: string, contract: WireContract): void {
  const path = contractPath(catalog, contract.symbol);
  const text = `${JSON.stringify(contract, null, 2)}\n`;
  if (!existsSync(path) || readCatalogFile(path) !== text) writeCatalogFile(path, text);
}
