// All records of the exchange store, and the heads of its files, which list the fields of each record.

import type { Instrument } from '../../model/instrument.ts';
import { reductionRecord } from '../futures/reductionRecord.ts';
import { triggerRecord, waitingTriggerRecord } from '../futures/triggerRecord.ts';
import { openOrderRecord, orderRecord, tradeRecord } from '../orders/orderRecords.ts';
import {
  balanceRecord,
  barsRecord,
  clockRecord,
  countersRecord,
  minutesRecord,
  positionRecord,
  pricesRecord,
  settingRecord,
  totalsRecord,
  walletRecord,
} from '../orders/stateRecords.ts';
import {
  storedNameLists,
  storedCount,
  type StoredField,
  storedList,
  storedObject,
  storedChoice,
  storedText,
  type ValuesOf,
  type Fields,
  WrongField,
} from '../records/fields.ts';
import { storeDamageError, Layout, namesOf, storeVersionError } from '../records/layout.ts';
import { type RecordSpec, rowText } from '../records/record.ts';

/** Format 4: the head of the file names every field of a row. */
export const STORE_FORMAT = 4;

/** Records that clients may still request, or that are needed to find one. All others are repeated at the start of a later file. */
export const ARCHIVED: Readonly<Record<ArchivedKind, RecordSpec<unknown>>> = {
  order: orderRecord,
  trade: tradeRecord,
  trigger: triggerRecord,
  reduction: reductionRecord,
};

/** The kinds of records that an archive holds. */
export type ArchivedKind = 'order' | 'trade' | 'trigger' | 'reduction';

/** Every kind of record. */
export const RECORDS: readonly RecordSpec<unknown>[] = [
  ...Object.values(ARCHIVED),
  openOrderRecord,
  waitingTriggerRecord,
  balanceRecord,
  walletRecord,
  totalsRecord,
  positionRecord,
  settingRecord,
  countersRecord,
  pricesRecord,
  minutesRecord,
  barsRecord,
  clockRecord,
];

const SEGMENT_HEAD = {
  format: storedChoice(STORE_FORMAT),
  segment: storedCount,
  /** Number and checksum of the frame before the first one of this file, and the bytes of all files before it. */
  priorSeq: storedCount,
  priorCrc: storedText,
  priorBytes: storedCount,
  /** Time of the first opening of the exchange, ms. */
  openedMs: storedCount,
  /** Number of earlier restarts. */
  restarts: storedCount,
  /** Digits that define the scales of amounts. They must never change. */
  instruments: storedList(
    storedObject({
      id: storedText,
      priceDigits: storedCount,
      quantityDigits: storedCount,
      quoteDigits: storedCount,
      baseDigits: storedCount,
    }),
  ),
  /** Uids of the accounts. */
  uids: storedList(storedText),
  records: storedNameLists,
};
const ARCHIVE_HEAD = {
  format: storedChoice(STORE_FORMAT),
  first: storedCount,
  last: storedCount,
  priorBytes: storedCount,
  records: storedNameLists,
};
const ARCHIVE_END = { bytes: storedCount, seq: storedCount, timeMs: storedCount, crc: storedText };

/** The first row of a segment: what precedes it, and the instruments and accounts of its rows. */
export type SegmentHead = Omit<ValuesOf<typeof SEGMENT_HEAD>, 'format' | 'records'>;
/** The first row of an archive file: the segments that it replaces, and the bytes of all files before them. */
export type ArchiveHead = Omit<ValuesOf<typeof ARCHIVE_HEAD>, 'format' | 'records'>;
/** The last row of an archive file: the start of the next segment, and the last seal before that. */
export type ArchiveEnd = ValuesOf<typeof ARCHIVE_END>;

/** Returns the digits of an instrument, which must never change. */
export const storedDigitsOf = ({
  id,
  priceDigits,
  quantityDigits,
  quoteDigits,
  baseDigits,
}: Instrument): SegmentHead['instruments'][number] => {
  return { id, priceDigits, quantityDigits, quoteDigits, baseDigits };
};

const segmentHead = storedObject(SEGMENT_HEAD);
const archiveHead = storedObject(ARCHIVE_HEAD);
const archiveEnd = storedObject(ARCHIVE_END);
const records = namesOf(RECORDS);

/** Return the stored form of a head or an end. */
export const segmentHeadText = (head: SegmentHead): string =>
  rowText(['head', segmentHead.write({ format: STORE_FORMAT, ...head, records })]);
/** Returns the first line of an archive file. */
export const archiveHeadText = (head: ArchiveHead): string =>
  rowText(['past', archiveHead.write({ format: STORE_FORMAT, ...head, records })]);
/** Returns the last line of an archive file. A file without it is incomplete. */
export const archiveEndText = (end: ArchiveEnd): string => rowText(['end', archiveEnd.write(end)]);

/** Returns a head and the layout of the rows behind it. Throws ConfigError if it is invalid, or if another version has written it. */
export function segmentHeadIn(row: readonly unknown[], path: string): { readonly head: SegmentHead; readonly layout: Layout } {
  const { records: recordNames, ...head } = headIn(segmentHead, 'head', row, path);
  return { head, layout: Layout.ofHead(path, recordNames, RECORDS) };
}
/** Reads the first line of an archive file, and the layout of its rows. Throws ConfigError if the line is damaged or of another version. */
export function archiveHeadIn(row: readonly unknown[], path: string): { readonly head: ArchiveHead; readonly layout: Layout } {
  const { records: recordNames, ...head } = headIn(archiveHead, 'past', row, path);
  return { head, layout: Layout.ofHead(path, recordNames, RECORDS) };
}
/** Returns the end of an archive file; null if the row is another one. */
export function archiveEndIn(row: readonly unknown[], path: string): ArchiveEnd | null {
  return row[0] === 'end' ? fieldsIn(archiveEnd, 'end', row[1], path) : null;
}

/** Returns the head in a first line. Throws ConfigError if it is another kind of head or has another format. */
function headIn<F extends Fields>(field: StoredField<ValuesOf<F>>, name: string, row: readonly unknown[], path: string): ValuesOf<F> {
  if (!Array.isArray(row) || row[0] !== name)
    throw storeDamageError(path, `expected a record ${name} in the first line, got something else`);
  const [, content] = row as readonly unknown[];
  const format = formatOf(content);
  if (format !== STORE_FORMAT) throw storeVersionError(path, `expected format ${STORE_FORMAT}, got ${JSON.stringify(format)}`);
  return fieldsIn(field, name, content, path);
}

/** Returns the format number of a head. Formats 1 to 3 had the number in place of the object. */
const formatOf = (content: unknown): unknown =>
  typeof content === 'object' && content !== null && 'format' in content ? content.format : content;

/** Reads the fields of a head or an end. Throws ConfigError with the file and the field. */
function fieldsIn<T>(field: StoredField<T>, name: string, content: unknown, path: string): T {
  try {
    return field.read(content);
  } catch (error) {
    if (error instanceof WrongField) throw storeDamageError(path, error.within(name).message);
    throw error;
  }
}
