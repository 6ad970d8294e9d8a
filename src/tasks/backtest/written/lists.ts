// Reads lists that a text of a strategy may hold as ups and downs: numbers or times of chosen bars, lengths of runs, words and signs of two
// kinds, and large numbers whose bits are the moves.

import { parseTime } from '../../../model/time.ts';

/** Ups and downs as they are written, and where each of them stands in the text. */
export interface WrittenMoves {
  readonly bits: Uint8Array;
  readonly places: ArrayLike<number>;
}

/** Members of a list that is looked at. */
const ENOUGH = 40;
/** Characters of a text that are read: what is longer shows itself in its first part. */
const MAX_TEXT = 8_000_000;
/** Moves that a list may make: a longer one shows itself in its first part. */
const MAX_MOVES = 200_000;
/** Of the bars that a list chooses from, at least one in this many is in it. */
const MAX_SPARSE = 16;
const MAX_RUN = 999;
/** Digits of a large number, and of all of a text. */
const MAX_DIGITS = 20_000;
const MAX_ALL_DIGITS = 100_000;

const WHOLE = /(?<![\w.-])\d{1,15}(?![\w.])/g;
const TIME = /\d{4}-\d\d-\d\d(?:[T ]\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?)?/g;
const LARGE = /(?<![\w.])(?:0x[\da-f_]{20,}|0b[01_]{80,}|[\d_]{25,})n?(?!\w)/gi;
const TEXT = /'([^'\\\n]{80,})'|"([^"\\\n]{80,})"|`([^`\\]{80,})`/g;
// Begins at the first letter of a word only: from each letter of a long word the time would grow with its square. Ends after
// some thousand words, for each takes a place on the stack of the expression.
const WORDS = /(?<![a-z])(?:[a-z]+[\s,;|'"]+){79,10000}[a-z]+/gi;
const WORD = /[a-z]+/gi;
/** Times and keys, which a table gives with its values. */
const LABEL = /\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?|(?<!\w)["'`]?[a-z_]\w{0,40}["'`]?\s{0,3}:|["'`]?\d{1,16}["'`]?\s{0,3}:/gi;
/** Values of a table: words, and numbers that are no times. */
const VALUE = /(?<![\w.])(?:[a-z]+|[+-]?\d{1,8})(?![\w.])/gi;
const SIGNED = /[+-]?[\da-z.]+/gi;
/** Values of a text: signed words with something between them. */
const SIGNED_LIST = /^\s*[+-]?[\da-z.]+(?:[\s,;|]+[+-]?[\da-z.]+){79,}\s*$/i;

interface Member {
  readonly value: number;
  readonly at: number;
}

/** Returns all that may be moves, each as it is written. */
export function listsIn(whole: string): WrittenMoves[] {
  const text = whole.slice(0, MAX_TEXT);
  const numbers = [...text.matchAll(WHOLE)].map(({ 0: digits, index }): Member => ({ value: Number(digits), at: index }));
  const times = [...text.matchAll(TIME)].map(({ 0: time, index }): Member => ({ value: timeOf(time), at: index }));
  return [
    ...runsIn(numbers),
    ...chosenIn(numbers),
    ...chosenIn(times),
    ...largeIn(text),
    ...textsIn(text),
    ...wordsIn(text),
    ...labelledIn(text),
  ];
}

const timeOf = (text: string): number => parseTime(`${text.slice(0, 10)}T${text.slice(11, 16).padEnd(2, '0').padEnd(5, ':00')}`) ?? NaN;

/** Numbers of bars, or times, that only rise: a bar that is in the list is one of its kind, and one between two of them is not. */
function chosenIn(members: readonly Member[]): WrittenMoves[] {
  const isLater = (one: Member, next: Member): boolean => next.value > one.value;
  return stretches(members, isLater).flatMap((list): WrittenMoves[] => {
    const unit = list.slice(1).reduce((so, { value }, index) => divisor(so, value - list[index]!.value), 0);
    const rowOf = ({ value }: Member): number => (value - list[0]!.value) / unit;
    const rows = Math.min(MAX_MOVES, rowOf(list.at(-1)!) + 1);
    if (!(unit > 0) || rows > MAX_SPARSE * list.length) return [];
    const bits = new Uint8Array(rows);
    const places = new Float64Array(rows).fill(list[0]!.at);
    for (const member of list) if (rowOf(member) < rows) bits[rowOf(member)] = 1;
    return [{ bits, places }];
  });
}

/** Lengths of rises and falls in turn. */
function runsIn(members: readonly Member[]): WrittenMoves[] {
  const isRun = ({ value }: Member): boolean => value > 0 && value <= MAX_RUN;
  return stretches(members.filter(isRun), () => true).map((list) => {
    const total = list.reduce((sum, { value }) => sum + value, 0);
    const length = Math.min(MAX_MOVES, total);
    const bits = new Uint8Array(length);
    const places = new Float64Array(length);
    let from = 0;
    for (const [run, { value, at }] of list.entries()) {
      if (from >= length) break;
      bits.fill((run + 1) % 2, from, from + value);
      places.fill(at, from, from + value);
      from += value;
    }
    return { bits, places };
  });
}

/** Returns the longest parts, of enough members, in which each member continues the one before. */
function stretches(members: readonly Member[], continues: (one: Member, next: Member) => boolean): (readonly Member[])[] {
  const lists: Member[][] = [];
  let current: Member[] = [];
  for (const member of members) {
    const last = current.at(-1);
    if (last !== undefined && !continues(last, member)) {
      lists.push(current);
      current = [];
    }
    current.push(member);
  }
  return [...lists, current].filter(({ length }) => length >= ENOUGH);
}

/** Returns the greatest common divisor. */
function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** The bits of large numbers, the lowest first and the highest first. */
function largeIn(text: string): WrittenMoves[] {
  let digits = 0;
  return [...text.matchAll(LARGE)].flatMap(({ 0: written, index }): WrittenMoves[] => {
    if (written.length > MAX_DIGITS || digits > MAX_ALL_DIGITS) return [];
    digits += written.length;
    const number = written.replaceAll(/[_n]/g, '');
    // A line of underscores, or a prefix with nothing after them.
    if (number.length < 3) return [];
    const binary = BigInt(number).toString(2);
    const highest = Uint8Array.from(binary, Number);
    const places = new Float64Array(highest.length).fill(index);
    return [
      { bits: highest, places },
      { bits: highest.toReversed(), places },
    ];
  });
}

/** Texts of two kinds of characters, and of values with signs. */
function textsIn(text: string): WrittenMoves[] {
  return [...text.matchAll(TEXT)].flatMap((match): WrittenMoves[] => {
    const moves = (match[1] ?? match[2] ?? match[3] ?? '').slice(0, MAX_MOVES);
    const kinds = ofTwoKinds(
      Array.from(moves, (character) => character),
      match.index,
    );
    if (kinds.length > 0) return kinds;
    if (!SIGNED_LIST.test(moves)) return [];
    const values = moves.match(SIGNED) ?? [];
    return [
      {
        bits: Uint8Array.from(values, (value) => Number(!value.startsWith('-'))),
        places: new Float64Array(values.length).fill(match.index),
      },
    ];
  });
}

function wordsIn(text: string): WrittenMoves[] {
  return [...text.matchAll(WORDS)].flatMap(({ 0: words, index }) => ofTwoKinds(words.match(WORD) ?? [], index));
}

/** Tables that give one of two values with each time or key, as in `"2024-01-01T00:15": "LONG"`. */
function labelledIn(text: string): WrittenMoves[] {
  const writtenMoves: WrittenMoves[] = [];
  let current: Member[] = [];
  // The two values of the current table. A member keeps 1 for the first one, and 0 for the second.
  let first = '';
  let second = '';
  const close = (): void => {
    if (current.length < 2 * ENOUGH || second === '') return;
    const bits = Uint8Array.from(current, ({ value }) => value);
    const places = Float64Array.from(current, ({ at }) => at);
    writtenMoves.push({ bits, places }, { bits: bits.toReversed(), places: places.toReversed() });
  };
  const values = text.replaceAll(LABEL, (label) => ' '.repeat(label.length)).matchAll(VALUE);
  for (const { 0: value, index } of values) {
    if (value !== first && second === '') second = value;
    if (current.length > 0 && value !== first && value !== second) {
      close();
      // The last values of one kind may begin the next table.
      const lastRepetition = current.slice(current.findLastIndex((member) => member.value !== current.at(-1)!.value) + 1);
      first = lastRepetition[0]!.value === 1 ? first : second;
      second = value;
      current = lastRepetition.map(({ at }) => ({ value: 1, at }));
    }
    if (current.length === 0) {
      first = value;
      second = '';
    }
    if (current.length < MAX_MOVES) current.push({ value: Number(value === first), at: index });
  }
  close();
  return writtenMoves;
}

/** Returns a list of exactly two different values as bits, in both directions; no moves for other lists. */
function ofTwoKinds(values: readonly string[], position: number): WrittenMoves[] {
  if (new Set(values).size !== 2) return [];
  const bits = Uint8Array.from(values, (value) => Number(value === values[0]));
  const places = new Float64Array(bits.length).fill(position);
  return [
    { bits, places },
    { bits: bits.toReversed(), places },
  ];
}
