// Counts the orders of a live bot that waited for the end of another order, from its journal.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord } from '../../src/adapters/journal/records/records.ts';

/** Denials that an order which replaces another one, or waits for its end, would cause itself. A stall of this computer causes others. */
export const OWN_DENIALS = /SLOT_BUSY|MARGIN|BAD_INPUT|PRECISION|FP_NOT_UNIQUE|DUPLICATE|LEVERAGE/;

/** Returns all records of the journal of a data folder. A line that is being written is left out. */
export function recordsSoFar(dataFolder: string): readonly JournalRecord[] {
  const folder = join(dataFolder, 'journal');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
  return files.toSorted().flatMap((name) => {
    const completeLines = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);
    return completeLines.map((line) => JSON.parse(line) as JournalRecord);
  });
}

/** Returns the client order ids of the records of one kind. */
export const clientOrderIdsOf = (records: readonly JournalRecord[], recordKind: string): readonly string[] =>
  records.flatMap((record) => (record.k === recordKind && 'cid' in record ? [record.cid as string] : []));

/** Returns how many orders waited for the end of another one and were then sent. */
export function sentAfterWait(records: readonly JournalRecord[]): number {
  const sentIds = new Set(clientOrderIdsOf(records, 'SEND'));
  return clientOrderIdsOf(records, 'DRAFT').filter((clientOrderId) => sentIds.has(clientOrderId)).length;
}

/** Returns how many orders waited and were not sent, beyond those that the log says were denied: a bot that late bars halt denies them. */
export function lostAfterWait(records: readonly JournalRecord[], log: readonly string[]): number {
  const deniedCount = log.filter((line) => line.includes('denied')).length;
  return clientOrderIdsOf(records, 'DRAFT').length - sentAfterWait(records) - deniedCount;
}
