// Tests the text of the report: the sentence at its head, and the counts and fees of each instrument.

import { expect, test } from 'vitest';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { reportInput, reportRecord } from '../../../../test/fixtures/reportRun.ts';
import { runAnswer, runCards } from './head.ts';
import { runMonths, runProvenance } from './sections.ts';

const record = reportRecord({ rows: 3000, trades: 4 });
const input = reportInput(record);
const { summary } = input;
const plainText = (text: string) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

test('the head of the report names the fees of a run', () => {
  const answerFor = (fees: string, netProfit: string) =>
    plainText(runAnswer({ ...summary, metrics: { ...summary.metrics, netProfit }, orders: { ...summary.orders, fees } }).text);
  expect(answerFor('0', '-50')).toMatch(/4 trades, no fees$/);
  expect(answerFor('20', '80')).toMatch(/, 20 % of gross lost to fees$/);
  expect(answerFor('20', '-5')).toMatch(/, fees of 20\.00 USD, more than the gross result$/);
});

test('the report shows a run and a drawdown shorter than a day in hours', () => {
  const { fromMs } = summary.run;
  const shortRun = { ...summary, run: { ...summary.run, toMs: fromMs + 8 * 3_600_000 } };
  expect(plainText(runAnswer(shortRun).text)).toContain('net in 8 h, worst');
  const drawdownTable = [{ peakMs: fromMs, troughMs: fromMs + 1, recoveryMs: null, depth: -0.1, days: 1 / 3 }];
  expect(plainText(runCards({ ...shortRun, metrics: { ...summary.metrics, drawdownTable } }).text)).toContain('8 h, not regained');
});

test('the report shows a year without a change as neither gain nor loss', () => {
  const { metrics } = summary;
  const monthsOfFlatYear = runMonths({ ...summary, metrics: { ...metrics, yearly: [{ year: 2024, return: 0 }] } }).text;
  expect(monthsOfFlatYear).toContain('<td class="total ">0.00</td>');
});

test('the report counts contracts, and names their fees and their mark source', () => {
  const coinText = plainText(runProvenance(input).text);
  expect(coinText).toContain('0.0001 ABC 0.100 % 0.100 % close');
  const fees = { openMakerFeePpm: 200, closeMakerFeePpm: 200, openTakerFeePpm: 500, closeTakerFeePpm: 600 };
  const [instrument] = summary.run.instruments;
  const run = { ...summary.run, instruments: [{ ...instrument!, markSource: 'mark klines 1h' }] };
  const contracts = { ...input, record: { ...record, instruments: [linearContract(fees)] }, summary: { ...summary, run } };
  expect(plainText(runProvenance(contracts).text)).toContain('1 contract 0.020 % 0.050 % to open, 0.060 % to close mark klines 1h');
});
