// Tests row logs: rows are read back as written, and a log without readers needs only one page of memory.

import { expect, it } from 'vitest';
import { RowLog, rowInPage, Scratch, DiscardingScratch } from './rowLog.ts';

const WIDTH = 2;
const ROWS = 20_000;

/** Writes rows to a new log, and returns the pages that it used. */
function writeRows(scratch: Scratch): { readonly log: RowLog; readonly pages: ReadonlySet<Float64Array> } {
  const log = new RowLog(WIDTH, scratch);
  const pages = new Set<Float64Array>();
  for (let row = 0; row < ROWS; row++) {
    if (!log.isAt(row)) log.turnTo(row);
    const { page } = log;
    pages.add(page);
    page[rowInPage(row) * WIDTH] = row;
    page[rowInPage(row) * WIDTH + 1] = -row;
  }
  return { log, pages };
}

it('a row log returns its rows as columns', () => {
  const { log } = writeRows(new Scratch());
  const [rowNumbers, negatedNumbers] = log.columns(ROWS);
  expect([...rowNumbers!]).toEqual(Array.from({ length: ROWS }, (_, row) => row));
  expect([...negatedNumbers!]).toEqual(Array.from({ length: ROWS }, (_, row) => -row));
});

it('row logs without readers share one page, which no other log uses', () => {
  const scratch = new DiscardingScratch();
  const { pages } = writeRows(scratch);
  expect(pages.size).toBe(1);
  expect(scratch.take([...pages][0]!.length)).not.toBe([...pages][0]);
});
