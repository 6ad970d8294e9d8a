// Is the damaged end of a file what a write leaves that did not finish? Then nobody was told that it lasts, and nothing in it was sent.

import { isOverlong, isRecord, parseLine } from './line.ts';

const NUL = 0;
const LINE_FEED = 10;
/** The smallest piece that a disk writes whole or not at all. */
const SECTOR_BYTES = 512;

/**
 * True when `bytes` from `start` on, a line's beginning, hold nothing but what a crash makes of appends that were not synced: a last line
 * that breaks off, and holes of zeros where whole sectors were never written. Records may stand behind a hole. A byte that changed, a line
 * that is missing or one that was added is none of that: something else has happened to the file, and what it held may have been sent.
 */
export function isTorn(bytes: Buffer, start: number): boolean {
  for (let from = start; from < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, from);
    const to = feed < 0 ? bytes.length : feed;
    const hole = bytes.indexOf(NUL, from);
    if (hole >= 0 && hole < to) {
      if (!areHoles(bytes, from, to)) return false;
    } else if (feed < 0) return !isOverlong(bytes, from, to);
    else if (!isRecord(parseLine(bytes, from, to))) return false;
    from = to + 1;
  }
  return true;
}

/** Every run of zeros begins where an append or a sector does, and ends where a sector or the file does. */
function areHoles(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (bytes[at] !== NUL) continue;
    const begin = at;
    while (at < to && bytes[at] === NUL) at++;
    const beginsWell = begin === from || begin % SECTOR_BYTES === 0;
    if (!beginsWell || !(at === bytes.length || at % SECTOR_BYTES === 0)) return false;
  }
  return true;
}
