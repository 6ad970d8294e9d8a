// Tests a run definition: the accepted text, and the error about each mistake.

import { expect, test } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { withOverrides } from './overrides.ts';
import { parseDefinition } from './parse.ts';
import { locate } from './paths.ts';
import type { Definition } from './schema.ts';
import { runName, textWithDefaults, strategyEntries } from '../load/withDefaults.ts';
import { optionSource, readDefinition, definitionValueAt, yamlSource, type DefinitionSource } from './source.ts';

const VALID = `strategy: strategies/smaCross.ts
params: { fast: 10, slow: 30 }
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
market: spot
from: 2024-01-01
to: 2024-07-01
cash: { USDT: '10000' }
size: { equity: '0.95' }
fees: { maker: '0.001', taker: '0.001', in: received }
fills: { limit: through, latencyMs: 0 }
risk: { maxLeverage: '1' }
seed: 1
catalog: data
`;

const source = (text: string): DefinitionSource => yamlSource('x.yaml', '.', text);

/** Returns the ConfigError of a definition or of a call. */
function errorOf(input: DefinitionSource | (() => unknown)): ConfigError {
  try {
    if (typeof input === 'function') input();
    else parseDefinition(input);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('expected a ConfigError');
}

test('a strategy file in the place of a definition is reported as such', () => {
  expect(errorOf(() => readDefinition('strategies/smaCross.ts')).message).toBe(
    'strategies/smaCross.ts: expected a run definition, got a file of code',
  );
});

test('the definition of the documents is valid', () => {
  expect(parseDefinition(source(VALID))).toMatchObject({ strategy: 'strategies/smaCross.ts', from: '2024-01-01', cash: { USDT: '10000' } });
});

test.each([
  [
    "taker: '0.001'",
    'taker: 0.001',
    'x.yaml:9 fees.taker: expected a quoted decimal (fraction below 1 with at most 6 decimals: 0.001 is 0.1 %), got 0.001',
  ],
  ["USDT: '10000'", 'USDT: 010000.50', 'x.yaml:7 cash.USDT: expected a quoted decimal (amount of the asset), got 010000.50'],
  ["maxLeverage: '1'", "maxLeverge: '1'", 'x.yaml:11 risk.maxLeverge: unknown key maxLeverge, the nearest valid one is maxLeverage'],
  [
    "maxLeverage: '1'",
    "restricted: '25:00-26:00'",
    "x.yaml:11 risk.restricted: expected windows of the day in UTC, such as '22:55-23:05, 07:00-07:10', got '25:00-26:00'",
  ],
  ["maxLeverage: '1'", "maxDailyLoss: '1.5'", "x.yaml:11 risk.maxDailyLoss: expected at most 1, with at most 9 decimals, got '1.5'"],
  [
    "maxLeverage: '1'",
    'maxOpenOrders: 2000000',
    'x.yaml:11 risk.maxOpenOrders: expected a whole number (orders, 1 to 1000000), got 2000000',
  ],
  [
    "maxLeverage: '1'",
    "restricted: '22:00-22:00'",
    "x.yaml:11 risk.restricted: expected windows that are longer than nothing, got '22:00-22:00'",
  ],
  ['seed: 1', 'seeds: 1', 'x.yaml:12 seeds: unknown key seeds, the nearest valid one is seed'],
  ['seed: 1', 'seed: 99999999999999999999', 'x.yaml:12 seed: expected a whole number (seed, 0 to 2147483647), got 99999999999999999999'],
  ['seed: 1', 'sed: 1', 'x.yaml:12 sed: unknown key sed, the nearest valid one is seed'],
  // Letters of another alphabet, wide letters and invisible characters look like the right key.
  ['seed: 1', 's\u0435ed: 1', 'x.yaml:12 s\u0435ed: unknown key s\u0435ed (\u0435 is U+0435), the nearest valid one is seed'],
  [
    'seed: 1',
    '\uff53\uff45\uff45\uff44: 1',
    'x.yaml:12 \uff53\uff45\uff45\uff44: unknown key \uff53\uff45\uff45\uff44 (\uff53 is U+FF53, \uff45 is U+FF45, \uff44 is U+FF44), the nearest valid one is seed',
  ],
  ['seed: 1', 'se\u200bed: 1', 'x.yaml:12 se\u200bed: unknown key se\u200bed (\u200b is U+200B), the nearest valid one is seed'],
  [
    'strategy: strategies/smaCross.ts',
    'strategy: [{ fil: strategies/smaCross.ts }]',
    'x.yaml:1 strategy.0.fil: unknown key fil, the nearest valid one is file\nx.yaml:1 strategy.0.file: expected the path of a strategy file, got nothing',
  ],
  ['symbol: BTCUSDT', 'symbols: [BTCUSDT, BTCUSDT]', 'x.yaml:3 feeds.bars.symbols: expected each instrument once, got a list'],
  ['latencyMs: 0', 'latencyMs: 1.5', 'x.yaml:10 fills.latencyMs: expected a whole number (ms, 0 to 86400000), got 1.5'],
  [
    'interval: 1m',
    'interval: 7s',
    "x.yaml:3 feeds.bars.interval: expected a length such as 15s, 1m, 3h, 1d, 1w or 1M (seconds divide a minute, weeks at most a year); or an amount of trades such as 500ticks, 10volume, 1000000dollar or 25range, got '7s'",
  ],
  [
    'from: 2024-01-01',
    'from: 2024-02-30',
    "x.yaml:5 from: expected a UTC date or date-time, such as 2024-01-01 or 2024-01-01T08:30, got '2024-02-30'",
  ],
  ['from: 2024-01-01', 'from: 1969-12-31', "x.yaml:5 from: expected a time from 1970-01-01 to 2100-01-01, got '1969-12-31'"],
  // A run has an equity value for each day, so a run to the year 9999 would never be measured.
  ['to: 2024-07-01', 'to: 9999-12-31', "x.yaml:6 to: expected a time from 1970-01-01 to 2100-01-01, got '9999-12-31'"],
  [
    "equity: '0.95'",
    "equity: '1.5'",
    "x.yaml:8 size.equity: expected a quoted decimal of at most 1, because spot has no credit, got '1.5'",
  ],
  ["{ equity: '0.95' }", "{ equity: '0.95', base: '1' }", 'x.yaml:8 size: expected exactly one of base, quote and equity, got a map'],
  ['in: received', 'in: base', "x.yaml:9 fees.in: expected one of received, quote, got 'base'"],
  ['market: spot', 'market: margin', "x.yaml:4 market: expected one of spot, futures, got 'margin'"],
  ['symbol: BTCUSDT, ', '', 'x.yaml:3 feeds.bars: expected exactly one of symbol and symbols, got a map'],
  ["cash: { USDT: '10000' }\n", '', "x.yaml:1 cash: expected starting balances, such as '10000' or { USDT: '10000' }, got nothing"],
  ['strategies/smaCross.ts', '[]', 'x.yaml:1 strategy: expected at least one strategy, got a list'],
])('a definition with %s replaced by %s is rejected with its place', (validText, invalidText, message) => {
  expect(VALID).toContain(validText);
  expect(errorOf(source(VALID.replace(validText, invalidText))).message).toBe(message);
});

test('the remedy for an unquoted decimal shows it in quotes', () => {
  expect(errorOf(source(VALID.replace("taker: '0.001'", 'taker: 0.001'))).remedy).toBe("put the number in quotes: taker: '0.001'");
});

test('the remedy for an unquoted decimal that is out of range does not advise quotes', () => {
  const { message, remedy } = errorOf(source(VALID.replace("taker: '0.001'", 'taker: 1.5')));
  expect(message).toMatch(/fees\.taker: expected a quoted decimal .*, got 1\.5$/);
  expect(remedy).toBe('docs/backtest.md explains every key');
});

test('a name that is too long is reported as such', () => {
  expect(errorOf(source(`${VALID}name: ${'x'.repeat(81)}\n`)).message).toMatch(
    / name: expected 1 to 80 letters, digits, dots, dashes and underscores, got /,
  );
});

test('a limit that is not a number is reported once', () => {
  const text = VALID.replace("maxLeverage: '1'", "maxLeverage: 'x'");
  expect(errorOf(source(text)).message).toMatch(
    /^x\.yaml:\d+ risk\.maxLeverage: expected a quoted decimal \(x equity, above 0\), got 'x'$/,
  );
});

test.each([
  ['fast: 10', '__proto__: { fast: 9 }', 'x.yaml:2 params.__proto__: unknown key __proto__'],
  ['seed: 1', 'instruments: { __proto__: { pricePrecision: 2 } }', 'x.yaml:12 instruments.__proto__: unknown key __proto__'],
  ['seed: 1', 'instruments: { BTCUSDT: { __proto__: 2 } }', 'x.yaml:12 instruments.BTCUSDT.__proto__: unknown key __proto__'],
  ["USDT: '10000'", "USDT: '10000', __proto__: '5'", 'x.yaml:7 cash.__proto__: unknown key __proto__'],
  ['seed: 1', '__proto__: 1', 'x.yaml:12 __proto__: unknown key __proto__'],
])('a key that every JavaScript object has is rejected as unknown: %s as %s', (validText, invalidText, message) => {
  expect(errorOf(source(VALID.replace(validText, invalidText))).message.split(/, the nearest|\n/)[0]).toBe(message);
});

test('a key that every JavaScript object has is rejected as unknown in --set', () => {
  for (const setting of [
    'params.__proto__=5',
    'params.__proto__.fast=5',
    'instruments.__proto__.pricePrecision=2',
    'params={ __proto__: { fast: 5 } }',
  ]) {
    const where = setting.startsWith('params') ? 'params' : 'instruments';
    const { message, remedy } = errorOf(withOverrides(source(VALID), [setting]));
    expect(message).toBe(`--set ${where}.__proto__: unknown key __proto__`);
    expect(remedy).toBe(`leave it out: docs/backtest.md says what ${where} takes`);
  }
});

test('all problems are reported at once, misspelt keys first', () => {
  const text = VALID.replace('seed: 1', 'seed: x').replace('cash:', 'chas:').replace('limit: through', 'limit: thru');
  expect(errorOf(source(text)).message.split('\n')).toEqual([
    'x.yaml:7 chas: unknown key chas, the nearest valid one is cash',
    "x.yaml:1 cash: expected starting balances, such as '10000' or { USDT: '10000' }, got nothing",
    "x.yaml:10 fills.limit: expected one of through, touch, got 'thru'",
    "x.yaml:12 seed: expected a whole number (seed, 0 to 2147483647), got 'x'",
  ]);
});

test('broken YAML, a repeated key and other kinds of files are rejected with their place', () => {
  expect(errorOf(() => source('strategy: [a, b\n')).message).toMatch(/^x\.yaml:2:1 /);
  expect(errorOf(() => source(`${VALID}seed: 2\n`)).message).toMatch(/^x\.yaml:14:1 Map keys must be unique/);
  expect(errorOf(source('just a text')).message).toBe("x.yaml:1: expected a run definition: keys and values, got 'just a text'");
  expect(errorOf(source('')).message).toBe('x.yaml:1: expected a run definition: keys and values, got nothing');
  expect(errorOf(() => readDefinition('no/such.yaml')).message).toBe('no/such.yaml: no such file');
  expect(errorOf(() => readDefinition('.')).message).toBe('.: expected a file, got a folder');
});

test('a problem inside a map from --set is reported with its place in --set', () => {
  const text = (setting: string) => errorOf(withOverrides(source(VALID), [setting])).message;
  expect(text("fees={ maker: '0.001', taker: 7 }")).toMatch(/^--set fees\.taker: expected a quoted decimal .*, got 7$/);
  expect(text('fills={ limit: [touch] }')).toBe('--set fills.limit: expected one of through, touch, got a list');
  expect(text('feeds.bars={ symbol: BTCUSDT }')).toMatch(/^--set feeds\.bars\.interval: expected a length such as .*, got nothing$/);
});

test('windows of the day keep their text for the risk rule', () => {
  const windows = ' 22:55-23:05,07:00-07:10 ';
  expect(parseDefinition(source(VALID.replace("maxLeverage: '1'", `restricted: '${windows}'`))).risk).toEqual({ restricted: windows });
});

test('a folder is not accepted as a file, nor a file as a folder', () => {
  const definitionSource = source(VALID);
  const path = ['catalog'];
  const file = { description: 'a strategy file', kind: 'file', remedy: '' } as const;
  expect(errorOf(() => locate(definitionSource, ['strategy'], '.', file)).message).toBe(
    "x.yaml:1 strategy: expected a strategy file, got '.', which is a folder",
  );
  const folder = { description: 'a catalog folder', kind: 'folder', remedy: '' } as const;
  expect(errorOf(() => locate(definitionSource, path, 'package.json', folder)).message).toBe(
    "x.yaml:13 catalog: expected a catalog folder, got 'package.json', which is a file",
  );
});

test('nesting that is too deep for the parser, and a second document, are named', () => {
  const deep = `params: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`;
  expect(errorOf(() => source(deep)).message).toMatch(/^x\.yaml:1:\d+ lists and maps are nested too deeply$/);
  const two = errorOf(() => source('seed: 1\n---\nseed: 2\n'));
  expect(two.message).toBe('x.yaml:2:1 expected one document, got several (a line --- begins another one)');
});

test('--set replaces values of the definition, and decimals keep their text', () => {
  const changed = withOverrides(source(VALID), [
    'params.fast=20',
    'fees.taker=0.00050',
    'cash.USDT=5000',
    'params.level=1.10',
    'risk={ maxOpenOrders: 3 }',
    'from=2024-02-01',
  ]);
  expect(parseDefinition(changed)).toMatchObject({
    params: { fast: 20, slow: 30, level: '1.10' },
    fees: { maker: '0.001', taker: '0.00050' },
    cash: { USDT: '5000' },
    risk: { maxOpenOrders: 3 },
    from: '2024-02-01',
  });
});

test.each([
  ['x.y.z=1', '--set x: unknown key x, the nearest valid one is to'],
  ['risk.maxLeverge=1', '--set risk.maxLeverge: unknown key maxLeverge, the nearest valid one is maxLeverage'],
  ['fees.taker=2', '--set fees.taker: expected a quoted decimal (fraction below 1 with at most 6 decimals: 0.001 is 0.1 %), got 2'],
  [
    'feeds.bars.interval=7s',
    '--set feeds.bars.interval: expected a length such as 15s, 1m, 3h, 1d, 1w or 1M (seconds divide a minute, weeks at most a year); or an amount of trades such as 500ticks, 10volume, 1000000dollar or 25range, got 7s',
  ],
])('a mistake in --set %s names the option', (setting, message) => {
  expect(errorOf(withOverrides(source(VALID), [setting])).message).toBe(message);
});

test.each(['fast', '=1', 'params..fast=1'])('--set %s is not key=value', (setting) => {
  expect(errorOf(() => withOverrides(source(VALID), [setting])).message).toMatch(/^--set .*: expected key=value/);
});

test('an alias in --set, which cannot be resolved, is reported as such', () => {
  expect(errorOf(() => withOverrides(source(VALID), ['params.fast=*a'])).message).toMatch(/^--set params\.fast=\*a: .*alias/);
});

/** Returns the shares of the strategies in a definition whose key `strategy` is replaced by `strategies`. */
function sharesOf(strategies: string): readonly string[] {
  const definitionSource = source(VALID.replace(/params: .*\n/, '').replace('strategies/smaCross.ts', strategies));
  return strategyEntries(parseDefinition(definitionSource), definitionSource).map((entry) => entry.share);
}

test('the strategies of a list have shares that sum to 1, and those without a share divide the remainder', () => {
  expect(sharesOf('[a.ts, b.ts, c.ts]')).toEqual(['0.333333', '0.333333', '0.333334']);
  expect(sharesOf("[{ file: a.ts, share: '0.25' }, b.ts]")).toEqual(['0.25', '0.75']);
  expect(errorOf(() => sharesOf("[{ file: a.ts, share: '0.25' }, { file: b.ts, share: '0.5' }]")).message).toBe(
    'x.yaml:1 strategy: expected shares that sum to 1, got 0.75',
  );
  expect(errorOf(() => sharesOf("[{ file: a.ts, share: '1' }, b.ts]")).message).toMatch(/expected shares that sum to 1, got 1$/);
});

test('the definition with its defaults is read back as the same run', () => {
  const definitionSource = source(VALID);
  const definition: Definition = parseDefinition(definitionSource);
  const runFacts = { from: '2024-01-01T00:00:00.000Z', to: '2024-07-01T00:00:00.000Z', rates: { maker: '0.001', taker: '0.001' } };
  const text = textWithDefaults(definition, strategyEntries(definition, definitionSource), runFacts);
  const reparsed = parseDefinition(source(text));
  expect(reparsed).toMatchObject({ ...definition, from: runFacts.from, to: runFacts.to });
  expect(textWithDefaults(reparsed, strategyEntries(reparsed, source(text)), runFacts)).toBe(text);
  expect(runName(definition, strategyEntries(definition, definitionSource))).toBe('smaCross');
});

test('the definition with its defaults fits a terminal of 100 columns, indented by two', () => {
  const symbols = Array.from({ length: 20 }, (_, index) => `'TOKEN${index}USDT'`).join(', ');
  const definitionSource = source(VALID.replace(/feeds:.*/, `feeds: { bars: { symbols: [${symbols}], interval: 1m } }`));
  const definition = parseDefinition(definitionSource);
  const runFacts = { from: '2024-01-01T00:00:00.000Z', to: '2024-07-01T00:00:00.000Z', rates: { maker: '0.001', taker: '0.001' } };
  const text = textWithDefaults(definition, strategyEntries(definition, definitionSource), runFacts);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(98);
  expect(text).toContain("fees: { in: received, rounding: halfUp, maker: '0.001', taker: '0.001' }\nfills:\n  limit: through\n");
  expect(parseDefinition(source(text)).feeds).toEqual(definition.feeds);
});

test('the error in a definition that is made of options names the option', () => {
  const sourceOfOptions = optionSource('.', { strategy: 'a.ts', cash: { USDT: 'x' } }, { cash: '--cash' });
  expect(errorOf(sourceOfOptions).message).toContain("--cash cash.USDT: expected a quoted decimal (amount of the asset), got 'x'");
  expect(definitionValueAt(sourceOfOptions.data, ['cash', 'USDT'])).toBe('x');
});
