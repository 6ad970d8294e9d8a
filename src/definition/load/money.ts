// Determines the starting balances and the fees of a run, and checks that one set of fees suffices.

import { largestOf } from '../../base/number/extremes.ts';
import { Decimal, fromScaled, toScaled } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import type { FeedPlan, FeesPlan } from '../plan/plan.ts';
import { quoteAssetsOf, type QuoteAssets } from './conversion.ts';
import type { Definition } from '../text/schema.ts';
import { ppmOf } from '../text/values.ts';
import { DEFINITION_DEFAULTS } from './withDefaults.ts';
import { whereIs, type DefinitionSource, type KeyPath } from '../text/source.ts';

type Balances = Readonly<Record<string, string>>;

/** Starting balances by asset. A run over both markets also has them by account. */
export interface StartingBalances {
  readonly cash: Balances;
  readonly funds: Readonly<Record<Market, Balances>> | null;
  readonly convert: QuoteAssets['convert'];
}

/**
 * Returns the starting balances by asset, and how several quote assets are valued. Throws ConfigError unless cash has some of a quote asset,
 * and every balance is in a traded asset. In a run over both markets, each has an account, and balances without a market are split.
 */
export function startingBalances(definition: Definition, source: DefinitionSource, feeds: readonly FeedPlan[]): StartingBalances {
  const { cash: configuredCash } = definition;
  const instruments = feeds.map((feed) => feed.bars.instrument);
  const { reporting: quote, convert } = quoteAssetsOf(definition, source, feeds);
  const isPaired = marketsIn(instruments).size > 1;
  if (isByMarket(configuredCash)) {
    if (!isPaired) {
      const [market] = marketsIn(instruments);
      const message = `${whereIs(source, ['cash'])}: expected balances by asset, got balances by market, and all feeds are of ${market}`;
      throw new ConfigError(message, `write cash: { ${quote}: '10000' }`);
    }
    for (const market of ['spot', 'futures'] as const) {
      const marketInstruments = instruments.filter((instrument) => instrument.market === market);
      checkBalances(source, { cash: configuredCash[market], quote, others: [], instruments: marketInstruments, path: ['cash', market] });
    }
    return { cash: sumByAsset(configuredCash.spot, configuredCash.futures), funds: configuredCash, convert };
  }
  const cash = typeof configuredCash === 'string' ? { [quote]: configuredCash } : configuredCash;
  checkBalances(source, { cash, quote, others: Object.keys(convert ?? {}), instruments, path: ['cash'] });
  return { cash, funds: isPaired ? splitCash(cash, quote, instruments[0]!.quoteDigits) : null, convert };
}

/** Balances of a definition, and what they are checked against. */
interface BalanceCheck {
  readonly cash: Balances;
  /** The asset in which equity is counted. */
  readonly quote: string;
  /** The other quote assets of the run. */
  readonly others: readonly string[];
  /** The instruments that the balances may pay for. */
  readonly instruments: readonly Instrument[];
  /** The key of the balances in the definition, for messages. */
  readonly path: KeyPath;
}

/** Throws ConfigError without a balance that can pay an order, and for a balance of an unknown asset, with too many digits or too large. */
function checkBalances(source: DefinitionSource, { cash, quote, others, instruments, path }: BalanceCheck): void {
  if ([quote, ...others].every((asset) => Number(cash[asset] ?? 0) <= 0)) {
    const actual =
      Object.entries(cash)
        .map(([asset, amount]) => `${asset}: '${amount}'`)
        .join(', ') || 'nothing';
    const expected =
      others.length === 0 ? `${quote}, in which equity is counted` : `${[quote, ...others].join(' or ')}, in which orders are paid`;
    throw new ConfigError(`${whereIs(source, path)}: expected some ${expected}, got ${actual}`, `write cash: { ${quote}: '10000' }`);
  }
  const digitsByAsset = digitsOf(instruments);
  for (const [asset, amount] of Object.entries(cash)) {
    const where = whereIs(source, [...path, asset]);
    const maxDecimals = digitsByAsset.get(asset);
    if (maxDecimals === undefined) {
      const nearest = nearestName(asset, [...digitsByAsset.keys()]);
      const hint = nearest === null ? '' : `, the nearest is ${nearest}`;
      throw new ConfigError(
        `${where}: no feed of the run trades ${asset}${hint}`,
        `the assets are ${[...digitsByAsset.keys()].join(', ')}`,
      );
    }
    if (Number(amount) * 10 ** maxDecimals >= Number.MAX_SAFE_INTEGER) {
      const max = Math.floor(Number.MAX_SAFE_INTEGER / 10 ** maxDecimals);
      const precision = asset === quote ? 'quotePrecision' : 'basePrecision';
      const { wireName } = instruments.find(({ base }) => base === asset) ?? instruments[0]!;
      throw new ConfigError(
        `${where}: expected at most ${max}, because amounts are exact to ${maxDecimals} decimals, got '${amount}'`,
        `start with less, or with fewer decimals: instruments: { ${wireName}: { ${precision}: ${Math.max(0, maxDecimals - 2)} } }`,
      );
    }
    if (toScaled(amount, maxDecimals) === null) {
      throw new ConfigError(`${where}: expected at most ${maxDecimals} decimals, got '${amount}'`, 'round the amount');
    }
  }
}

const isByMarket = (cash: Definition['cash']): cash is Readonly<Record<Market, Balances>> =>
  typeof cash !== 'string' && Object.values(cash).some((each) => typeof each === 'object');
const marketsIn = (instruments: readonly Instrument[]) => new Set(instruments.map(({ market }) => market));

/** Splits cash between the accounts: each gets half of the quote asset, and spot gets an odd unit and all coins. */
function splitCash(cash: Balances, quote: string, digits: number): Readonly<Record<Market, Balances>> {
  const units = toScaled(cash[quote] ?? '0', digits) ?? 0;
  const futuresUnits = Math.floor(units / 2);
  return {
    spot: { ...cash, [quote]: fromScaled(units - futuresUnits, digits) },
    futures: { [quote]: fromScaled(futuresUnits, digits) },
  };
}

function sumByAsset(a: Balances, b: Balances): Balances {
  const assets = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...assets].map((asset) => [asset, new Decimal(a[asset] ?? 0).plus(b[asset] ?? 0).toFixed()]));
}

/** Returns the digits of each asset that the account can hold. */
function digitsOf(instruments: readonly Instrument[]): Map<string, number> {
  return new Map(
    instruments.flatMap(({ market, base, baseDigits, quote, quoteDigits }): [string, number][] => [
      [quote, quoteDigits],
      // The account never holds the coin of a contract's face value.
      ...(market === 'spot' ? [[base, baseDigits] satisfies [string, number]] : []),
    ]),
  );
}

/** Returns the fees of the run: those of the definition, otherwise those of the instrument records, which must then be equal. */
export function settledFeesOf(definition: Definition, source: DefinitionSource, feeds: readonly FeedPlan[]): SettledFees {
  const allInstruments = feeds.map((feed) => feed.bars.instrument);
  const instruments = allInstruments.filter(({ market }) => market === 'spot');
  if (instruments.length === 0) return contractFees(definition, allInstruments);
  const rateOf = (key: 'maker' | 'taker', feeOf: (instrument: Instrument) => number): number => {
    const configured = definition.fees?.[key];
    if (configured !== undefined) return ppmOf(configured);
    const rates = new Set(instruments.map(feeOf));
    const [first = 0] = rates;
    if (rates.size > 1) {
      throw new ConfigError(
        `${whereIs(source, ['fees', key])}: the instrument records differ in their ${key} fee`,
        `write fees: { ${key}: '0.001' }`,
      );
    }
    return first;
  };
  const plan: FeesPlan = {
    makerPpm: rateOf('maker', (instrument) => instrument.makerFeePpm),
    takerPpm: rateOf('taker', (instrument) => instrument.takerFeePpm),
    in: definition.fees?.in ?? DEFINITION_DEFAULTS.fees.in,
    rounding: definition.fees?.rounding ?? DEFINITION_DEFAULTS.fees.rounding,
  };
  // Contracts in the same run have fees in their own records, which these rates would contradict.
  const isAlone = instruments.length === allInstruments.length;
  return { plan, rates: isAlone ? { maker: fromScaled(plan.makerPpm, 6), taker: fromScaled(plan.takerPpm, 6) } : {} };
}

/** The fees of a run. */
export interface SettledFees {
  readonly plan: FeesPlan;
  /** Rates in the form of a definition. A rate is missing if contracts differ in it. */
  readonly rates: { readonly maker?: string; readonly taker?: string };
}

/** Returns the fees of contracts, which have rates of their own. The fees of the definition were applied to them in feeds.ts. */
function contractFees({ fees }: Definition, instruments: readonly Instrument[]): SettledFees {
  const contracts = instruments.flatMap(({ contract }) => contract ?? []);
  const makerRates = new Set(contracts.flatMap((contract) => [contract.openMakerFeePpm, contract.closeMakerFeePpm]));
  const takerRates = new Set(contracts.flatMap((contract) => [contract.openTakerFeePpm, contract.closeTakerFeePpm]));
  const commonRate = (rates: ReadonlySet<number>) => (rates.size === 1 ? fromScaled([...rates][0]!, 6) : null);
  const maker = commonRate(makerRates);
  const taker = commonRate(takerRates);
  return {
    plan: {
      makerPpm: largestOf(makerRates),
      takerPpm: largestOf(takerRates),
      in: 'quote',
      rounding: fees?.rounding ?? DEFINITION_DEFAULTS.fees.rounding,
    },
    rates: { ...(maker === null ? {} : { maker }), ...(taker === null ? {} : { taker }) },
  };
}
