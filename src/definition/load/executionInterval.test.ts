// Tests execution-only bars of a definition: used if they cover the run, otherwise rejected or left out.

import { describe, expect, it } from 'vitest';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { coarser, spotInstrument, START_MS, walkBars } from '../../../test/engine/backtestFixture.ts';
import { barsOf, sliceColumns } from '../../adapters/catalog/files/columns.ts';
import { SYNTHETIC } from '../../adapters/catalog/bars/barQuality.ts';
import { memoryStore, wholeSet } from '../../adapters/catalog/bars/barStore.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import { loadFeeds } from './feeds.ts';
import { executionIntervalRule } from './executionInterval.ts';
import { parseDefinition } from '../text/parse.ts';
import { strategyEntries, textWithDefaults } from './withDefaults.ts';
import { yamlSource } from '../text/source.ts';

const minutes = walkBars({ rows: 1200, seed: 8, instrument: linearContract() });
const { wireName: symbol } = minutes.instrument;
const rowsOf = (bars: BarColumns, from: number, to = bars.length) => barsOf(sliceColumns(bars, from, to), bars.instrument, bars.interval);
/** The minute bars without the minute that has the high of the third hour. */
const withoutHighOfHour3 = (() => {
  const missingRow = minutes.high.subarray(120, 180).reduce((best, high, row, highs) => (high > highs[best]! ? row : best), 0) + 120;
  const removeRow = (column: Float64Array) => Float64Array.from([...column.subarray(0, missingRow), ...column.subarray(missingRow + 1)]);
  const { instrument, interval, openMs, closeMs, open, high, low, close, volume } = minutes;
  const prices = { open: removeRow(open), high: removeRow(high), low: removeRow(low), close: removeRow(close), volume: removeRow(volume) };
  return { instrument, interval, length: minutes.length - 1, openMs: removeRow(openMs), closeMs: removeRow(closeMs), ...prices };
})();

const sourceOf = (lines: string) =>
  yamlSource('x.yaml', '.', `strategy: s.ts\nfeeds: { bars: { symbol: ${symbol}, interval: 1h } }\ncash: '1000'\n${lines}`);
/** Loads the feeds of a definition from bars in memory. */
function feedsOf(sets: readonly BarColumns[], lines: string, fromMs: number | null = null) {
  const source = sourceOf(lines);
  const store = memoryStore(sets.map((bars) => wholeSet(bars, SYNTHETIC)));
  return loadFeeds(parseDefinition(source), source, store, { fromMs, toMs: null });
}
const feedNames = (feeds: ReturnType<typeof feedsOf>) =>
  feeds.map(({ name, bars, isExecutionOnly }) => `${name} ${bars.interval}${isExecutionOnly === true ? ' hidden' : ''}`);

const hours = coarser(minutes, '1h');
const quarters = coarser(minutes, '15m');
const FUTURES = 'market: futures\n';

describe('finer bars for fills', () => {
  it.each([
    ['futures use the finest', [hours, quarters, minutes], FUTURES, ['bars 1h', 'inside bars 1m hidden']],
    ['futures use the finest that covers the run', [hours, quarters, rowsOf(minutes, 61)], FUTURES, ['bars 1h', 'inside bars 15m hidden']],
    [
      'futures use the finest that reaches the prices of every bar',
      [hours, quarters, withoutHighOfHour3],
      FUTURES,
      ['bars 1h', 'inside bars 15m hidden'],
    ],
    ['futures use none if no finer bars cover the run', [hours, rowsOf(minutes, 0, 100)], FUTURES, ['bars 1h']],
    [
      'a configured interval is used',
      [hours, quarters, minutes],
      `${FUTURES}fills: { inside: 15m }`,
      ['bars 1h', 'inside bars 15m hidden'],
    ],
    ['none is used with `off`', [hours, minutes], `${FUTURES}fills: { inside: off }`, ['bars 1h']],
  ])('finer bars for fills: %s', (_, sets, lines, expected) => {
    expect(feedNames(feedsOf(sets, lines))).toEqual(expected);
  });

  it('finer bars for fills begin one row before the run, and the close of that row is their first price', () => {
    const [bars, executionOnly] = feedsOf([hours, minutes], FUTURES, START_MS + 5 * 3_600_000);
    expect(bars!.firstRow).toBe(5);
    expect([executionOnly!.firstRow, executionOnly!.bars.openMs[1]]).toEqual([1, bars!.bars.openMs[5]]);
    expect(executionOnly!.bars.closeMs.at(-1)).toBe(bars!.bars.closeMs.at(-1));
  });

  it('a configured execution interval without bars, or with gaps, is rejected', () => {
    expect(() => feedsOf([hours, quarters], `${FUTURES}fills: { inside: 5m }`)).toThrow(
      `x.yaml:5 fills.inside: expected bars of 5m inside every 1h bar of ${symbol}, data has 1h 15m`,
    );
    expect(() => feedsOf([hours, withoutHighOfHour3], `${FUTURES}fills: { inside: 1m }`)).toThrow(
      'do not reach the prices of the bars everywhere',
    );
  });

  it('an execution interval that is longer than those of all feeds is rejected', () => {
    expect(() => feedsOf([hours, minutes], 'market: futures\nfills: { inside: 1d }')).toThrow(
      'x.yaml:5 fills.inside: expected an interval below that of the feeds (1h), got 1d',
    );
  });

  it('spot uses finer bars only if they are requested, and its definition does not change', () => {
    const spot = parseDefinition(sourceOf(''));
    expect(executionIntervalRule(spot)).toBe('off');
    const text = (lines: string) => {
      const source = sourceOf(lines);
      const definition = parseDefinition(source);
      return textWithDefaults(definition, strategyEntries(definition, source), { from: '2024-01-01', to: '2024-02-01', rates: {} });
    };
    expect(text('')).not.toContain('inside');
    expect(text('fills: { inside: finest }')).toContain('inside: finest');
    expect(text(FUTURES)).toContain('inside: finest');
    expect(text(`${FUTURES}fills: { inside: off }`)).toContain('inside: off');
  });
});

describe('longer bars whose source bars have continued', () => {
  const spot = walkBars({ rows: 600, seed: 8, instrument: spotInstrument() });
  const noteOf = (madeBars: BarColumns, range: { fromMs: number | null; toMs: number | null }) => {
    const spotSymbol = spot.instrument.wireName;
    const source = yamlSource('x.yaml', '.', `strategy: s.ts\nfeeds: { bars: { symbol: ${spotSymbol}, interval: 1h } }\ncash: '1000'\n`);
    const quality = { ...SYNTHETIC, source: 'resampled', from: '1m', barsIn: new Int32Array(madeBars.length).fill(60) } as const;
    const store = memoryStore([wholeSet(spot, SYNTHETIC), wholeSet(madeBars, quality)]);
    return loadFeeds(parseDefinition(source), source, store, range)[0]?.note;
  };
  const wholeRange = { fromMs: null, toMs: null };
  const hourBars = coarser(spot, '1h');
  it('longer bars whose source bars have continued are reported with the command that builds them again', () => {
    expect(noteOf(rowsOf(hourBars, 0, 7), wholeRange)).toMatch(
      /^the 1h bars of \w+ end at .*, the 1m bars below them at .*: isobar data resample --symbol \w+ --interval 1h /,
    );
    expect(noteOf(rowsOf(hourBars, 2), wholeRange)).toMatch(
      /^the 1h bars of \w+ begin at .*, the 1m bars below them at .*: isobar data resample/,
    );
  });
  it('longer bars are not reported if their source bars end with them, or if the run does not use later ones', () => {
    expect(noteOf(hourBars, wholeRange)).toBeUndefined();
    expect(noteOf(rowsOf(hourBars, 0, 7), { fromMs: null, toMs: hourBars.closeMs[6]! })).toBeUndefined();
    expect(noteOf(rowsOf(hourBars, 2), { fromMs: hourBars.openMs[2]!, toMs: null })).toBeUndefined();
  });
});

it('an override of an instrument without a feed is rejected, with the nearest one that has a feed', () => {
  const untradedSymbol = `${symbol.slice(0, -1)}X`;
  expect(() => feedsOf([hours], `${FUTURES}instruments: { ${untradedSymbol}: { pricePrecision: 9 } }`)).toThrow(
    `x.yaml:5 instruments.${untradedSymbol}: no feed of the run is of ${untradedSymbol}, the nearest is ${symbol}`,
  );
});

it('an override of the single fee of a contract is rejected with the key that sets opening and closing fees', () => {
  const load = () => feedsOf([hours], `${FUTURES}instruments: { ${symbol}: { takerFee: '0.001' } }`);
  const expected = 'expected nothing: the fees of a contract, fractions of the notional, are openTakerFee and closeTakerFee of its record';
  expect(load).toThrow(`x.yaml:5 instruments.${symbol}.takerFee: ${expected}, got "0.001"`);
  expect(load).toThrow(
    expect.objectContaining({ remedy: "in a run definition fees: { taker: '0.0005' } sets both (0.05 %); docs/data.md shows a record" }),
  );
});

it('an override with an invalid value is rejected at the place of its key', () => {
  const spot = coarser(walkBars({ rows: 120, seed: 8, instrument: spotInstrument() }), '1h');
  const feeds = (changes: string) => {
    const text = `strategy: s.ts\nfeeds: { bars: { symbol: ${spot.instrument.wireName}, interval: 1h } }\ncash: '1000'\ninstruments:\n  ${spot.instrument.wireName}:\n    ${changes}\n`;
    const source = yamlSource('x.yaml', '.', text);
    return loadFeeds(parseDefinition(source), source, memoryStore([wholeSet(spot, SYNTHETIC)]), { fromMs: null, toMs: null });
  };
  const row = `x.yaml:6 instruments.${spot.instrument.wireName}`;
  const { quantityDigits, quote } = spot.instrument;
  expect(() => feeds("minQuantity: '0.0000000000001'")).toThrow(
    `${row}.minQuantity: expected a quantity in quotes with at most ${quantityDigits} digits behind the point, got "0.0000000000001"`,
  );
  expect(() => feeds(`base: ${quote}`)).toThrow(`${row}.base: expected another asset than the quote, got "${quote}"`);
});
