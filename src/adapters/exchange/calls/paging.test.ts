// Tests that paging reads a growing list without a gap, for any meaning of `fromId`, and reports when it cannot.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Paging } from './paging.ts';

/** The meaning of `fromId`: rows from it on, or rows up to it, with or without its own row. */
interface FromIdMeaning {
  readonly isUpward: boolean;
  readonly isInclusive: boolean;
}

/** Returns the page of at most `size` rows that an exchange sends. Without `fromId` it sends the newest rows. */
function pageOf(ids: readonly number[], size: number, fromId: string | null, { isUpward, isInclusive }: FromIdMeaning): readonly number[] {
  if (fromId === null) return ids.slice(-size);
  const from = Number(fromId);
  if (isUpward) return ids.filter((id) => id > from || (isInclusive && id === from)).slice(0, size);
  return ids.filter((id) => id < from || (isInclusive && id === from)).slice(-size);
}

/** Reads the list as the adapter does. Returns the ids that were read and the number of pages. */
function readAll(ids: readonly number[], size: number, cursor: number | null, meaning: FromIdMeaning) {
  const paging = new Paging(cursor === null ? null : String(cursor));
  const readIds = new Set<number>();
  const requestedIds = new Set<string>();
  const recordPage = (rows: readonly number[]) => {
    for (const id of rows) readIds.add(id);
    return { ids: rows.map(String), isFull: rows.length >= size };
  };
  let step = paging.takeNewest(recordPage(pageOf(ids, size, null, meaning)));
  while (step.kind === 'ask') {
    expect(requestedIds.has(step.fromId)).toBe(false);
    requestedIds.add(step.fromId);
    step = paging.takeRequested(recordPage(pageOf(ids, size, step.fromId, meaning)));
  }
  return { kind: step.kind, readIds, pages: requestedIds.size + 1 };
}

const lists = fc.uniqueArray(fc.integer({ min: 2, max: 5000 }), { maxLength: 120 }).map((ids) => ids.toSorted((a, b) => a - b));
const meanings = fc.record({ isUpward: fc.boolean(), isInclusive: fc.boolean() });

describe('Paging', () => {
  it('Paging is complete only if it has every row that is newer than the cursor', () => {
    // Pages have at least three rows: one of two rows may hold only known rows and cannot lead further, which is a gap.
    fc.assert(
      fc.property(lists, fc.integer({ min: 3, max: 20 }), fc.nat({ max: 130 }), meanings, (ids, size, cursorIndex, meaning) => {
        const cursor = ids[cursorIndex] ?? null;
        const { kind, readIds } = readAll(ids, size, cursor, meaning);
        const newerIds = ids.filter((id) => cursor === null || id > cursor);
        if (kind === 'complete') expect(newerIds.every((id) => readIds.has(id))).toBe(true);
        // From a cursor, overlapping pages reach every row, if they are few enough.
        else if (cursor !== null) expect(newerIds.length / (size - 1)).toBeGreaterThan(20);
      }),
      { numRuns: 3000 },
    );
  });

  it('Paging reads one page if that reaches back to the cursor', () => {
    expect(readAll([1, 2, 3], 5, 1, { isUpward: true, isInclusive: true })).toMatchObject({ kind: 'complete', pages: 1 });
    expect(readAll([5, 6, 7, 8, 9], 4, 6, { isUpward: true, isInclusive: true })).toMatchObject({ kind: 'complete', pages: 1 });
  });

  it('Paging reports a gap if the list no longer has the cursor and fromId is ignored', () => {
    const unreachable = new Paging('1');
    const page = { ids: ['7', '8', '9'], isFull: true };
    expect(unreachable.takeNewest(page).kind).toBe('ask');
    let step = unreachable.takeRequested(page);
    while (step.kind === 'ask') step = unreachable.takeRequested(page);
    expect(step.kind).toBe('gap');
  });

  it('Paging compares ids of more digits than a double holds', () => {
    const paging = new Paging('9007199254740993');
    expect(paging.takeNewest({ ids: ['9007199254740995', '9007199254740994'], isFull: true })).toEqual({
      kind: 'ask',
      fromId: '9007199254740992',
    });
    expect(paging.takeRequested({ ids: ['9007199254740993', '9007199254740994'], isFull: true })).toEqual({ kind: 'complete' });
  });
});
