// Row logs: rows are read back as written; a log without readers needs only one page of memory.

import { expect, it } from 'vitest';
import { RowLog, rowInPage, Scratch, DiscardingScratch } from './rowLog.ts';

const WIDTH = 2;
const ROWS = 20_000;

function written(scratch: Scratch): { readonly log: RowLog; readonly pages: ReadonlySet<Float64Array> } {
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

it('rows come back as columns', () => {
  const { log } = written(new Scratch());
  const [up, down] = log.columns(ROWS);
  expect([...up!]).toEqual(Array.from({ length: ROWS }, (_, row) => row));
  expect([...down!]).toEqual(Array.from({ length: ROWS }, (_, row) => -row));
});

it('logs without readers share one page, which no other log uses', () => {
  const scratch = new DiscardingScratch();
  const { pages } = written(scratch);
  expect(pages.size).toBe(1);
  expect(scratch.take([...pages][0]!.length)).not.toBe([...pages][0]);
});
