// Finds lists in the text of a strategy that may encode upward and downward moves. A list has numbers or times of chosen bars, or lengths
// of runs. It may also have words or signs of two kinds, or be a large number whose bits are the moves.

import { parseTime } from '../../../model/time.ts';

/** Ups and downs that a list may encode. */
export interface WrittenMoves {
  /** 1 for up, 0 for down. */
  readonly bits: Uint8Array;
  /** Position in the text of each move. */
  readonly places: ArrayLike<number>;
}

/** Minimum of members of a list. */
const MIN_MEMBERS = 40;
/** Maximum number of characters that are read. They suffice to find a longer list. */
const MAX_CHARACTERS = 8_000_000;
/** Maximum number of moves that are decoded from one list. */
const MAX_MOVES = 200_000;
/** Maximum number of bars for each bar that a list has chosen. A sparser list proves nothing. */
const MAX_BARS_PER_MEMBER = 16;
/** Maximum length of a run of equal moves. */
const MAX_RUN_LENGTH = 999;
/** Maximum number of digits of one large number, and of all large numbers of a text. */
const MAX_DIGITS = 20_000;
const MAX_ALL_DIGITS = 100_000;

/** Matches the whole numbers of a text. */
const WHOLE_NUMBER = /(?<![\w.-])\d{1,15}(?![\w.])/g;
/** Matches UTC times and dates. */
const TIME_TEXT = /\d{4}-\d\d-\d\d(?:[T ]\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?)?/g;
/** Matches Unix times in s or ms, from 2001 on. */
const UNIX_TIME = /(?<![\w.-])(?:[1-4]\d{9}|[1-4]\d{12})(?![\w.])/g;
/** Matches numbers that hold many bits. */
const LARGE_NUMBER = /(?<![\w.])(?:0x[\da-f_]{20,}|0b[01_]{80,}|[\d_]{25,})n?(?!\w)/gi;
/** Matches long quoted texts. */
const QUOTED_TEXT = /'([^'\\\n]{80,})'|"([^"\\\n]{80,})"|`([^`\\]{80,})`/g;
// A match begins only at the first letter of a word; otherwise the time would grow with the square of the length of a word. It ends after ten
// thousand words, because each word needs a place on the stack of the expression.
const WORD_LIST = /(?<![a-z])(?:[a-z]+[\s,;|'"]+){79,10000}[a-z]+/gi;
const WORD = /[a-z]+/gi;
/** Matches the times and keys of a table, which are not values. */
const LABEL = /\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?|(?<!\w)["'`]?[a-z_]\w{0,40}["'`]?\s{0,3}:|["'`]?\d{1,16}["'`]?\s{0,3}:/gi;
/** Matches the values of a table: words, and numbers that are not times. */
const VALUE = /(?<![\w.])(?:[a-z]+|[+-]?\d{1,8})(?![\w.])/gi;
const SIGNED_VALUE = /[+-]?[\da-z.]+/gi;
/** Matches a text of signed values with separators between them. */
const SIGNED_LIST = /^\s*[+-]?[\da-z.]+(?:[\s,;|]+[+-]?[\da-z.]+){79,}\s*$/i;

/** A number of a list, and its position in the text. A time is a number too. */
export interface WrittenNumber {
  readonly value: number;
  readonly position: number;
}

/** Returns every list in a text that may encode moves. */
export function listsIn(whole: string): WrittenMoves[] {
  const text = whole.slice(0, MAX_CHARACTERS);
  const numbers = [...text.matchAll(WHOLE_NUMBER)].map(({ 0: digits, index }): WrittenNumber => ({
    value: Number(digits),
    position: index,
  }));
  const times = [...text.matchAll(TIME_TEXT)].map(({ 0: time, index }): WrittenNumber => ({ value: timeOf(time), position: index }));
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

/**
 * Returns every list of at least `minMembers` times in a text that only rise: dates, times, and Unix times in s or ms. Each member is a time in ms
 * with its position in the text.
 */
export function timeListsIn(whole: string, minMembers: number): (readonly WrittenNumber[])[] {
  const text = whole.slice(0, MAX_CHARACTERS);
  const times = [...text.matchAll(TIME_TEXT)].map(({ 0: time, index }): WrittenNumber => ({ value: timeOf(time), position: index }));
  const unixTimes = [...text.matchAll(UNIX_TIME)].map(({ 0: digits, index }): WrittenNumber => ({
    value: Number(digits) * (digits.length > 10 ? 1 : 1000),
    position: index,
  }));
  return [times, unixTimes].flatMap((members) => longStretches(members, isLater, minMembers));
}

/** Returns a time in ms, at most to the minute. NaN for an invalid time. */
const timeOf = (text: string): number => {
  const clock = text.slice(11, 16).padEnd(2, '0').padEnd(5, ':00');
  return parseTime(`${text.slice(0, 10)}T${clock}`) ?? NaN;
};

const isLater = (one: WrittenNumber, next: WrittenNumber): boolean => next.value > one.value;

/** Returns the moves of lists whose numbers of bars, or times, only rise: 1 for a bar that is in the list, 0 for a bar between two of them. */
function chosenBarsIn(members: readonly WrittenNumber[]): WrittenMoves[] {
  return longStretches(members, isLater).flatMap((list): WrittenMoves[] => {
    // The distance of two bars, in the unit of the list: the greatest common divisor of all steps.
    const unit = list.slice(1).reduce((divisor, { value }, index) => commonDivisor(divisor, value - list[index]!.value), 0);
    const rowOf = ({ value }: WrittenNumber): number => (value - list[0]!.value) / unit;
    const rows = Math.min(MAX_MOVES, rowOf(list.at(-1)!) + 1);
    if (!(unit > 0) || rows > MAX_BARS_PER_MEMBER * list.length) return [];
    const bits = new Uint8Array(rows);
    const places = new Float64Array(rows).fill(list[0]!.position);
    for (const member of list) if (rowOf(member) < rows) bits[rowOf(member)] = 1;
    return [{ bits, places }];
  });
}

/** Returns the moves of lists that contain the lengths of rises and falls in turn. */
function runLengthsIn(members: readonly WrittenNumber[]): WrittenMoves[] {
  const isRun = ({ value }: WrittenNumber): boolean => value > 0 && value <= MAX_RUN_LENGTH;
  return longStretches(members.filter(isRun), () => true).map((runs) => {
    const moveCount = runs.reduce((sum, { value }) => sum + value, 0);
    const length = Math.min(MAX_MOVES, moveCount);
    const bits = new Uint8Array(length);
    const places = new Float64Array(length);
    let from = 0;
    for (const [runIndex, { value, position }] of runs.entries()) {
      if (from >= length) break;
      bits.fill((runIndex + 1) % 2, from, from + value);
      places.fill(position, from, from + value);
      from += value;
    }
    return { bits, places };
  });
}

/** Returns the longest parts with at least `minMembers` members in which each member continues the one before. */
function longStretches(
  members: readonly WrittenNumber[],
  continues: (one: WrittenNumber, next: WrittenNumber) => boolean,
  minMembers = MIN_MEMBERS,
): (readonly WrittenNumber[])[] {
  const stretches: WrittenNumber[][] = [];
  let stretch: WrittenNumber[] = [];
  for (const member of members) {
    const last = stretch.at(-1);
    if (last !== undefined && !continues(last, member)) {
      stretches.push(stretch);
      stretch = [];
    }
    stretch.push(member);
  }
  return [...stretches, stretch].filter(({ length }) => length >= minMembers);
}

/** Returns the greatest common divisor. */
function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** Returns the bits of large numbers, in both directions. */
function largeNumbersIn(text: string): WrittenMoves[] {
  let digitsOfAll = 0;
  return [...text.matchAll(LARGE_NUMBER)].flatMap(({ 0: literal, index }): WrittenMoves[] => {
    if (literal.length > MAX_DIGITS || digitsOfAll > MAX_ALL_DIGITS) return [];
    digitsOfAll += literal.length;
    const digitText = literal.replaceAll(/[_n]/g, '');
    // The match is only a line of underscores, or a prefix without digits.
    if (digitText.length < 3) return [];
    const binary = BigInt(digitText).toString(2);
    const bitsFromHighest = Uint8Array.from(binary, Number);
    const places = new Float64Array(bitsFromHighest.length).fill(index);
    return [
      { bits: bitsFromHighest, places },
      { bits: bitsFromHighest.toReversed(), places },
    ];
  });
}

/** Returns the moves of quoted texts that have two kinds of characters, or values with signs. */
function quotedTextsIn(text: string): WrittenMoves[] {
  return [...text.matchAll(QUOTED_TEXT)].flatMap((match): WrittenMoves[] => {
    const quoted = (match[1] ?? match[2] ?? match[3] ?? '').slice(0, MAX_MOVES);
    const twoKinds = movesOfTwoKinds(
      Array.from(quoted, (character) => character),
      match.index,
    );
    if (twoKinds.length > 0) return twoKinds;
    if (!SIGNED_LIST.test(quoted)) return [];
    const values = quoted.match(SIGNED_VALUE) ?? [];
    return [
      {
        bits: Uint8Array.from(values, (value) => Number(!value.startsWith('-'))),
        places: new Float64Array(values.length).fill(match.index),
      },
    ];
  });
}

/** Returns the moves of lists of words of two kinds. */
function wordsIn(text: string): WrittenMoves[] {
  return [...text.matchAll(WORD_LIST)].flatMap(({ 0: words, index }) => movesOfTwoKinds(words.match(WORD) ?? [], index));
}

/** Returns the moves of tables with one of two values for each time or key, as in `"2024-01-01T00:15": "LONG"`. */
function labelledValuesIn(text: string): WrittenMoves[] {
  const writtenMoves: WrittenMoves[] = [];
  let table: WrittenNumber[] = [];
  // The two values of the current table. A member keeps 1 for the first one, and 0 for the second.
  let firstValue = '';
  let secondValue = '';
  const closeTable = (): void => {
    if (table.length < 2 * MIN_MEMBERS || secondValue === '') return;
    const bits = Uint8Array.from(table, ({ value }) => value);
    const places = Float64Array.from(table, ({ position }) => position);
    writtenMoves.push({ bits, places }, { bits: bits.toReversed(), places: places.toReversed() });
  };
  const values = text.replaceAll(LABEL, (label) => ' '.repeat(label.length)).matchAll(VALUE);
  for (const { 0: value, index } of values) {
    if (value !== firstValue && secondValue === '') secondValue = value;
    if (table.length > 0 && value !== firstValue && value !== secondValue) {
      closeTable();
      // The last values of one kind may begin the next table.
      const lastRepetition = table.slice(table.findLastIndex((member) => member.value !== table.at(-1)!.value) + 1);
      firstValue = lastRepetition[0]!.value === 1 ? firstValue : secondValue;
      secondValue = value;
      table = lastRepetition.map(({ position }) => ({ value: 1, position }));
    }
    if (table.length === 0) {
      firstValue = value;
      secondValue = '';
    }
    if (table.length < MAX_MOVES) table.push({ value: Number(value === firstValue), position: index });
  }
  closeTable();
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
