// Tests which records of a journal have bars with which a backtest can be compared.

import { expect, it } from 'vitest';
import type { JournalRecord } from '../../adapters/journal/records/records.ts';
import { comparedRecords } from './recordedRun.ts';

const INSTANT = { k: 'INSTANT', decided: true, bars: [[0]] };
const INTENT = { k: 'INTENT', order: 1 };

/** Returns the kinds of the records that are compared. */
const comparedKinds = (...records: readonly object[]): readonly string[] =>
  comparedRecords(records as unknown as readonly JournalRecord[]).map(({ k }) => k);

it('the comparison ends with the process of the newest decisions', () => {
  expect(comparedKinds(INSTANT, INTENT, { k: 'SEGMENT' }, INTENT)).toEqual(['INSTANT', 'INTENT']);
});

it('the comparison continues in a journal file that the same process continues', () => {
  expect(comparedKinds(INSTANT, { k: 'SEGMENT', goesOn: true }, INTENT, { k: 'STOP' })).toEqual(['INSTANT', 'SEGMENT', 'INTENT']);
});
