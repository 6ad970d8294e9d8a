// Tests the closing table: at most 100 columns, the same text with and without colour, and the warnings of a run.

import { expect, test } from 'vitest';
import { randomScript, runRecord, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import { buildSummary } from '../summary/summary.ts';
import { figureWarnings } from '../warnings/runWarnings.ts';
import { closingTable } from './closingTable.ts';
import { wantsColour } from './lines.ts';
import { sparkline } from './sparkline.ts';

const rows = 3 * 1440;
const bars = testBars(testInstrument({ takerFeePpm: 10 }), rows, 11);
const record = runRecord({
  bars: [bars],
  script: randomScript(2, { rows, fills: 90 }),
  quality: { gaps: 3, missingBars: 12_480, thinBars: 1, synthetic: true },
});
const summary = buildSummary(record, { versions: {} });
const ESCAPE = String.fromCharCode(27);
const ESCAPES = new RegExp(`${ESCAPE}\\[\\d+m`, 'g');

test('the closing table shows the run, its figures, its warnings and the report path', () => {
  const text = closingTable(record, summary, { colour: false, report: 'runs/x/report.html' });
  const lines = text.split('\n');
  expect(lines[0]).toBe('  Walk0  ABCUSD 1m  2024-01-01 – 2024-01-04  (3 days, 4\u2009320 bars, 3 gaps)');
  const labels = ['Net return', 'Net profit', 'Max drawdown', 'Sharpe', 'Trades', 'Fees'];
  for (const label of labels) expect(text).toContain(`  ${label}`);
  expect(text).toContain('Look here first: the data are synthetic; 3 gaps in the data (12\u2009480 bars missing);');
  expect(lines.at(-1)).toBe('  Report   runs/x/report.html');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(text).not.toMatch(/NaN|undefined|null|e-\d/);
  expect(text).not.toContain(ESCAPE);
  expect(text).toMatch(/[▁▂▃▄▅▆▇█]{60}/);
});

test('the closing table shows the span of a run shorter than a day in hours', () => {
  const run = { ...summary.run, toMs: summary.run.fromMs + 8 * 3_600_000 };
  const drawdownTable = [{ peakMs: run.fromMs, troughMs: run.fromMs + 1, recoveryMs: run.fromMs + 1_800_001, depth: -0.1, days: 1 / 48 }];
  const text = closingTable(record, { ...summary, run, metrics: { ...summary.metrics, drawdownTable } }, { colour: false });
  expect(text).toContain('(8\u2009h, 4\u2009320 bars, 3 gaps)');
  expect(text).toMatch(/Max drawdown .* \(30\u2009min, recovered in 30\u2009min\)/);
});

test('the closing table with colour has the text of the table without it', () => {
  const [plainText, coloured] = [false, true].map((colour) => closingTable(record, summary, { colour }));
  expect(coloured).not.toBe(plainText);
  expect(coloured!.replace(ESCAPES, '')).toBe(plainText);
  expect(wantsColour({ isTTY: true }, {})).toBe(true);
  expect(wantsColour({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
  expect(wantsColour({}, {})).toBe(false);
});

test('the closing table of many strategies and warnings stays within 100 columns', () => {
  const recordOf20Strategies = { ...record, strategies: Array.from({ length: 20 }, () => record.strategies[0]!) };
  const orders = {
    ...summary.orders,
    refusedByRisk: 1500,
    refusedByRiskByCode: { MAX_NOTIONAL: 1200, MAX_LEVERAGE: 299, ORDER_RATE: 1 },
    rejected: 1,
    rejectedByCode: { '-2017': 1 },
    unknown: 2,
  };
  const text = closingTable(
    recordOf20Strategies,
    { ...summary, orders, warnings: figureWarnings({ ...summary, orders }) },
    { colour: false },
  );
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(text.replace(/\s+/g, ' ')).toContain(
    '1 500 orders denied by risk (MAX_NOTIONAL 1 200, MAX_LEVERAGE 299, …); 1 order rejected by the venue (-2017)',
  );
});

test('a run that starts with holdings warns that their change in value is in no trade', () => {
  const heldWarnings = (trades: typeof summary.trades) =>
    figureWarnings({ ...summary, trades }).filter(({ code }) => code === 'RESULT_HELD');
  expect(heldWarnings({ ...summary.trades, heldPnl: '-6227.75' }).map(({ text }) => text)).toEqual([
    'what was held at the start changed in worth by −6\u2009227.75 USD, which is in no trade, and counts as short where it is sold',
  ]);
  expect(heldWarnings({ ...summary.trades, heldPnl: '0.00' })).toEqual([]);
});

test('the closing table of a run without orders shows a dash for every undefined figure', () => {
  const empty = runRecord({ bars: [bars], script: [] });
  const text = closingTable(empty, buildSummary(empty, { versions: {} }), { colour: false });
  expect(text).toMatch(/Sharpe +–/);
  expect(text).toMatch(/won – +profit factor –/);
  expect(buildSummary(empty, { versions: {} }).warnings.map((warning) => warning.text)).toContain('no order was placed');
});

test('a sound run has no warning other than that of an open position', () => {
  const long = runRecord({ bars: [testBars(testInstrument(), 100 * 1440, 5)], script: randomScript(2, { rows: 100 * 1440, fills: 400 }) });
  const { warnings } = buildSummary(long, { versions: {} });
  expect(warnings.filter(({ code }) => code !== 'RESULT_OPEN_POSITION')).toEqual([]);
});

test('a sparkline scales its values to eight heights, and equal values to the lowest', () => {
  expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8], 8, 8)).toBe('▁▂▃▄▅▆▇█');
  expect(sparkline([5, 5, 5], 3, 60)).toBe('▁▁▁');
  expect(sparkline([], 0, 60)).toBe('');
});
