// Instrument records from what an exchange lists: its digits, minimums and fees, joined to what the catalog knows already.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCatalogFile, writeText } from '../../adapters/catalog/bars/catalog.ts';
import { assumedTiers, proposeContract } from '../../adapters/catalog/records/contractRecord.ts';
import { instrumentText, proposeInstrument } from '../../adapters/catalog/records/instrumentRecord.ts';
import { instrumentPath } from '../../adapters/catalog/files/paths.ts';
import { lots } from '../../base/brand.ts';
import { Decimal, fromScaled } from '../../base/number/decimal.ts';
import type { Contract as Terms } from '../../model/contract.ts';
import { instrumentId, type Instrument, type Market } from '../../model/instrument.ts';
import type { WireContract, SpotSymbol } from '../../protocol/shapes/market.ts';

/** What an exchange says of an instrument, in the terms of a record. Null: it does not say. */
export interface ListedInstrument {
  readonly market: Market;
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly priceDigits: number;
  readonly quantityDigits: number | null;
  /** In the base asset; of a contract in contracts. */
  readonly minQuantity: Decimal | null;
  readonly isTradable: boolean;
  /** As the exchange has it; of spot null. */
  readonly contract: WireContract | null;
}

export function listedSymbol(of: SpotSymbol): ListedInstrument {
  return {
    market: 'spot',
    symbol: of.symbol,
    base: of.baseAsset,
    quote: of.quoteAsset,
    priceDigits: of.pricePrecision,
    quantityDigits: of.quantityPrecision,
    minQuantity: aboveZero(of.limitVolumeMin),
    isTradable: true,
    contract: null,
  };
}

/** A contract: quantities are contracts, as whole as the least one that may be ordered. */
export function listedContract(of: WireContract): ListedInstrument {
  return {
    market: 'futures',
    symbol: of.symbol,
    base: of.multiplierCoin,
    quote: of.marginCoin,
    priceDigits: of.pricePrecision,
    quantityDigits: new Decimal(of.minOrderVolume).decimalPlaces(),
    minQuantity: aboveZero(of.minOrderVolume),
    isTradable: of.status === 1,
    contract: of,
  };
}

const aboveZero = (text: string | null | undefined): Decimal | null =>
  text === null || text === undefined || new Decimal(text).lte(0) ? null : new Decimal(text);

/** A first record, as an import would propose it: prices bound the digits of money. Throws ConfigError where none is exact. */
export function proposedFor(
  { market, base, quote, priceDigits, quantityDigits }: ListedInstrument,
  lowest: number,
  highest: number,
): Instrument {
  return proposeInstrument(market, `${base}-${quote}`, { priceDigits, volumeDigits: quantityDigits ?? 0, lowest, highest });
}

/** The record of a listed instrument: what the exchange does not say stays as in `like`. */
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

/** The terms that the exchange lists. Tiers, which it does not, and fees that it leaves out, are those of the catalog, else assumed. */
function contractOf(of: WireContract, quantityDigits: number, like: Instrument): Terms {
  const before = like.contract ?? proposeContract({ base: of.multiplierCoin, quote: of.marginCoin }, 0, like.quoteDigits);
  const guessed = new Set(before.assumed ?? []);
  const assumed: string[] = [];
  const fee = (key: FeeKey): number => {
    const text = of[key];
    // Rounded up; a rebate counts as no fee, so that no result rests on it.
    if (text !== null) return Math.max(0, new Decimal(text).times(1e6).ceil().toNumber());
    if (guessed.has(key)) assumed.push(key);
    return before[`${key}Ppm`];
  };
  const multiplier = new Decimal(of.multiplier);
  const multiplierDigits = multiplier.decimalPlaces();
  const max = aboveZero(of.maxMarketVolume);
  const fees = {
    openMakerFeePpm: fee('openMakerFee'),
    openTakerFeePpm: fee('openTakerFee'),
    closeMakerFeePpm: fee('closeMakerFee'),
    closeTakerFeePpm: fee('closeTakerFee'),
  };
  if (guessed.has('tiers')) assumed.push('tiers');
  return {
    contractId: of.contractId,
    kind: of.side === 1 ? 'linear' : 'inverse',
    type: of.type,
    marginCoin: of.marginCoin,
    marginDigits: like.quoteDigits,
    multiplier: multiplier.times(Decimal.pow(10, multiplierDigits)).toNumber(),
    multiplierDigits,
    multiplierCoin: of.multiplierCoin,
    minLeverage: of.minLever,
    maxLeverage: of.maxLever,
    maxMarketLots: max === null ? 0 : max.times(Decimal.pow(10, quantityDigits)).floor().toNumber(),
    ...fees,
    isTrading: of.status === 1,
    tiers: guessed.has('tiers') ? assumedTiers(of.marginCoin, like.quoteDigits) : before.tiers,
    ...(assumed.length === 0 ? {} : { assumed }),
  };
}

/** `pricePrecision 2 -> 3`, for each value of the record that is another. */
export function changedFields(before: Instrument, after: Instrument): string[] {
  const [old, now] = [before, after].map((record) => new Map(valuesIn(JSON.parse(instrumentText(record)), '')));
  const names = [...new Set([...now!.keys(), ...old!.keys()])];
  return names.flatMap((name) => {
    const [was, is] = [old!.get(name) ?? 'none', now!.get(name) ?? 'none'];
    return was === is ? [] : [`${name} ${was} -> ${is}`];
  });
}

/** The values inside a JSON value by their paths: `contract.tiers[0].maxLeverage`. */
function valuesIn(value: unknown, path: string): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item, at) => valuesIn(item, `${path}[${at}]`));
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) => valuesIn(inner, path === '' ? key : `${path}.${key}`));
}

/** What the exchange says of a contract beside its record: `contract.json` in the folder of its bars, every field as it was given. */
function contractPath(catalog: string, symbol: string): string {
  return join(dirname(instrumentPath(catalog, 'futures', symbol)), 'contract.json');
}

export function storeContract(catalog: string, contract: WireContract): void {
  const path = contractPath(catalog, contract.symbol);
  const text = `${JSON.stringify(contract, null, 2)}\n`;
  if (!existsSync(path) || readCatalogFile(path) !== text) writeText(path, text);
}
