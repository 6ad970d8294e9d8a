// Determines the reporting asset of a run, and how its other quote assets are valued in it.

import { largestOf, smallestOf } from '../../base/number/extremes.ts';
import { ConfigError } from '../../base/errors.ts';
import { closeMsOf, openMsOf } from '../../model/bars/bars.ts';
import type { Instrument, InstrumentId } from '../../model/instrument.ts';
import { formatMinute } from '../../model/time.ts';
import { finestFeeds } from '../plan/finestFeeds.ts';
import type { FeedPlan } from '../plan/plan.ts';
import type { Definition } from '../text/schema.ts';
import { whereIs, type DefinitionSource } from '../text/source.ts';

/** The asset in which a run counts money, and by each other quote asset the instrument whose close values it; null for one quote asset. */
export interface QuoteAssets {
  readonly reporting: string;
  readonly convert: Readonly<Record<string, InstrumentId>> | null;
}

/**
 * Returns the quote assets of a run. Throws ConfigError unless each quote asset except the reporting asset has a conversion. A conversion is a
 * spot symbol of the run that trades the asset against the reporting asset, with a bar from the first instant on.
 */
export function quoteAssetsOf(definition: Definition, source: DefinitionSource, feeds: readonly FeedPlan[]): QuoteAssets {
  const instruments = [...new Map(feeds.map(({ bars: { instrument } }) => [instrument.id, instrument])).values()];
  const quotes = [...new Set(instruments.map(({ quote }) => quote))];
  const convert = Object.entries(definition.convert ?? {});
  if (convert.length === 0) {
    if (quotes.length === 1) return { reporting: quotes[0]!, convert: null };
    throw severalQuotesError(source, instruments);
  }
  checkSupported(definition, source, instruments);
  const conversions = convert.map(([asset, symbol]) => ({ asset, instrument: conversionOf(asset, symbol, source, instruments) }));
  const reporting = conversions[0]!.instrument.quote;
  for (const conversion of conversions) {
    checkTarget(conversion, reporting, quotes, source);
    checkPriced(whereIs(source, ['convert', conversion.asset]), conversion.instrument, feeds);
  }
  checkComplete(conversions, instruments, reporting, source);
  checkDigits(conversions, instruments, reporting);
  checkCoins(source, instruments);
  return { reporting, convert: Object.fromEntries(conversions.map(({ asset, instrument }) => [asset, instrument.id])) };
}

/** A quote asset, and the instrument whose close values it. */
interface AssetConversion {
  readonly asset: string;
  readonly instrument: Instrument;
}

/** Returns the error for a run with several quote assets and no conversion. */
function severalQuotesError(source: DefinitionSource, instruments: readonly Instrument[]): ConfigError {
  const instrumentTexts = instruments.map(({ wireName, quote }) => `${wireName} in ${quote}`);
  return new ConfigError(
    `${whereIs(source, ['feeds'])}: expected instruments with one quote asset, got ${instrumentTexts.join(', ')}`,
    'value one asset in the other, such as convert: { BTC: BTCUSDT }, or put instruments with different quote assets into separate runs',
  );
}

/** Throws ConfigError for a conversion into another asset than the reporting asset, and for one that the run does not need. */
function checkTarget({ asset, instrument }: AssetConversion, reporting: string, quotes: readonly string[], source: DefinitionSource): void {
  const where = whereIs(source, ['convert', asset]);
  if (instrument.quote !== reporting) {
    throw new ConfigError(
      `${where}: expected a symbol that is quoted in ${reporting}, as the first conversion is, got ${instrument.wireName} in ${instrument.quote}`,
      `all conversions lead to one reporting asset: name a symbol of ${asset} in ${reporting}`,
    );
  }
  if (asset === reporting) throw new ConfigError(`${where}: ${asset} is the reporting asset`, 'leave the conversion out');
  if (!quotes.includes(asset)) throw new ConfigError(`${where}: no feed of the run is quoted in ${asset}`, 'leave the conversion out');
}

/** Throws ConfigError for a quote asset of the run that has no conversion. */
function checkComplete(
  conversions: readonly AssetConversion[],
  instruments: readonly Instrument[],
  reporting: string,
  source: DefinitionSource,
): void {
  const unconverted = instruments.find(({ quote }) => quote !== reporting && !conversions.some(({ asset }) => asset === quote));
  if (unconverted === undefined) return;
  const { quote, wireName } = unconverted;
  throw new ConfigError(
    `${whereIs(source, ['convert'])}: expected a conversion of ${quote}, in which ${wireName} is quoted`,
    `add ${quote}: and a symbol of ${quote} in ${reporting}`,
  );
}

/** Throws ConfigError for a part of a run that counts money in one asset only. */
function checkSupported({ models }: Definition, source: DefinitionSource, instruments: readonly Instrument[]): void {
  const contract = instruments.find(({ market }) => market === 'futures');
  if (contract !== undefined) {
    throw new ConfigError(
      `${whereIs(source, ['convert'])}: expected a run of spot, got the contract ${contract.wireName}`,
      'put contracts into a run of their own, without convert',
    );
  }
  if (models?.fees !== undefined) {
    throw new ConfigError(
      `${whereIs(source, ['models', 'fees'])}: expected no fee model beside convert, because it counts turnover in one quote asset`,
      'write the rates under fees, or put instruments with different quote assets into separate runs',
    );
  }
}

/** Returns the instrument by which an asset is valued. Throws ConfigError if no feed of the run has the symbol. */
function conversionOf(asset: string, symbol: string, source: DefinitionSource, instruments: readonly Instrument[]): Instrument {
  const where = whereIs(source, ['convert', asset]);
  const instrument = instruments.find(({ wireName }) => wireName === symbol);
  if (instrument === undefined) {
    throw new ConfigError(
      `${where}: no feed of the run has the symbol ${symbol}`,
      `add one, such as feeds: { ${symbol.toLowerCase()}: { symbol: ${symbol}, interval: 1m } }`,
    );
  }
  if (instrument.base === asset) return instrument;
  throw new ConfigError(
    `${where}: expected a symbol that trades ${asset}, got ${symbol}, which trades ${instrument.base} against ${instrument.quote}`,
    instrument.quote === asset
      ? `make ${asset} the reporting asset: convert: { ${instrument.base}: ${symbol} }`
      : `name a symbol that is bought with the reporting asset and sold as ${asset}`,
  );
}

/** Throws ConfigError unless the conversion has a price from the first instant on: a bar of the warm-up, or the open of its first bar. */
function checkPriced(where: string, { id, wireName }: Instrument, feeds: readonly FeedPlan[]): void {
  const { bars, firstRow, listedToMs } = finestFeeds(feeds).find((each) => each.bars.instrument.id === id)!;
  if (listedToMs !== undefined) {
    throw new ConfigError(
      `${where}: ${wireName} leaves the run at ${formatMinute(listedToMs)} (listed)`,
      'name a symbol that stays, or end the run then with to',
    );
  }
  if (firstRow > 0) return;
  const beginsMs = openMsOf(bars, firstRow);
  if (Number.isNaN(beginsMs))
    throw new ConfigError(`${where}: ${wireName} has no bar at the start of the run`, 'load bars of the conversion from before the start');
  const firstMs = smallestOf(feeds.map((each) => closeMsOf(each.bars, each.firstRow)).filter((ms) => !Number.isNaN(ms)));
  if (beginsMs < firstMs) return;
  throw new ConfigError(
    `${where}: ${wireName} begins at ${formatMinute(beginsMs)}, after the first bar of the run at ${formatMinute(firstMs)}`,
    'begin the run later with from, or load earlier bars of the conversion',
  );
}

/** Returns a note for each conversion whose bars end before those of the other feeds: its last close counts until the end of the run. */
export function conversionNotes(convert: QuoteAssets['convert'], feeds: readonly FeedPlan[]): readonly string[] {
  const endOf = ({ bars }: FeedPlan): number => closeMsOf(bars, bars.length - 1);
  const finest = finestFeeds(feeds);
  const lastMs = largestOf(finest.map(endOf).filter((ms) => !Number.isNaN(ms)));
  return Object.entries(convert ?? {}).flatMap(([asset, id]) => {
    const feed = finest.find(({ bars }) => bars.instrument.id === id)!;
    if (!(endOf(feed) < lastMs)) return [];
    return [
      `${asset} is valued by the last close of ${feed.bars.instrument.wireName} from ${formatMinute(endOf(feed))} on, where its bars end`,
    ];
  });
}

/** Throws ConfigError unless all quote assets have the same number of digits, also where the conversion trades them as a coin. */
function checkDigits(conversions: readonly AssetConversion[], instruments: readonly Instrument[], reporting: string): void {
  const digits = instruments.find(({ quote }) => quote === reporting)!.quoteDigits;
  const withOtherQuote = instruments.find(({ quoteDigits }) => quoteDigits !== digits);
  const withOtherBase = conversions.find(({ instrument }) => instrument.baseDigits !== digits)?.instrument;
  const differing = withOtherQuote ?? withOtherBase;
  if (differing === undefined) return;
  const { wireName } = differing;
  const [key, actual] = differing === withOtherQuote ? ['quotePrecision', differing.quoteDigits] : ['basePrecision', differing.baseDigits];
  throw new ConfigError(
    `${wireName}: expected a ${key} of ${digits}, which all quote assets of a run share, got ${actual}`,
    `write instruments: { ${wireName}: { ${key}: ${digits} } }`,
  );
}

/** Throws ConfigError for a coin that two symbols trade, because each keeps a position of its own in it. */
function checkCoins(source: DefinitionSource, instruments: readonly Instrument[]): void {
  instruments.forEach(({ base, wireName }, index) => {
    const earlier = instruments.slice(0, index).find((each) => each.base === base);
    if (earlier === undefined) return;
    throw new ConfigError(
      `${whereIs(source, ['feeds'])}: ${earlier.wireName} and ${wireName} both trade ${base}`,
      `trade ${base} through one symbol of the run, or put the other into a run of its own`,
    );
  });
}
