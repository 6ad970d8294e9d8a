// Finds lists in the text of a strategy that may encode ups and downs: numbers or times of chosen bars, lengths of runs, words and signs of two
// kinds, and large numbers whose bits are the moves.

import { parseTime } from '../../../model/time.ts';

/** Ups and downs that a list may encode, and the position of each in the text. */
export interface WrittenMoves {
  readonly bits: Uint8Array;
  readonly places: ArrayLike<number>;
}

/** Minimum of members of a list. */
const MIN_MEMBERS = 40;
/** Maximum of characters that are read. They suffice to find a longer list. */
const MAX_CHARACTERS = 8_000_000;
/** Maximum of moves that are decoded from one list. */
const MAX_MOVES = 200_000;
/** Maximum number of bars for each bar that a list has chosen. A sparser list proves nothing. */
const MAX_BARS_PER_MEMBER = 16;
/** Maximum length of a run of equal moves. */
const MAX_RUN_LENGTH = 999;
/** Maximum of digits of one large number, and of all large numbers of a text. */
const MAX_DIGITS = 20_000;
const MAX_ALL_DIGITS = 100_000;

const WHOLE = /(?<![\w.-])\d{1,15}(?![\w.])/g;
const TIME = /\d{4}-\d\d-\d\d(?:[T ]\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?)?/g;
const LARGE = /(?<![\w.])(?:0x[\da-f_]{20,}|0b[01_]{80,}|[\d_]{25,})n?(?!\w)/gi;
const TEXT = /'([^'\\\n]{80,})'|"([^"\\\n]{80,})"|`([^`\\]{80,})`/g;
// A match begins only at the first letter of a word; otherwise the time would grow with the square of the length of a word. It ends after ten
// thousand words, because each word needs a place on the stack of the expression.
const WORDS = /(?<![a-z])(?:[a-z]+[\s,;|'"]+){79,10000}[a-z]+/gi;
const WORD = /[a-z]+/gi;
/** Matches the times and keys of a table, which are not values. */
const LABEL = /\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?|(?<!\w)["'`]?[a-z_]\w{0,40}["'`]?\s{0,3}:|["'`]?\d{1,16}["'`]?\s{0,3}:/gi;
/** Matches the values of a table: words, and numbers that are not times. */
const VALUE = /(?<![\w.])(?:[a-z]+|[+-]?\d{1,8})(?![\w.])/gi;
const SIGNED = /[+-]?[\da-z.]+/gi;
/** Matches a text of signed values with separators between them. */
const SIGNED_LIST = /^\s*[+-]?[\da-z.]+(?:[\s,;|]+[+-]?[\da-z.]+){79,}\s*$/i;

/** A member of a list, and its position in the text. */
interface Member {
  readonly value: number;
  readonly at: number;
}

/** Returns every list in a text that may encode moves. */
export function listsIn(whole: string): WrittenMoves[] {
  const text = whole.slice(0, MAX_CHARACTERS);
  const numbers = [...text.matchAll(WHOLE)].map(({ 0: digits, index }): Member => ({ value: Number(digits), at: index }));
  const times = [...text.matchAll(TIME)].map(({ 0: time, index }): Member => ({ value: timeOf(time), at: index }));
  return [
    ...runLengthsIn(numbers),
    ...chosenBarsIn(numbers),
    ...chosenBarsIn(times),
    ...largeNumbersIn(text),
    ...quotedTextsIn(text),
    ...wordsIn(text),
    ...labelledValuesIn(text),
  ];
}

const timeOf = (text: string): number => parseTime(`${text.slice(0, 10)}T${text.slice(11, 16).padEnd(2, '0').padEnd(5, ':00')}`) ?? NaN;

/** Returns the moves of lists whose numbers of bars, or times, only rise: 1 for a bar that is in the list, 0 for a bar between two of them. */
function chosenBarsIn(members: readonly Member[]): WrittenMoves[] {
  const isLater = (one: Member, next: Member): boolean => next.value > one.value;
  return longStretches(members, isLater).flatMap((list): WrittenMoves[] => {
    const unit = list.slice(1).reduce((divisor, { value }, index) => commonDivisor(divisor, value - list[index]!.value), 0);
    const rowOf = ({ value }: Member): number => (value - list[0]!.value) / unit;
    const rows = Math.min(MAX_MOVES, rowOf(list.at(-1)!) + 1);
    if (!(unit > 0) || rows > MAX_BARS_PER_MEMBER * list.length) return [];
    const bits = new Uint8Array(rows);
    const places = new Float64Array(rows).fill(list[0]!.at);
    for (const member of list) if (rowOf(member) < rows) bits[rowOf(member)] = 1;
    return [{ bits, places }];
  });
}

/** Returns the moves of lists that contain the lengths of rises and falls in turn. */
function runLengthsIn(members: readonly Member[]): WrittenMoves[] {
  const isRun = ({ value }: Member): boolean => value > 0 && value <= MAX_RUN_LENGTH;
  return longStretches(members.filter(isRun), () => true).map((list) => {
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

/** Returns the longest parts with at least MIN_MEMBERS members in which each member continues the one before. */
function longStretches(members: readonly Member[], continues: (one: Member, next: Member) => boolean): (readonly Member[])[] {
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
  return [...lists, current].filter(({ length }) => length >= MIN_MEMBERS);
}

/** Returns the greatest common divisor. */
function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** Returns the bits of large numbers, in both directions. */
function largeNumbersIn(text: string): WrittenMoves[] {
  let digits = 0;
  return [...text.matchAll(LARGE)].flatMap(({ 0: written, index }): WrittenMoves[] => {
    if (written.length > MAX_DIGITS || digits > MAX_ALL_DIGITS) return [];
    digits += written.length;
    const number = written.replaceAll(/[_n]/g, '');
    // The match is only a line of underscores, or a prefix without digits.
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

/** Returns the moves of quoted texts that have two kinds of characters, or values with signs. */
function quotedTextsIn(text: string): WrittenMoves[] {
  return [...text.matchAll(TEXT)].flatMap((match): WrittenMoves[] => {
    const moves = (match[1] ?? match[2] ?? match[3] ?? '').slice(0, MAX_MOVES);
    const kinds = movesOfTwoKinds(
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
  return [...text.matchAll(WORDS)].flatMap(({ 0: words, index }) => movesOfTwoKinds(words.match(WORD) ?? [], index));
}

/** Returns the moves of tables with one of two values for each time or key, as in `"2024-01-01T00:15": "LONG"`. */
function labelledValuesIn(text: string): WrittenMoves[] {
  const writtenMoves: WrittenMoves[] = [];
  let current: Member[] = [];
  // The two values of the current table. A member keeps 1 for the first one, and 0 for the second.
  let first = '';
  let second = '';
  const close = (): void => {
    if (current.length < 2 * MIN_MEMBERS || second === '') return;
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
function movesOfTwoKinds(values: readonly string[], position: number): WrittenMoves[] {
  if (new Set(values).size !== 2) return [];
  const bits = Uint8Array.from(values, (value) => Number(value === values[0]));
  const places = new Float64Array(bits.length).fill(position);
  return [
    { bits, places },
    { bits: bits.toReversed(), places },
  ];
}
