// Fills in every default of a run definition, and writes the result as YAML: a record of what the run did.

import { basename } from 'node:path';
import { Document, isMap, isSeq, stringify } from 'yaml';
import { Decimal } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { executionIntervalRule } from './executionInterval.ts';
import { FILL_DEFAULTS } from '../text/fills.ts';
import { marketsOf, type Definition } from '../text/schema.ts';
import { whereIs, type DefinitionSource, type KeyPath } from '../text/source.ts';

/** One strategy of the definition, with its defaults. */
export interface StrategyEntry {
  /** Place of the strategy in the definition, for messages. */
  readonly path: KeyPath;
  /** Place of its file name. */
  readonly filePath: KeyPath;
  /** Place of its parameters. */
  readonly paramsPath: KeyPath;
  readonly file: string;
  readonly params: Readonly<Record<string, string | number | boolean>>;
  /** Its share of the cash as a decimal, such as `0.5`. The shares of all strategies sum to 1. */
  readonly share: string;
}

/** The values of keys that a definition leaves out (docs/backtest.md). */
export const DEFINITION_DEFAULTS = {
  market: 'spot',
  /** Less than 1, because fees and the collar of a market buy by quantity need a reserve. */
  size: { equity: '0.95' },
  /** No leverage unless it is requested. Marks and funding come from the catalog. */
  futures: { leverage: 1, margin: 'cross', positions: 'net', liquidationFee: '0.005', marks: 'auto' },
  fees: { in: 'received', rounding: 'halfUp' },
  seed: 1,
  catalog: 'data',
} as const;

/** Returns the strategies of a definition as a list with shares. Throws ConfigError if the shares do not sum to 1. */
export function strategyEntries(definition: Definition, source: DefinitionSource): readonly StrategyEntry[] {
  const { strategy, params = {} } = definition;
  if (typeof strategy === 'string') {
    return [{ path: ['strategy'], filePath: ['strategy'], paramsPath: ['params'], file: strategy, params, share: '1' }];
  }
  if (definition.params !== undefined) {
    throw new ConfigError(
      `${whereIs(source, ['params'])}: expected params beside each file of the list, got params for all`,
      'write strategy: [{ file: ..., params: { ... } }, ...]',
    );
  }
  const listedStrategies = strategy.map((listed) => (typeof listed === 'string' ? { file: listed } : listed));
  const shares = sharesOf(
    listedStrategies.map((listed) => ('share' in listed ? listed.share : undefined)),
    source,
  );
  return listedStrategies.map((listed, index) => {
    const path = ['strategy', index];
    const isText = typeof strategy[index] === 'string';
    return {
      path,
      filePath: isText ? path : [...path, 'file'],
      paramsPath: [...path, 'params'],
      file: listed.file,
      params: 'params' in listed ? (listed.params ?? {}) : {},
      share: shares[index] ?? '0',
    };
  });
}

/**
 * Returns the shares of all strategies. Missing shares split the remainder evenly, rounded down to millionths; the last missing share also gets
 * the difference by rounding. Throws ConfigError if the shares cannot sum to 1.
 */
function sharesOf(shares: readonly (string | undefined)[], source: DefinitionSource): readonly string[] {
  const statedSum = shares.reduce((sum, share) => sum.plus(share ?? 0), new Decimal(0));
  const unstatedCount = shares.filter((share) => share === undefined).length;
  const remainder = new Decimal(1).minus(statedSum);
  const isSplittable = unstatedCount === 0 ? remainder.isZero() : remainder.isPositive() && !remainder.isZero();
  if (!isSplittable) {
    throw new ConfigError(
      `${whereIs(source, ['strategy'])}: expected shares that sum to 1, got ${statedSum.toFixed()}`,
      'correct the shares, or leave one out',
    );
  }
  const evenShare = unstatedCount === 0 ? remainder : remainder.div(unstatedCount).toDecimalPlaces(6, Decimal.ROUND_DOWN);
  const lastShare = remainder.minus(evenShare.times(unstatedCount - 1));
  const lastUnstatedIndex = shares.lastIndexOf(undefined);
  return shares.map((share, index) => share ?? (index === lastUnstatedIndex ? lastShare : evenShare).toFixed());
}

/** Maximum length of a run name that is derived from file names. */
const MAX_NAME_LENGTH = 80;

/** Returns the name of a run: the `name` of the definition, or else the names of its strategy files. */
export function runName(definition: Definition, entries: readonly StrategyEntry[]): string {
  if (definition.name !== undefined) return definition.name;
  const stems = entries.map(({ file }) =>
    basename(file)
      .replace(/\.[cm]?[jt]s$/, '')
      .replace(/[^A-Za-z0-9._-]/g, '-'),
  );
  return stems.join('-').slice(0, MAX_NAME_LENGTH);
}

/** Values of a definition that are known only once the data is loaded. */
export interface KnownByData {
  readonly from: string;
  readonly to: string;
  /** Fee rates of the run. A rate is absent if the instruments have different ones. */
  readonly rates: { readonly maker?: string; readonly taker?: string };
}

/** How strings are quoted in the text. */
const YAML_STYLE = { singleQuote: true } as const;
/** Maximum line length, so that a terminal of 100 columns shows the text indented by two. */
const MAX_LINE_LENGTH = 98;

/** Returns the definition as YAML text with all defaults written out. */
export function textWithDefaults(definition: Definition, entries: readonly StrategyEntry[], knownByData: KnownByData): string {
  const { rates } = knownByData;
  const markets = marketsOf(definition);
  const hasContracts = markets.has('futures');
  const hasOneStrategy = typeof definition.strategy === 'string';
  const fullDefinition = {
    name: runName(definition, entries),
    strategy: hasOneStrategy ? definition.strategy : entries.map(({ file, params, share }) => ({ file, params, share })),
    ...(hasOneStrategy ? { params: definition.params ?? {} } : {}),
    feeds: definition.feeds,
    ...(definition.series === undefined ? {} : { series: definition.series }),
    market: definition.market ?? DEFINITION_DEFAULTS.market,
    ...(hasContracts ? { futures: { ...DEFINITION_DEFAULTS.futures, ...definition.futures } } : {}),
    // Written only if the definition has the key, so that the recorded text of other runs does not depend on it.
    ...(definition.decide === undefined ? {} : { decide: definition.decide }),
    from: knownByData.from,
    to: knownByData.to,
    cash: definition.cash,
    ...(definition.convert === undefined ? {} : { convert: definition.convert }),
    size: definition.size ?? DEFINITION_DEFAULTS.size,
    fees: { ...DEFINITION_DEFAULTS.fees, ...(markets.has('spot') ? {} : { in: 'quote' }), ...definition.fees, ...rates },
    fills: { ...FILL_DEFAULTS, ...definition.fills, ...executionRuleKeyOf(definition) },
    ...(definition.risk === undefined ? {} : { risk: definition.risk }),
    ...(definition.models === undefined ? {} : { models: definition.models }),
    ...(definition.modules === undefined ? {} : { modules: definition.modules }),
    seed: definition.seed ?? DEFINITION_DEFAULTS.seed,
    catalog: definition.catalog ?? DEFINITION_DEFAULTS.catalog,
    ...(definition.instruments === undefined ? {} : { instruments: definition.instruments }),
  };
  const document = new Document(fullDefinition);
  // One line for each key, as users write it.
  inlineFlatNodes(document.contents, '');
  return document.toString({ ...YAML_STYLE, lineWidth: MAX_LINE_LENGTH });
}

/**
 * Returns the key `inside` for a run that fills orders in finer bars, or whose definition names the key. Otherwise returns no key, so that the
 * recorded text of other runs does not depend on it.
 */
function executionRuleKeyOf(definition: Definition): { readonly inside?: string } {
  if (definition.fills?.executionInterval !== undefined) return {};
  const rule = executionIntervalRule(definition);
  return rule === 'off' && definition.fills?.inside === undefined ? {} : { inside: rule };
}

/**
 * Marks each list or map without nested children to be written in one line, if it fits. `textBefore` is the text in front of the node on its
 * first line; it is empty for the whole document.
 */
function inlineFlatNodes(node: unknown, textBefore: string): void {
  if (!isMap(node) && !isSeq(node)) return;
  const children = isMap(node)
    ? node.items.map(({ key, value }) => ({ key: `${String(key)}: `, value }))
    : node.items.map((value) => ({ key: '- ', value }));
  const nestedChildren = children.filter(({ value }) => isMap(value) || isSeq(value));
  if (nestedChildren.length > 0 || textBefore === '') {
    const isDocument = textBefore === '';
    const parentIndent = textBefore.length - textBefore.trimStart().length;
    const indent = ' '.repeat(isDocument ? 0 : parentIndent + 2);
    for (const { key, value } of nestedChildren) inlineFlatNodes(value, `${indent}${key}`);
    return;
  }
  // The length of the node depends on its style, so it is measured in the style of one line.
  node.flow = true;
  node.flow = textBefore.length + stringify(node, { ...YAML_STYLE, lineWidth: 0 }).trimEnd().length <= MAX_LINE_LENGTH;
}
