// Finds the ups and downs of the run's own data in the files of a strategy, whatever they are written as: returns, prices in another unit,
// or one sign a bar; as text, or as bytes in base 64 or hexadecimal digits.

import { relative } from 'node:path';
import { formatTime } from '../../../model/time.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { TABLE_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { movesOf, type BarMoves } from './barMoves.ts';
import { bytesIn } from './embeddedBytes.ts';
import { MAX_BYTES, textOf } from './embeddedPrices.ts';
import { listsIn } from './lists.ts';

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Signs that are written next to each other: 0 and 1, + and -, up and down, long and short. */
const SIGNS = /[01]{80,}|[+-]{80,}|[UuDd]{80,}|[LlSs]{80,}/g;
const UP = new Set(['1', '+', 'U', 'u', 'L', 'l']);
/** Moves in a row that no table has by accident, and those of them by which places are found. */
const ENOUGH = 80;
const FOUND_BY = 48;
const WINDOW = 2 ** FOUND_BY;
/** At least this number of the moves that identify a place goes each way, because a price can stand still. */
const MIN_EACH_WAY = 12;
const MAX_TABLE_COLUMNS = 6;
const MAX_NUMBERS = 40_000;
/** Letters and digits of encoded bytes. */
const MAX_ENCODED = 500_000;
/** One place in eight of a dense sequence is kept. A table that is longer than the shortest has many of them. */
const KEPT_OF_DENSE = 8;
/** Places in one file with the same moves that are looked at. */
const MAX_PLACES = 4;

/** A sequence of ups and downs that a file contains. */
interface Sequence {
  readonly bits: Uint8Array;
  /** Where each of them stands in the text. */
  readonly places: ArrayLike<number>;
  /** True: it is as likely anything else, and long. Only some of its places are kept to find it by. */
  readonly isDense?: boolean;
}

/** Returns the proof of purity that a table of moves refutes; null: no file has one. See `embeddedPrices`. */
export function embeddedMoves(plan: RunPlan, files: readonly string[], maxBytes = MAX_BYTES): Proof | null {
  for (const file of files) {
    const text = textOf(file, maxBytes);
    const sequences = [...signsIn(text), ...tablesIn(text), ...listsIn(text), ...encodedIn(text, Math.min(MAX_ENCODED, maxBytes / 8))];
    const windows = windowsOf(sequences);
    if (windows.size === 0) continue;
    for (const { bars } of plan.feeds) {
      for (const moves of movesOf(bars).flatMap((each) => [each, { ...each, bits: each.bits.map((isUp) => 1 - isUp) }])) {
        const match = placeOf(moves, sequences, windows);
        if (match === null) continue;
        const description = 'a table of the ups and downs of these bars';
        return {
          name: 'purity',
          verdict: 'refuted',
          text: TABLE_TEXTS.moves,
          first: {
            time: formatTime(bars.closeMs[match.row]!),
            feed: `${bars.instrument.wireName} ${bars.interval}`,
            what: description,
            expected: 'moves from the bars alone',
            actual: description,
          },
          file: relative(process.cwd(), file),
          line: text.slice(0, match.at).split('\n').length,
        };
      }
    }
  }
  return null;
}

/** Returns the runs of plus and minus signs in a text, as bits. */
function signsIn(text: string): Sequence[] {
  return [...text.matchAll(SIGNS)].map(([signs], matchIndex, all) => {
    const { index } = all[matchIndex]!;
    return {
      bits: Uint8Array.from(signs, (sign) => Number(UP.has(sign))),
      places: Array.from({ length: signs.length }, (_, each) => index + each),
    };
  });
}

/** Returns the signs of numbers, and of the steps from one to the next, along each column that a table may have. */
function tablesIn(text: string): Sequence[] {
  const numbers = [...text.matchAll(NUMBER)];
  if (numbers.length < ENOUGH || numbers.length > MAX_NUMBERS) return [];
  const values = Float64Array.from(numbers, ([each]) => Number(each));
  const sequences: Sequence[] = [];
  for (let columns = 1; columns <= MAX_TABLE_COLUMNS; columns++) {
    for (let column = 0; column < columns; column++) {
      const columnValues = values.filter((_, position) => position % columns === column);
      if (columnValues.length <= ENOUGH) continue;
      const places = numbers.flatMap(({ index }, position) => (position % columns === column ? [index] : []));
      sequences.push({ bits: Uint8Array.from(columnValues, (value) => Number(value > 0)), places });
      sequences.push({
        bits: Uint8Array.from(columnValues.subarray(1), (value, position) => Number(value > columnValues[position]!)),
        places,
      });
    }
  }
  return sequences;
}

/** The same of what is written as bytes. */
function encodedIn(text: string, maxCharacters: number): Sequence[] {
  return bytesIn(text, ENOUGH, maxCharacters).flatMap(({ isBits, values, placeOf: placeAt }): Sequence[] => {
    const places = Array.from({ length: values.length }, (_, index) => placeAt(index));
    if (isBits) return [{ bits: Uint8Array.from(values), places, isDense: true }];
    const signs = Uint8Array.from(values, (value) => Number(value > 0));
    return [{ bits: signs, places, isDense: true }, { bits: Uint8Array.from({ length: values.length - 1 }, (_, position) => Number(values[position + 1]! > values[position]!)), places, isDense: true }]; // prettier-ignore
  });
}

type WindowPlaces = ReadonlyMap<number, readonly (readonly [sequence: number, at: number])[]>;

/** Returns where each window of bits occurs, by its value. For dense sequences only a part of the windows is kept. */
function windowsOf(sequences: readonly Sequence[]): WindowPlaces {
  const windows = new Map<number, (readonly [number, number])[]>();
  for (const [index, { bits, isDense = false }] of sequences.entries()) {
    eachWindow(bits, bits.length - (ENOUGH - FOUND_BY), (window, position) => {
      if (isDense && window % KEPT_OF_DENSE !== 0) return;
      const positions = windows.get(window);
      if (positions === undefined) windows.set(window, [[index, position]]);
      else if (positions.length < MAX_PLACES) positions.push([index, position]);
    });
  }
  return windows;
}

/** Calls `take` for each window that has enough of both signs, with its first place. */
function eachWindow(bits: Uint8Array, end: number, take: (window: number, position: number) => void): void {
  let window = 0;
  let ups = 0;
  for (let index = 0; index < end; index++) {
    window = (window % (WINDOW / 2)) * 2 + bits[index]!;
    ups += bits[index]! - (index >= FOUND_BY ? bits[index - FOUND_BY]! : 0);
    if (index >= FOUND_BY - 1 && ups >= MIN_EACH_WAY && ups <= FOUND_BY - MIN_EACH_WAY) take(window, index - FOUND_BY + 1);
  }
}

/** Returns a row of the data and the place in the text from which on all moves are alike. */
function placeOf(
  moves: BarMoves,
  sequences: readonly Sequence[],
  windows: WindowPlaces,
): { readonly row: number; readonly at: number } | null {
  let firstMatch: { readonly row: number; readonly at: number } | null = null;
  eachWindow(moves.bits, moves.bits.length - (ENOUGH - FOUND_BY), (window, move) => {
    if (firstMatch !== null) return;
    for (const [index, position] of windows.get(window) ?? []) {
      const { bits, places } = sequences[index]!;
      if (isAlike(bits, position, moves, move)) firstMatch = { row: moves.rowOf(move), at: places[position]! };
    }
  });
  return firstMatch;
}

/** Returns true when enough moves from `move` on, with enough turns among them, are the bits from `index` on. */
function isAlike(bits: Uint8Array, position: number, { bits: moves, minTurns }: BarMoves, move: number): boolean {
  let turns = 0;
  for (let count = 0; count < ENOUGH || turns < minTurns; count++) {
    if (position + count >= bits.length || bits[position + count] !== moves[move + count]) return false;
    if (count > 0 && bits[position + count] !== bits[position + count - 1]) turns++;
  }
  return true;
}
