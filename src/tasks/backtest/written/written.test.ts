// Tests the search for lists in the text of a strategy that hold the moves, or chosen prices, of the run's bars.

import { describe, expect, test } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import { emptyBars } from '../../../../test/fixtures/syntheticBars.ts';
import { chosenPricesIn } from './chosenPrices.ts';
import { listsIn } from './writtenLists.ts';

const rng = seededRng(5);
/** Whether the price rises at each row. As a bit text, 1 is a rise and 0 a fall. */
const MOVES = Array.from({ length: 400 }, () => rng.next() > 0.5);

/** Returns the numbers of the rows at which the price rises, or falls. */
const rowsOf = (isUp: boolean): number[] => MOVES.flatMap((isUpAtRow, row) => (isUpAtRow === isUp ? [row] : []));
const bitText = (bits: ArrayLike<number>): string => Array.from(bits, String).join('');
const MOVE_BITS = bitText(MOVES.map(Number)).slice(100, 250);
const containsMoves = (sourceText: string, expectedBits = MOVE_BITS): boolean =>
  listsIn(sourceText).some(({ bits }) => bitText(bits).includes(expectedBits));
const INVERTED_BITS = MOVE_BITS.replaceAll(/./g, (bit) => (bit === '1' ? '0' : '1'));
const quotedTimeOf = (row: number, length: number): string =>
  `'${new Date(1_700_000_000_000 + row * 900_000).toISOString().slice(0, length)}'`;

/** Returns the lengths of the runs of equal moves. */
function runLengths(): number[] {
  const lengths: number[] = [];
  for (const [row, isUp] of MOVES.entries()) {
    if (row > 0 && isUp === MOVES[row - 1]) lengths[lengths.length - 1]!++;
    else lengths.push(1);
  }
  return lengths;
}

describe('listsIn', () => {
  test.each([
    ['numbers of rows', `new Set([${rowsOf(true).join(', ')}])`],
    [
      'times of rows',
      `[${rowsOf(true)
        .map((row) => quotedTimeOf(row, 16))
        .join(', ')}]`,
    ],
    [
      'milliseconds of rows',
      `[${rowsOf(true)
        .map((row) => String(1_700_000_000_000 + row * 60_000))
        .join(',')}]`,
    ],
    [
      'a large number, the highest bit first',
      `0x1${BigInt(`0b${bitText(MOVES.map(Number))}`)
        .toString(16)
        .padStart(100, '0')}n`,
    ],
    ['a large number, the lowest bit first', `${BigInt(`0b1${bitText(MOVES.map(Number).toReversed())}`)}n`],
    ['words', `[${MOVES.map((isUp) => `'${isUp ? 'rise' : 'fall'}'`).join(', ')}]`],
    [
      'words beside times',
      `{ ${MOVES.map((isUp, row) => `"${quotedTimeOf(row, 16).slice(1, -1)}": "${isUp ? 'LONG' : 'FLAT'}"`).join(', ')} }`,
    ],
    [
      'numbers beside milliseconds, after other words',
      `const held = { ${MOVES.map((isUp, row) => `'${1_700_000_000_000 + row * 60_000}': ${isUp ? 1 : -1}`).join(', ')} };`,
    ],
    [
      'words of rows',
      `[${MOVES.map((isUp, row) => `{ t: ${1_700_000_000_000 + row * 60_000}, s: '${isUp ? 'LONG' : 'OUT'}' }`).join(', ')}]`,
    ],
    ['lines of times and words', MOVES.map((isUp, row) => `${quotedTimeOf(row, 24).slice(1, -1)},${isUp ? 'true' : 'false'}`).join('\n')],
    ['characters', `'${MOVES.map((isUp) => (isUp ? '^' : 'v')).join('')}'`],
    ['signed words', `'${MOVES.map((isUp) => (isUp ? 'a3' : '-k')).join(' ')}'`],
  ])('listsIn finds the moves in %s', (_, sourceText) => {
    expect(containsMoves(sourceText) || containsMoves(sourceText, INVERTED_BITS)).toBe(true);
  });

  // These texts need much time or memory if the search grows with the square of the length, or with the sum of the numbers.
  test.each([
    ['a long word', 'a'.repeat(2_000_000)],
    ['many small numbers', Array.from({ length: 500_000 }, (_, index) => 1 + ((index * 7919) % 900)).join(',')],
    ['many large numbers', `0x${'a'.repeat(19_000)}n,`.repeat(100)],
    ['many times', `'2024-01-01T00:00',`.repeat(100_000)],
    ['sentences with too few words for a list', `${'ab '.repeat(77)}. `.repeat(10_000)],
    ['quotes', "'".repeat(2_000_000)],
    ['lines of underscores', `// ${'_'.repeat(90)}\n 0x${'_'.repeat(90)} 0b${'_'.repeat(90)}n\n`],
    ['invalid times', `'2024-99-99T99:99',`.repeat(100)],
    ['many words', 'up down up '.repeat(300_000)],
    ['a long text', `'${'x'.repeat(4_000_000)}'`],
    ['signed words with a bad end', `'${'1 '.repeat(1_000_000)}!'`],
  ])('listsIn reads %s in less than 20 s of CPU', (_, sourceText) => {
    const cpuBefore = process.cpuUsage();
    listsIn(sourceText);
    const { user, system } = process.cpuUsage(cpuBefore);
    expect((user + system) / 1e6).toBeLessThan(20);
  });

  test('listsIn finds the alternating lengths of rises and falls', () => {
    const sourceText = `[${runLengths().join(', ')}]`;
    expect(containsMoves(sourceText) || containsMoves(sourceText, INVERTED_BITS)).toBe(true);
  });

  test('listsIn finds the rows of falls as the inverted moves', () => {
    expect(containsMoves(rowsOf(false).join(','), INVERTED_BITS)).toBe(true);
  });

  test.each([
    ['few numbers', '[1, 2, 3, 5, 8]'],
    ['numbers that are far apart', Array.from({ length: 60 }, (_, index) => String(index * index * 1000)).join(', ')],
    ['code', 'const a = b + c; '.repeat(200)],
  ])('listsIn finds nothing in %s', (_, sourceText) => {
    expect(containsMoves(sourceText) || containsMoves(sourceText, INVERTED_BITS)).toBe(false);
  });

  test('listsIn reads 240,000 characters in less than 1.5 s of CPU', () => {
    const cpuBefore = process.cpuUsage().user;
    listsIn(`'${'word '.repeat(40_000)}-' ${'a,'.repeat(40_000)} ${'7 '.repeat(40_000)}`);
    expect(process.cpuUsage().user - cpuBefore).toBeLessThan(1_500_000);
  });
});

describe('chosenPricesIn', () => {
  const closes = Array.from({ length: 2000 }, () => Math.round((20_000 + 5000 * rng.next()) * 100) / 100);
  const bars = { ...emptyBars(closes.length), close: Float64Array.from(closes) };
  const dailyCloses = closes.filter((_, row) => row % 96 === 95);

  test('chosenPricesIn finds a price of each day, alone and in a column of a table', () => {
    expect(chosenPricesIn(bars, Float64Array.from(dailyCloses))).toMatchObject({ index: 0 });
    expect(chosenPricesIn(bars, Float64Array.from(dailyCloses.flatMap((close, day) => [2024, 1, day, close])))).toMatchObject({ index: 3 });
  });

  test('chosenPricesIn finds no chosen prices in sorted levels, in reversed prices and in random prices', () => {
    expect(chosenPricesIn(bars, Float64Array.from(dailyCloses.toSorted((a, b) => a - b)))).toBeNull();
    expect(chosenPricesIn(bars, Float64Array.from(dailyCloses.toReversed()))).toBeNull();
    expect(
      chosenPricesIn(
        bars,
        Float64Array.from({ length: 300 }, () => Math.round(rng.next() * 3_000_000) / 100),
      ),
    ).toBeNull();
  });
});
