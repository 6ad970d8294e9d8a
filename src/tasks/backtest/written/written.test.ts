// Lists in the text of a strategy that hold the moves, or chosen prices, of the run's bars.

import { describe, expect, test } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import { emptyBars } from '../../../../test/fixtures/syntheticBars.ts';
import { chosenPricesIn } from './chosenPrices.ts';
import { listsIn } from './lists.ts';

const rng = seededRng(5);
const MOVES = Array.from({ length: 400 }, () => rng.next() > 0.5);
const rowsOf = (isUp: boolean): number[] => MOVES.flatMap((each, row) => (each === isUp ? [row] : []));
const text = (bits: ArrayLike<number>): string => Array.from(bits, String).join('');
const WANTED = text(MOVES.map(Number)).slice(100, 250);
const holds = (written: string, wanted = WANTED): boolean => listsIn(written).some(({ bits }) => text(bits).includes(wanted));
const INVERTED = WANTED.replaceAll(/./g, (bit) => (bit === '1' ? '0' : '1'));
const timeOf = (row: number, length: number): string => `'${new Date(1_700_000_000_000 + row * 900_000).toISOString().slice(0, length)}'`;

function runs(): number[] {
  const lengths: number[] = [];
  for (const [at, isUp] of MOVES.entries()) {
    if (at > 0 && isUp === MOVES[at - 1]) lengths[lengths.length - 1]!++;
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
        .map((row) => timeOf(row, 16))
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
      `0x1${BigInt(`0b${text(MOVES.map(Number))}`)
        .toString(16)
        .padStart(100, '0')}n`,
    ],
    ['a large number, the lowest bit first', `${BigInt(`0b1${text(MOVES.map(Number).toReversed())}`)}n`],
    ['words', `[${MOVES.map((isUp) => `'${isUp ? 'rise' : 'fall'}'`).join(', ')}]`],
    ['characters', `'${MOVES.map((isUp) => (isUp ? '^' : 'v')).join('')}'`],
    ['signed words', `'${MOVES.map((isUp) => (isUp ? 'a3' : '-k')).join(' ')}'`],
  ])('listsIn finds %s', (_, written) => {
    expect(holds(written) || holds(written, INVERTED)).toBe(true);
  });

  // Each of these took minutes, or more memory than there is: the time grew with the square of the length, or with the sum of the numbers.
  test.each([
    ['a long word', 'a'.repeat(2_000_000)],
    ['many small numbers', Array.from({ length: 500_000 }, (_, at) => 1 + ((at * 7919) % 900)).join(',')],
    ['many large numbers', `0x${'a'.repeat(19_000)}n,`.repeat(100)],
    ['many times', `'2024-01-01T00:00',`.repeat(100_000)],
    ['words that are just too few', `${'ab '.repeat(77)}. `.repeat(10_000)],
    ['quotes', "'".repeat(2_000_000)],
    ['lines of underscores', `// ${'_'.repeat(90)}\n 0x${'_'.repeat(90)} 0b${'_'.repeat(90)}n\n`],
    ['times that are none', `'2024-99-99T99:99',`.repeat(100)],
    ['many words', 'up down up '.repeat(300_000)],
    ['a long text', `'${'x'.repeat(4_000_000)}'`],
    ['signed words with a bad end', `'${'1 '.repeat(1_000_000)}!'`],
  ])('listsIn reads %s in a few seconds of CPU', (_, written) => {
    const before = process.cpuUsage();
    listsIn(written);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(20);
  });

  test('listsIn finds lengths of rises and falls in turn', () => {
    const written = `[${runs().join(', ')}]`;
    expect(holds(written) || holds(written, INVERTED)).toBe(true);
  });

  test('listsIn finds falls by their rows, with the other sign', () => {
    expect(holds(rowsOf(false).join(','), INVERTED)).toBe(true);
  });

  test.each([
    ['few numbers', '[1, 2, 3, 5, 8]'],
    ['numbers that are far apart', Array.from({ length: 60 }, (_, at) => String(at * at * 1000)).join(', ')],
    ['code', 'const a = b + c; '.repeat(200)],
  ])('listsIn finds nothing in %s', (_, written) => {
    expect(holds(written) || holds(written, INVERTED)).toBe(false);
  });

  test('listsIn takes time that grows with the text', () => {
    const before = process.cpuUsage().user;
    listsIn(`'${'word '.repeat(40_000)}-' ${'a,'.repeat(40_000)} ${'7 '.repeat(40_000)}`);
    expect(process.cpuUsage().user - before).toBeLessThan(1_500_000);
  });
});

describe('chosenPricesIn', () => {
  const closes = Array.from({ length: 2000 }, () => Math.round((20_000 + 5000 * rng.next()) * 100) / 100);
  const bars = { ...emptyBars(closes.length), close: Float64Array.from(closes) };
  const daily = closes.filter((_, row) => row % 96 === 95);

  test('chosenPricesIn finds a price of each day, alone and in a column of a table', () => {
    expect(chosenPricesIn(bars, Float64Array.from(daily))).toMatchObject({ at: 0 });
    expect(chosenPricesIn(bars, Float64Array.from(daily.flatMap((close, day) => [2024, 1, day, close])))).toMatchObject({ at: 3 });
  });

  test('chosenPricesIn takes levels in a row, and prices in another order, for none', () => {
    expect(chosenPricesIn(bars, Float64Array.from(daily.toSorted((a, b) => a - b)))).toBeNull();
    expect(chosenPricesIn(bars, Float64Array.from(daily.toReversed()))).toBeNull();
    expect(
      chosenPricesIn(
        bars,
        Float64Array.from({ length: 300 }, () => Math.round(rng.next() * 3_000_000) / 100),
      ),
    ).toBeNull();
  });
});
