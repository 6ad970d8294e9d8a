// Fills in every default of a run definition, and writes the result as YAML: a record of what the run did.

import { basename } from 'node:path';
import { Document, isMap, isSeq, stringify } from 'yaml';
import { Decimal } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { executionIntervalRule } from './executionInterval.ts';
import { FILL_DEFAULTS } from '../text/fills.ts';
import { marketsOf, type Definition } from '../text/schema.ts';
import { whereIs, type DefinitionSource, type KeyPath } from '../text/source.ts';

/** A strategy of the definition. */
export interface StrategyEntry {
  /** Its place in the definition, for messages. */
  readonly path: KeyPath;
  readonly filePath: KeyPath;
  readonly paramsPath: KeyPath;
  readonly file: string;
  readonly params: Readonly<Record<string, string | number | boolean>>;
  /** A decimal. The shares of all strategies sum to 1. */
  readonly share: string;
}

/** The values of keys that a definition leaves out (docs/backtest.md). */
export const DEFAULTS = {
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
  const entries = strategy.map((item) => (typeof item === 'string' ? { file: item } : item));
  const shares = sharesOf(
    entries.map((item) => ('share' in item ? item.share : undefined)),
    source,
  );
  return entries.map((item, index) => {
    const path = ['strategy', index];
    const isText = typeof strategy[index] === 'string';
    return {
      path,
      filePath: isText ? path : [...path, 'file'],
      paramsPath: [...path, 'params'],
      file: item.file,
      params: 'params' in item ? (item.params ?? {}) : {},
      share: shares[index] ?? '0',
    };
  });
}

/** Missing shares split the remainder evenly, in millionths. The last of them gets what rounding leaves. */
function sharesOf(shares: readonly (string | undefined)[], source: DefinitionSource): readonly string[] {
  const statedSum = shares.reduce((sum, share) => sum.plus(share ?? 0), new Decimal(0));
  const open = shares.filter((share) => share === undefined).length;
  const remainder = new Decimal(1).minus(statedSum);
  if (open === 0 ? !remainder.isZero() : !remainder.isPositive() || remainder.isZero()) {
    throw new ConfigError(
      `${whereIs(source, ['strategy'])}: expected shares that sum to 1, got ${statedSum.toFixed()}`,
      'correct the shares, or leave one out',
    );
  }
  const evenShare = open === 0 ? remainder : remainder.div(open).toDecimalPlaces(6, Decimal.ROUND_DOWN);
  const last = shares.lastIndexOf(undefined);
  return shares.map((share, index) => share ?? (index === last ? remainder.minus(evenShare.times(open - 1)) : evenShare).toFixed());
}

/** Returns the name of a run: the given one, or one derived from its strategy files. */
export function runName(definition: Definition, entries: readonly StrategyEntry[]): string {
  if (definition.name !== undefined) return definition.name;
  const stems = entries.map(({ file }) =>
    basename(file)
      .replace(/\.[cm]?[jt]s$/, '')
      .replace(/[^A-Za-z0-9._-]/g, '-'),
  );
  return stems.join('-').slice(0, 80);
}

/** Values known only from the data. `rates`: the fees of the run, as far as one maker and one taker rate describe them. */
export interface KnownByData {
  readonly from: string;
  readonly to: string;
  readonly rates: { readonly maker?: string; readonly taker?: string };
}

const STYLE = { singleQuote: true } as const;
/** Line length: a terminal of 100 columns shows it indented by two. */
const LINE = 98;

/** Returns the definition as YAML text with all defaults written out. */
export function textWithDefaults(definition: Definition, entries: readonly StrategyEntry[], knownByData: KnownByData): string {
  const { rates } = knownByData;
  const markets = marketsOf(definition);
  const hasContracts = markets.has('futures');
  const isSingle = typeof definition.strategy === 'string';
  const full = {
    name: runName(definition, entries),
    strategy: isSingle ? definition.strategy : entries.map(({ file, params, share }) => ({ file, params, share })),
    ...(isSingle ? { params: definition.params ?? {} } : {}),
    feeds: definition.feeds,
    ...(definition.series === undefined ? {} : { series: definition.series }),
    market: definition.market ?? DEFAULTS.market,
    ...(hasContracts ? { futures: { ...DEFAULTS.futures, ...definition.futures } } : {}),
    // Written only if it is named. The text of other runs must not depend on the existence of this key.
    ...(definition.decide === undefined ? {} : { decide: definition.decide }),
    from: knownByData.from,
    to: knownByData.to,
    cash: definition.cash,
    ...(definition.convert === undefined ? {} : { convert: definition.convert }),
    size: definition.size ?? DEFAULTS.size,
    fees: { ...DEFAULTS.fees, ...(markets.has('spot') ? {} : { in: 'quote' }), ...definition.fees, ...rates },
    fills: { ...FILL_DEFAULTS, ...definition.fills, ...executionIntervalOf(definition) },
    ...(definition.risk === undefined ? {} : { risk: definition.risk }),
    ...(definition.models === undefined ? {} : { models: definition.models }),
    ...(definition.modules === undefined ? {} : { modules: definition.modules }),
    seed: definition.seed ?? DEFAULTS.seed,
    catalog: definition.catalog ?? DEFAULTS.catalog,
    ...(definition.instruments === undefined ? {} : { instruments: definition.instruments }),
  };
  const document = new Document(full);
  // One line for each key, as users write it.
  inline(document.contents, '');
  return document.toString({ ...STYLE, lineWidth: LINE });
}

/** Written only if the run looks for finer bars. The text of other runs must not depend on the existence of this key. */
function executionIntervalOf(definition: Definition): { readonly inside?: string } {
  if (definition.fills?.executionInterval !== undefined) return {};
  const rule = executionIntervalRule(definition);
  return rule === 'off' && definition.fills?.inside === undefined ? {} : { inside: rule };
}

/** Writes a flat list or map in one line if it fits. `before` is the text in front of it. */
function inline(node: unknown, before: string): void {
  if (!isMap(node) && !isSeq(node)) return;
  const inner = isMap(node)
    ? node.items.map(({ key, value }) => ({ key: `${String(key)}: `, value }))
    : node.items.map((value) => ({ key: '- ', value }));
  const nested = inner.filter(({ value }) => isMap(value) || isSeq(value));
  if (nested.length > 0 || before === '') {
    const indent = ' '.repeat(before.length - before.trimStart().length + (before === '' ? 0 : 2));
    for (const { key, value } of nested) inline(value, `${indent}${key}`);
    return;
  }
  node.flow = true;
  node.flow = before.length + stringify(node, { ...STYLE, lineWidth: 0 }).trimEnd().length <= LINE;
}
