// The words of the report: the sentence at its head, and the record of each instrument as it counts and charges.

import { expect, test } from 'vitest';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { reportInput, reportRecord } from '../../../../test/fixtures/reportRun.ts';
import { answer, cards } from './head.ts';
import { months, provenance } from './sections.ts';

const record = reportRecord({ rows: 3000, trades: 4 });
const input = reportInput(record);
const { summary } = input;
const words = (text: string) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

test('the sentence names fees, which are not all that a run costs', () => {
  const of = (fees: string, netProfit: string) =>
    words(answer({ ...summary, metrics: { ...summary.metrics, netProfit }, orders: { ...summary.orders, fees } }).text);
  expect(of('0', '-50')).toMatch(/4 trades, no fees$/);
  expect(of('20', '80')).toMatch(/, 20 % of gross lost to fees$/);
  expect(of('20', '-5')).toMatch(/, fees of 20\.00 USD, more than the gross result$/);
});

test('a run and a drawdown that are shorter than a day have their hours', () => {
  const { fromMs } = summary.run;
  const short = { ...summary, run: { ...summary.run, toMs: fromMs + 8 * 3_600_000 } };
  expect(words(answer(short).text)).toContain('net in 8 h, worst');
  const drawdownTable = [{ peakMs: fromMs, troughMs: fromMs + 1, recoveryMs: null, depth: -0.1, days: 1 / 3 }];
  expect(words(cards({ ...short, metrics: { ...summary.metrics, drawdownTable } }).text)).toContain('8 h, not regained');
});

test('a year without a change is neither gain nor loss', () => {
  const { metrics } = summary;
  const flat = months({ ...summary, metrics: { ...metrics, yearly: [{ year: 2024, return: 0 }] } }).text;
  expect(flat).toContain('<td class="total ">0.00</td>');
});

test('contracts are counted as contracts, with the fees of their record and what values them', () => {
  const coin = words(provenance(input).text);
  expect(coin).toContain('0.0001 ABC 0.100 % 0.100 % close');
  const fees = { openMakerFeePpm: 200, closeMakerFeePpm: 200, openTakerFeePpm: 500, closeTakerFeePpm: 600 };
  const [instrument] = summary.run.instruments;
  const run = { ...summary.run, instruments: [{ ...instrument!, markSource: 'mark klines 1h' }] };
  const contracts = { ...input, record: { ...record, instruments: [linearContract(fees)] }, summary: { ...summary, run } };
  expect(words(provenance(contracts).text)).toContain('1 contract 0.020 % 0.050 % to open, 0.060 % to close mark klines 1h');
});
