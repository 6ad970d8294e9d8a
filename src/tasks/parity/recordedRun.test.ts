// Tests which records of a journal have bars with which a backtest can be compared.

import { expect, it } from 'vitest';
import type { JournalRecord } from '../../adapters/journal/records/records.ts';
import { comparedRecords } from './recordedRun.ts';

const INSTANT = { k: 'INSTANT', decided: true, bars: [[0]] };
const INTENT = { k: 'INTENT', order: 1 };

it('the comparison ends with the process of the newest decisions, and not with a journal file that the process continues', () => {
  const comparedKinds = (...rows: readonly object[]): readonly string[] =>
    comparedRecords(rows as unknown as readonly JournalRecord[]).map(({ k }) => k);
  expect(comparedKinds(INSTANT, { k: 'SEGMENT', goesOn: true }, INTENT, { k: 'STOP' })).toEqual(['INSTANT', 'SEGMENT', 'INTENT']);
  expect(comparedKinds(INSTANT, INTENT, { k: 'SEGMENT' }, INTENT)).toEqual(['INSTANT', 'INTENT']);
});
