// Notes on fills that have the time at which a bar opens, but were made inside the bar before.

import { join } from 'node:path';
import { readRegularFile } from '../../../adapters/disk/regularFile.ts';
import type { ExplainedBar, ExplainedEvent } from '../model/explanation.ts';

/** Maximum number of fills that a note names. */
const MAX_NAMED = 4;

/**
 * Returns a note that points to the previous bar, if fills.csv has fills of that bar with the time `atMs`. A fill inside a bar has the time
 * at which the bar ends. At that time the next bar opens, so the explanation is about the next bar.
 */
export function notesOfFillsBefore(
  folder: string,
  atMs: number | null,
  { instrument, openMs }: ExplainedBar,
  venue: readonly ExplainedEvent[],
): readonly string[] {
  if (atMs !== openMs) return [];
  const listedIds = new Set(venue.map(({ tradeId }) => tradeId));
  const numbers = fillsAt(folder, atMs, instrument).filter((tradeId) => !listedIds.has(tradeId));
  if (numbers.length === 0) return [];
  const namedOrders = `${numbers.slice(0, MAX_NAMED).join(', ')}${numbers.length > MAX_NAMED ? ' and others' : ''}`;
  return [
    `fill${numbers.length === 1 ? '' : 's'} ${namedOrders} of this time in fills.csv: inside the bar before, which ends then: --at ${atMs - 1}`,
  ];
}

/** Returns the trade ids of the fills of `instrument` at the time `atMs`. The time is the last column of fills.csv. */
function fillsAt(folder: string, atMs: number, instrument: string): readonly string[] {
  const bytes = bytesOf(join(folder, 'fills.csv'));
  const ending = `,${atMs}\n`;
  const tradeIds: string[] = [];
  for (let end = bytes.indexOf(ending); end >= 0; end = bytes.indexOf(ending, end + 1)) {
    const [tradeId = '', , , fillInstrument] = bytes.toString('utf8', bytes.lastIndexOf('\n', end) + 1, end).split(',');
    if (fillInstrument === instrument) tradeIds.push(tradeId);
  }
  return tradeIds;
}

/** Returns the bytes of a table; empty if the file cannot be read. */
function bytesOf(path: string): Buffer {
  try {
    return readRegularFile(path);
  } catch {
    // A run folder may be kept without its tables.
    return Buffer.alloc(0);
  }
}
