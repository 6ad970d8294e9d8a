// Decides whether the damaged end of a file is an unfinished write. Such a write was never reported durable, so nothing in it was sent.

import { isOverlong, isRecord, parseLine } from './journalLine.ts';

const NUL = 0;
const LINE_FEED = 10;
/** The smallest unit that a disk writes completely or not at all. */
const SECTOR_BYTES = 512;

/**
 * True if `bytes` from `start` (the beginning of a line) on contains only what a crash leaves of unsynced appends. A crash leaves an
 * incomplete last line, and zeros where whole sectors were never written. Records may follow such a run. A changed byte, or a missing or
 * added line, is different damage: its content may have been sent.
 */
export function isTorn(bytes: Buffer, start: number): boolean {
  for (let from = start; from < bytes.length;) {
    const lineFeed = bytes.indexOf(LINE_FEED, from);
    const to = lineFeed < 0 ? bytes.length : lineFeed;
    const firstNul = bytes.indexOf(NUL, from);
    if (firstNul >= 0 && firstNul < to) {
      if (!areUnwrittenSectors(bytes, from, to)) return false;
    } else if (lineFeed < 0) return !isOverlong(bytes, from, to);
    else if (!isRecord(parseLine(bytes, from, to))) return false;
    from = to + 1;
  }
  return true;
}

/** True if every run of zeros begins at an append or a sector, and ends at a sector or the end of the file. */
function areUnwrittenSectors(bytes: Buffer, from: number, to: number): boolean {
  for (let offset = from; offset < to; offset++) {
    if (bytes[offset] !== NUL) continue;
    const runStart = offset;
    while (offset < to && bytes[offset] === NUL) offset++;
    const isValidStart = runStart === from || runStart % SECTOR_BYTES === 0;
    const isValidEnd = offset === bytes.length || offset % SECTOR_BYTES === 0;
    if (!isValidStart || !isValidEnd) return false;
  }
  return true;
}
