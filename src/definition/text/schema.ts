// Defines the schema of a run definition, for checks, messages, and completion in editors.

import { z } from 'zod';
import type { Market } from '../../model/instrument.ts';
import { parseTime } from '../../model/time.ts';
import { LIMITS, MAX_COUNT, limitProblem, WINDOWS, type LimitRow } from '../../risk/limits/limits.ts';
import { fillsSchema } from './fills.ts';
import { choiceValue, feedIntervalValue, mapValue, rateValue, textValue, integerValue } from './values.ts';

/** A quoted decimal >= 0 in `unit`. Without quotes, YAML would turn 0.10 or 1e-7 into a float before its text is checked. */
function unitDecimalValue(unit: string, help: string, accepts: (value: number) => boolean = () => true, range = '') {
  const unitText = range === '' ? unit : `${unit}, ${range}`;
  const error = `a quoted decimal (${unitText})`;
  return z
    .string({ error })
    .regex(/^\d+(\.\d+)?$/, { error, abort: true })
    .refine((value) => accepts(Number(value)), { error })
    .describe(`${help} (${unitText})`);
}

const isAbove0 = (value: number) => value > 0;
const isShare = (value: number) => value > 0 && value <= 1;

const strategyPathValue = textValue('the path of a strategy file', 'path of a TypeScript or JavaScript file that exports a strategy class');
const params = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()], { error: 'a number, a text or true/false' }), {
    error: 'parameters by name, such as { fast: 10 }',
  })
  .describe('parameters of the strategy class, by name');
/** The schema of an instrument's name. */
export const symbolValue = textValue(
  'the name of an instrument, such as BTCUSDT',
  'name of the instrument in the catalog',
  /^[A-Za-z0-9._-]+$/,
);
const TIME_ERROR = 'a UTC date or date-time, such as 2024-01-01 or 2024-01-01T08:30';
/** 2100-01-01, ms UTC. */
const MAX_TIME_MS = 4_102_444_800_000;
const timeValue = z
  .string({ error: TIME_ERROR })
  .refine((value) => parseTime(value) !== null, { error: TIME_ERROR })
  // Equity is sampled on every day of a run, so a run up to the year 9999 would have three million samples.
  .refine((value) => isPlausible(parseTime(value)), { error: 'a time from 1970-01-01 to 2100-01-01' });
/** True for times that a bar can have, and for text that is not a time, which has a message of its own. */
const isPlausible = (ms: number | null): boolean => ms === null || (ms >= 0 && ms <= MAX_TIME_MS);

/** The form of the name of an external series. */
export const SERIES_NAME = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;

const strategySchema = mapValue(
  {
    file: strategyPathValue,
    params: params.optional(),
    share: unitDecimalValue(
      'fraction',
      'share of the starting cash; what is left is split evenly',
      isShare,
      'above 0, at most 1',
    ).optional(),
  },
  'a path, or { file, params, share }',
);

const feedSchema = mapValue(
  {
    symbol: symbolValue.optional(),
    symbols: z
      .array(symbolValue, { error: 'a list of instrument names' })
      .min(1, { error: 'at least one instrument name' })
      .refine((symbols) => new Set(symbols).size === symbols.length, { error: 'each instrument once' })
      .describe('several instruments under one name, for feeds(name)')
      .optional(),
    market: choiceValue(['spot', 'futures'], 'market of the instrument; without it that of the run').optional(),
    listed: z
      .record(
        symbolValue,
        mapValue({ from: timeValue.optional(), to: timeValue.optional() }, 'times, such as { from: 2024-01-01, to: 2024-05-12 }'),
        {
          error: 'times by symbol, such as LUNAUSDT: { to: 2024-05-12 }',
        },
      )
      .describe('when symbols were listed: no bar outside counts, and what is held is closed in the last bar before to')
      .optional(),
    interval: feedIntervalValue('length of a bar, or bars from trades such as 500ticks'),
    minCoverage: unitDecimalValue(
      'fraction',
      'drop resampled bars that rest on fewer of their finer bars',
      isShare,
      'above 0, at most 1',
    ).optional(),
  },
  'a feed, such as { symbol: BTCUSDT, interval: 1m }',
).refine((value) => (value.symbol === undefined) !== (value.symbols === undefined), { error: 'exactly one of symbol and symbols' });

const series = mapValue(
  {
    name: textValue(
      'the name of a series in the catalog',
      'name of the series in the catalog; without it this key',
      SERIES_NAME,
    ).optional(),
    symbol: symbolValue.optional().describe('the symbol whose values all feeds get; without it each feed gets those of its own'),
  },
  'a series, such as { symbol: BTCUSDT }, or {}',
);

const digitsValue = (help: string) => integerValue('decimal digits', help, 0, 15).optional();
// The keys have the names of the catalog's records.
const instrumentSchema = mapValue(
  {
    base: textValue('the name of an asset', 'asset that is traded').optional(),
    quote: textValue('the name of an asset', 'asset in which the price is counted').optional(),
    pricePrecision: digitsValue('digits of a price'),
    quantityPrecision: digitsValue('digits of an order quantity'),
    quotePrecision: digitsValue('digits of amounts in the quote asset'),
    basePrecision: digitsValue('digits of holdings of the base asset'),
    minQuantity: unitDecimalValue('base asset', 'smallest order quantity', isAbove0, 'above 0').optional(),
    makerFee: rateValue('fee of a resting order').optional(),
    takerFee: rateValue('fee of a taking order').optional(),
  },
  'fields of an instrument record, such as { pricePrecision: 2 }',
);

const size = mapValue(
  {
    base: unitDecimalValue('base asset', 'quantity of an order', isAbove0, 'above 0').optional(),
    quote: unitDecimalValue('quote asset', 'amount of an order', isAbove0, 'above 0').optional(),
    equity: unitDecimalValue(
      'fraction of equity',
      'share of the equity; of futures its multiple',
      isAbove0,
      'above 0; of spot at most 1',
    ).optional(),
  },
  "a size, such as { equity: '0.95' }",
)
  .refine((value) => Object.keys(value).length === 1, { error: 'exactly one of base, quote and equity' })
  .describe('size of an order that names none');

const fees = mapValue(
  {
    maker: rateValue('fee of a resting order').optional(),
    taker: rateValue('fee of a taking order').optional(),
    in: choiceValue(['received', 'quote'], 'coin in which fees are taken').optional(),
    rounding: choiceValue(['down', 'up', 'halfUp', 'halfEven'], 'how a fee finer than its asset is rounded').optional(),
  },
  "fees, such as { maker: '0.001', taker: '0.001' }",
).describe('fees; the instrument record holds where a rate is missing');

const WINDOWS_ERROR = "windows of the day in UTC, such as '22:55-23:05, 07:00-07:10'";

/** Returns the schema of a risk limit. */
function limitValue(row: LimitRow) {
  const { kind, unit, help, max } = row;
  if (kind === 'count') return integerValue(unit, help, 1, MAX_COUNT).optional();
  if (kind === 'deny') return choiceValue(['deny'], help).optional();
  const textSchema = kind === 'windows' ? textValue(WINDOWS_ERROR, help, WINDOWS) : unitDecimalValue(unit, help, isAbove0, 'above 0');
  if (kind !== 'windows' && max === undefined) return textSchema.optional();
  return textSchema
    .refine((value) => limitProblem(row, value) === null, { error: ({ input }) => limitProblem(row, String(input)) ?? '' })
    .optional();
}
const risk = mapValue(Object.fromEntries(LIMITS.map((row) => [row.key, limitValue(row)])), "limits, such as { maxLeverage: '1' }").describe(
  'limits that orders must keep; a limit that is not named is off',
);

const futures = mapValue(
  {
    leverage: integerValue('x', 'leverage of the account: the margin of a position is its value divided by it', 1, 1000).optional(),
    margin: choiceValue(['cross', 'isolated'], 'whether all positions of the account stand for each other').optional(),
    positions: choiceValue(['net', 'twoWay'], 'one position of a contract, or long and short apart').optional(),
    liquidationFee: rateValue("taken by the exchange from what a liquidated position leaves, of the position's value").optional(),
    marks: choiceValue(['auto', 'bars'], "mark prices: those of the catalog where it has some, or the bars' own prices").optional(),
  },
  'settings of futures, such as { leverage: 5, margin: cross }',
).describe('how the account trades contracts; only with market: futures');

const modelPathValue = (model: string) => textValue('the path of a file', `path of a file that exports a ${model}`);
const models = mapValue(
  {
    slippage: modelPathValue('slippage model').optional(),
    fees: modelPathValue('fee model; fees.maker and fees.taker bound its rates').optional(),
    risk: z
      .array(modelPathValue('risk rule'), { error: 'a list of paths' })
      .min(1, { error: 'at least one path' })
      .describe('files that export a risk rule each; they are asked after the built-in rules')
      .optional(),
  },
  'files with models, such as { slippage: models/spread.ts }',
).describe('models of your own, loaded like strategies');

const modules = z
  .array(textValue('the path of a module file', 'path of a file that exports a module, made by composeModule of isobar/compose'), {
    error: 'a list of paths, such as [./halfSpread.ts]',
  })
  .min(1, { error: 'at least one path' })
  .describe('modules of your own that rebind parts of the bot, loaded like strategies');

const balancesSchema = z.record(z.string(), unitDecimalValue('amount of the asset', 'starting balance'), { error: 'balances by asset' });

/** The schema of a run definition. */
export const definitionSchema = mapValue(
  {
    name: textValue('1 to 80 letters, digits, dots, dashes and underscores', 'name of the run', /^[A-Za-z0-9._-]{1,80}$/).optional(),
    strategy: z
      .union(
        [
          strategyPathValue,
          z
            .array(z.union([strategyPathValue, strategySchema], { error: 'a path, or { file, params, share }' }))
            .min(1, { error: 'at least one strategy' }),
        ],
        { error: 'the path of a strategy file, or a list of them' },
      )
      .describe('strategy file, or several that share one account'),
    params: params.optional(),
    feeds: z
      .record(z.string(), feedSchema, { error: 'feeds by name, such as bars: { symbol: BTCUSDT, interval: 1m }' })
      .refine((value) => Object.keys(value).length > 0, { error: 'at least one feed' })
      .describe('feeds by the name under which strategies ask for them'),
    series: z
      .record(z.string().regex(SERIES_NAME, { error: 'a letter, then letters, digits and _' }), series, {
        error: 'series by name, such as openInterest: {}',
      })
      .describe('external series by the name under which strategies ask for them')
      .optional(),
    market: choiceValue(['spot', 'futures'], 'kind of market').optional(),
    futures: futures.optional(),
    decide: choiceValue(
      ['whenComplete', 'perFeed'],
      'when strategies decide: once when all feeds that close together are there, or feed by feed',
    ).optional(),
    from: timeValue.describe('first instant of the run (UTC); without it the first bar').optional(),
    to: timeValue.describe('end of the run (UTC, exclusive); without it the last bar').optional(),
    cash: z
      .union(
        [
          mapValue({ spot: balancesSchema, futures: balancesSchema }, 'balances of both markets'),
          balancesSchema,
          unitDecimalValue('quote asset', 'starting balance'),
        ],
        {
          error: "starting balances, such as '10000' or { USDT: '10000' }",
        },
      )
      .describe('starting balances by asset, or an amount of the quote asset of the feeds; with feeds of both markets also by market'),
    convert: z
      .record(z.string(), symbolValue, { error: 'symbols by quote asset, such as convert: { BTC: BTCUSDT }' })
      .describe('with several quote assets: the symbol of a feed whose close values an asset in the reporting asset, such as BTC: BTCUSDT')
      .optional(),
    size: size.optional(),
    fees: fees.optional(),
    fills: fillsSchema.describe('how orders fill').optional(),
    risk: risk.optional(),
    models: models.optional(),
    modules: modules.optional(),
    seed: integerValue('seed', 'seed of everything random', 0, 2 ** 31 - 1).optional(),
    catalog: textValue('the path of a catalog folder', 'folder of the bars').optional(),
    instruments: z
      .record(z.string(), instrumentSchema, { error: 'instrument records by symbol, such as BTCUSDT: { pricePrecision: 2 }' })
      .describe('what this run overrides in instrument records, by symbol')
      .optional(),
  },
  'a run definition: keys and values',
)
  .refine((definition) => marketsOf(definition).has('futures') || Number(definition.size?.equity ?? 0) <= 1, {
    path: ['size', 'equity'],
    error: 'a quoted decimal of at most 1, because spot has no credit',
  })
  .refine((definition) => marketsOf(definition).has('futures') || definition.futures === undefined, {
    path: ['futures'],
    error: 'market: futures beside it',
  })
  .refine((definition) => marketsOf(definition).has('spot') || definition.fees?.in === undefined || definition.fees.in === 'quote', {
    path: ['fees', 'in'],
    error: 'quote: fees of futures are in the margin coin',
  });

/** A checked run definition, as its author wrote it: without loaded files and defaults. */
export type Definition = z.output<typeof definitionSchema>;

/** The keys of a definition that decide about its markets. */
interface MarketKeys {
  readonly feeds: Readonly<Record<string, { readonly market?: Market | undefined }>>;
  readonly market?: Market | undefined;
}

/** Returns the markets of the feeds of a definition. */
export function marketsOf({ feeds, market }: MarketKeys): ReadonlySet<Market> {
  return new Set(Object.values(feeds).map((each) => each.market ?? market ?? 'spot'));
}

/** Returns the JSON schema of a run definition, for editors. `config/backtest.schema.json` contains it. */
export function definitionJsonSchema(): string {
  const schema = z.toJSONSchema(definitionSchema, { io: 'input', target: 'draft-7' });
  return `${JSON.stringify({ title: 'isobar run definition', ...schema }, null, 2)}\n`;
}
