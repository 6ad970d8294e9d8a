// Checks of the money of a run: one quote asset, cash in it, fees that hold for all instruments.

import { fromScaled, isPlainDecimal, toScaled } from '../../base/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { FeedPlan, FeesPlan } from '../plan.ts';
import type { Definition } from './schema.ts';
import { DEFAULTS } from './settled.ts';
import { whereIs, type DefinitionSource } from './source.ts';

/** Whole millionths of a rate such as '0.001'; the schema lets through no finer one. */
export function ppmOf(rate: string): number {
  return Number(isPlainDecimal(rate) ? toScaled(rate, 6) : NaN);
}

/** A definition whose cash stands by asset. */
export type Funded = Definition & { readonly cash: Readonly<Record<string, string>> };

/**
 * The definition with its balances by asset. Throws ConfigError unless the feeds share one quote asset, cash holds some of it, and every
 * balance is one of a traded asset.
 */
export function funded(definition: Definition, source: DefinitionSource, feeds: readonly FeedPlan[]): Funded {
  const instruments = feeds.map((feed) => feed.bars.instrument);
  const quotes = [...new Set(instruments.map(({ quote }) => quote))];
  const [quote] = quotes;
  if (quote === undefined || quotes.length > 1) {
    const list = instruments.map((each) => `${each.wireName} in ${each.quote}`).join(', ');
    throw new ConfigError(`${whereIs(source, ['feeds'])}: expected instruments with one quote asset, got ${list}`, 'run them apart');
  }
  const cash = typeof definition.cash === 'string' ? { [quote]: definition.cash } : definition.cash;
  if (Number(cash[quote] ?? 0) <= 0) {
    const got =
      Object.entries(cash)
        .map(([asset, amount]) => `${asset}: '${amount}'`)
        .join(', ') || 'nothing';
    throw new ConfigError(
      `${whereIs(source, ['cash'])}: expected some ${quote}, in which equity is counted, got ${got}`,
      `write cash: { ${quote}: '10000' }`,
    );
  }
  const digits = digitsOf(instruments);
  for (const [asset, amount] of Object.entries(cash)) {
    const where = whereIs(source, ['cash', asset]);
    const allowed = digits.get(asset);
    if (allowed === undefined) {
      const near = nearest(asset, [...digits.keys()]);
      const hint = near === null ? '' : `, the nearest is ${near}`;
      throw new ConfigError(`${where}: no feed of the run trades ${asset}${hint}`, `the assets are ${[...digits.keys()].join(', ')}`);
    }
    if (!Number.isSafeInteger(scaledOrNaN(amount, allowed))) {
      throw new ConfigError(
        `${where}: expected at most ${allowed} decimals and an amount below 2^53 units, got '${amount}'`,
        'round the amount',
      );
    }
  }
  return { ...definition, cash };
}

/** Not by toScaled alone: that takes an amount above 2^53 for a bug. */
function scaledOrNaN(amount: string, digits: number): number {
  return Number(amount) * 10 ** digits >= Number.MAX_SAFE_INTEGER ? NaN : (toScaled(amount, digits) ?? NaN);
}

function digitsOf(instruments: readonly Instrument[]): Map<string, number> {
  return new Map(
    instruments.flatMap(({ market, base, baseDigits, quote, quoteDigits }): [string, number][] => [
      [quote, quoteDigits],
      // The coin of a contract's face value is never held.
      ...(market === 'spot' ? [[base, baseDigits] satisfies [string, number]] : []),
    ]),
  );
}

/** The fees of the run: as given, else those of the instrument records, which then must agree. */
export function feesOf(definition: Definition, source: DefinitionSource, feeds: readonly FeedPlan[]): SettledFees {
  const instruments = feeds.map((feed) => feed.bars.instrument);
  if (definition.market === 'futures') return contractFees(definition, instruments);
  const rate = (key: 'maker' | 'taker', of: (instrument: Instrument) => number): number => {
    const given = definition.fees?.[key];
    if (given !== undefined) return ppmOf(given);
    const rates = new Set(instruments.map(of));
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
    makerPpm: rate('maker', (instrument) => instrument.makerFeePpm),
    takerPpm: rate('taker', (instrument) => instrument.takerFeePpm),
    in: definition.fees?.in ?? DEFAULTS.fees.in,
    rounding: definition.fees?.rounding ?? DEFAULTS.fees.rounding,
  };
  return { plan, rates: { maker: fromScaled(plan.makerPpm, 6), taker: fromScaled(plan.takerPpm, 6) } };
}

export interface SettledFees {
  readonly plan: FeesPlan;
  /** As a definition would give them; of contracts only where every one of them has the same. */
  readonly rates: { readonly maker?: string; readonly taker?: string };
}

/** Contracts keep fees of their own, for opening and for closing, in which those of the definition stand already (feeds.ts). */
function contractFees({ fees }: Definition, instruments: readonly Instrument[]): SettledFees {
  const contracts = instruments.flatMap(({ contract }) => contract ?? []);
  const makers = new Set(contracts.flatMap((of) => [of.openMakerFeePpm, of.closeMakerFeePpm]));
  const takers = new Set(contracts.flatMap((of) => [of.openTakerFeePpm, of.closeTakerFeePpm]));
  const only = (rates: ReadonlySet<number>) => (rates.size === 1 ? fromScaled([...rates][0]!, 6) : null);
  const [maker, taker] = [only(makers), only(takers)];
  return {
    plan: { makerPpm: Math.max(...makers), takerPpm: Math.max(...takers), in: 'quote', rounding: fees?.rounding ?? DEFAULTS.fees.rounding },
    rates: { ...(maker === null ? {} : { maker }), ...(taker === null ? {} : { taker }) },
  };
}
