// Finds the ups and downs of the run's own data in the files of a strategy. They may be written as returns, as prices in another unit, or
// as one sign a bar. They may be text, or bytes in base 64 or hexadecimal digits.

import type { BarColumns } from '../../../model/bars/bars.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { TABLE_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { dailyMovesOf, movesOf, type BarMoves } from './barMoves.ts';
import { bytesIn } from './embeddedBytes.ts';
import { MAX_BYTES, textOf } from './embeddedPrices.ts';
import { tableProof } from './tableProof.ts';
import { listsIn } from './writtenLists.ts';

/** Matches a decimal number. */
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Signs that are written next to each other: 0 and 1, + and -, up and down, long and short. */
const SIGNS = /[01]{80,}|[+-]{80,}|[UuDd]{80,}|[LlSs]{80,}/g;
/** The signs that mean up. */
const UP = new Set(['1', '+', 'U', 'u', 'L', 'l']);
/** Number of equal moves in a row that no table has by accident, and the number of them that are indexed to find a place (a window). */
const MIN_MOVES = 80;
const WINDOW_MOVES = 48;
const WINDOW_VALUES = 2 ** WINDOW_MOVES;
/** Minimum of ups, and of downs, in a window, because the price may not move for many bars. */
const MIN_EACH_WAY = 12;
/** Most columns of a table, and most numbers of a text that are searched. */
const MAX_TABLE_COLUMNS = 6;
const MAX_NUMBERS = 40_000;
/** Maximum number of letters and digits of encoded bytes that are searched. */
const MAX_ENCODED_CHARACTERS = 500_000;
/** Of a dense sequence, every eighth window is indexed. A table that is longer than the minimum contains several of them. */
const DENSE_STEP = 8;
/** Maximum number of places in one file with the same window that are compared. */
const MAX_PLACES = 4;

/** A sequence of ups and downs that a file contains. */
interface Sequence {
  readonly bits: Uint8Array;
  /** Position of each bit in the text. */
  readonly places: ArrayLike<number>;
  /** True for a long sequence that is probably no table, such as encoded bytes. Only some of its windows are indexed. */
  readonly isDense?: boolean;
}

/**
 * Returns the proof of purity that a table of moves refutes; null: no file has one. See `embeddedPrices`. `all`: the plan with all rows, whose days
 * are compared too, because a sample of the rows has too few of them. `onFeed` is called before each feed is compared with a file, as progress.
 */
export function embeddedMoves(
  plan: RunPlan,
  files: readonly string[],
  maxBytes = MAX_BYTES,
  all = plan,
  onFeed = (): void => {},
): Proof | null {
  const tables = files.flatMap((file) => tablesIn(file, maxBytes));
  let first: { readonly table: number; readonly proof: Proof } | null = null;
  if (tables.length === 0) return null;
  for (const { bars, moves } of comparedMoves(plan, all)) {
    if (first?.table === 0) break;
    // The moves of a feed take about 15 bytes a bar, so those of one feed alone are kept, and compared with all files.
    const ofFeed = moves();
    const place = firstPlaceOf(ofFeed, tables.slice(0, first?.table), onFeed);
    if (place === null) continue;
    const { file, text } = tables[place.table]!;
    const proof = tableProof({
      text: TABLE_TEXTS.moves,
      description: 'a table of the ups and downs of these bars',
      expected: 'moves from the bars alone',
      bars,
      timeMs: bars.closeMs[place.row]!,
      file,
      fileText: text,
      position: place.at,
    });
    first = { table: place.table, proof };
  }
  return first?.proof ?? null;
}

/** A file with sequences that may be tables of moves. */
interface FileOfTables {
  readonly file: string;
  readonly text: string;
  readonly sequences: readonly Sequence[];
  readonly windows: WindowPlaces;
}

/** Returns the file with its sequences; empty if it has none. */
function tablesIn(file: string, maxBytes: number): readonly FileOfTables[] {
  const text = textOf(file, maxBytes);
  const sequences = [
    ...signSequencesIn(text),
    ...tableSequencesIn(text),
    ...listsIn(text),
    ...encodedSequencesIn(text, Math.min(MAX_ENCODED_CHARACTERS, maxBytes / 8)),
  ];
  const windows = windowsOf(sequences);
  return windows.size === 0 ? [] : [{ file, text, sequences, windows }];
}

/** Returns the first file that has moves of a feed, by its index, with their row and position; null: none has. */
function firstPlaceOf(
  moves: readonly BarMoves[],
  tables: readonly FileOfTables[],
  onFeed: () => void,
): { readonly table: number; readonly row: number; readonly at: number } | null {
  for (const [table, { sequences, windows }] of tables.entries()) {
    onFeed();
    for (const ofFeed of moves) {
      for (const way of withMirrored(ofFeed)) {
        const match = placeOf(way, sequences, windows);
        if (match !== null) return { table, ...match };
      }
    }
  }
  return null;
}

/** Returns the bars of each feed, and functions that compute their moves. */
function comparedMoves(plan: RunPlan, all: RunPlan): readonly { readonly bars: BarColumns; readonly moves: () => BarMoves[] }[] {
  const ofRows = plan.feeds.map(({ bars }) => ({ bars, moves: () => movesOf(bars) }));
  const ofAllDays = all === plan ? [] : all.feeds.map(({ bars }) => ({ bars, moves: () => dailyMovesOf(bars) }));
  return [...ofRows, ...ofAllDays];
}

/** Returns moves, and the same moves with ups and downs exchanged: a table may be written for the other side. */
function withMirrored(moves: BarMoves): readonly BarMoves[] {
  return [moves, { ...moves, bits: moves.bits.map((isUp) => 1 - isUp) }];
}

/** Returns the runs of plus and minus signs in a text, as bits. */
function signSequencesIn(text: string): Sequence[] {
  return [...text.matchAll(SIGNS)].map(([signs], matchIndex, all) => {
    const { index } = all[matchIndex]!;
    return {
      bits: Uint8Array.from(signs, (sign) => Number(UP.has(sign))),
      places: Array.from({ length: signs.length }, (_, position) => index + position),
    };
  });
}

/** Returns the signs of numbers, and of the steps from one to the next, along each column that a table may have. */
function tableSequencesIn(text: string): Sequence[] {
  const numbers = [...text.matchAll(NUMBER)];
  if (numbers.length < MIN_MOVES || numbers.length > MAX_NUMBERS) return [];
  const values = Float64Array.from(numbers, ([digits]) => Number(digits));
  const sequences: Sequence[] = [];
  for (let columns = 1; columns <= MAX_TABLE_COLUMNS; columns++) {
    for (let column = 0; column < columns; column++) {
      const columnValues = values.filter((_, position) => position % columns === column);
      if (columnValues.length <= MIN_MOVES) continue;
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

/** Returns the bits, and the signs and steps of numbers, that encoded bytes of a text may contain. */
function encodedSequencesIn(text: string, maxCharacters: number): Sequence[] {
  return bytesIn(text, MIN_MOVES, maxCharacters).flatMap(({ isBits, values, placeOf: placeAt }): Sequence[] => {
    const places = Array.from({ length: values.length }, (_, index) => placeAt(index));
    if (isBits) return [{ bits: Uint8Array.from(values), places, isDense: true }];
    const signs = Uint8Array.from(values, (value) => Number(value > 0));
    const steps = Uint8Array.from({ length: values.length - 1 }, (_, position) => Number(values[position + 1]! > values[position]!));
    return [
      { bits: signs, places, isDense: true },
      { bits: steps, places, isDense: true },
    ];
  });
}

/** By the value of a window: the sequences in which it occurs, and its first bit there. */
type WindowPlaces = ReadonlyMap<number, readonly (readonly [sequence: number, at: number])[]>;

/** Returns where each window of bits occurs, by its value. For dense sequences only a part of the windows is kept. */
function windowsOf(sequences: readonly Sequence[]): WindowPlaces {
  const windows = new Map<number, (readonly [number, number])[]>();
  for (const [index, { bits, isDense = false }] of sequences.entries()) {
    eachWindow(bits, bits.length - (MIN_MOVES - WINDOW_MOVES), (window, position) => {
      if (isDense && window % DENSE_STEP !== 0) return;
      const positions = windows.get(window);
      if (positions === undefined) windows.set(window, [[index, position]]);
      else if (positions.length < MAX_PLACES) positions.push([index, position]);
    });
  }
  return windows;
}

/** Calls `onWindow` for each window that has enough of both signs, with its first place. */
function eachWindow(bits: Uint8Array, end: number, onWindow: (window: number, position: number) => void): void {
  let window = 0;
  let ups = 0;
  for (let index = 0; index < end; index++) {
    window = (window % (WINDOW_VALUES / 2)) * 2 + bits[index]!;
    ups += bits[index]! - (index >= WINDOW_MOVES ? bits[index - WINDOW_MOVES]! : 0);
    const isWhole = index >= WINDOW_MOVES - 1;
    const hasBothSigns = ups >= MIN_EACH_WAY && ups <= WINDOW_MOVES - MIN_EACH_WAY;
    if (isWhole && hasBothSigns) onWindow(window, index - WINDOW_MOVES + 1);
  }
}

/** Returns the row of the data and the position in the text at which equal moves begin; null: none. */
function placeOf(
  moves: BarMoves,
  sequences: readonly Sequence[],
  windows: WindowPlaces,
): { readonly row: number; readonly at: number } | null {
  let firstMatch: { readonly row: number; readonly at: number } | null = null;
  eachWindow(moves.bits, moves.bits.length - (MIN_MOVES - WINDOW_MOVES), (window, move) => {
    if (firstMatch !== null) return;
    for (const [index, position] of windows.get(window) ?? []) {
      const { bits, places } = sequences[index]!;
      if (hasSameMoves(bits, position, moves, move)) firstMatch = { row: moves.rowOf(move), at: places[position]! };
    }
  });
  return firstMatch;
}

/** True when the moves from `move` on equal the bits from `position` on, for at least MIN_MOVES moves and the minimum of turns. */
function hasSameMoves(bits: Uint8Array, position: number, { bits: moves, minTurns }: BarMoves, move: number): boolean {
  let turns = 0;
  for (let count = 0; count < MIN_MOVES || turns < minTurns; count++) {
    if (position + count >= bits.length || bits[position + count] !== moves[move + count]) return false;
    if (count > 0 && bits[position + count] !== bits[position + count - 1]) turns++;
  }
  return true;
}
