// Tests the command `isobar why`: what it prints for an order and for a bar without a trade, and which questions it rejects.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Explanation } from '../../src/tasks/why/model/explanation.ts';
import { rowsOf, type Row } from '../fixtures/whyRuns.ts';
import { commandInKeptThread } from '../fixtures/inProcess.ts';
import { VerifiedFixture } from '../fixtures/verified.ts';

const fixture = new VerifiedFixture();
let run = '';
let orders: readonly Row[] = [];
const why = (...args: readonly string[]) => commandInKeptThread(fixture.folder, ['why', run, ...args]);

beforeAll(async () => {
  run = join('runs', basename(await fixture.make()));
  orders = rowsOf(join(fixture.folder, run, 'orders.csv'));
});
afterAll(() => fixture.remove());

const timeOf = (ms: string | undefined): string => new Date(Number(ms)).toISOString().slice(0, 16);

describe('the answer', () => {
  test('the answer about an order has its parts in their order, each line within 100 columns', async () => {
    const { code, stdout, stderr } = await why('--order', '2');
    expect([code, stderr]).toEqual([0, '']);
    const headings = [...stdout.matchAll(/^ {2}(\S.*)$/gm)].map(([, head = '']) => head.split(/[:,]/)[0]!);
    const parts = ['Bar', 'Values at its close', 'Conditions', 'Fields', 'Read and asked for', 'Risk', 'Venue'];
    expect(headings.filter((head) => parts.includes(head))).toEqual(parts.filter((part) => headings.includes(part)));
    for (const part of ['Bar', 'Values at its close', 'Conditions', 'Read and asked for', 'Risk', 'Venue'])
      expect(headings).toContain(part);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(stdout).toMatch(/order 2, sell .*: approved, filled .* by rule 4/);
  });

  test('the answer about a bar without a trade names the first operand that prevented each condition', async () => {
    const quietBarMs = Number(orders[1]!['created_ms']) + 3_600_000;
    const { code, stdout } = await why('--at', String(quietBarMs));
    expect(code).toBe(0);
    expect(stdout).toContain('the strategy placed no order at this bar (its last trade was at');
    expect(stdout).toContain('- when 1: crossedUp(sma(close, 5), sma(close, 20)) is false');
    expect(stdout).toContain('- when 2: crossedDown(sma(close, 5), sma(close, 20)) is false');
  });

  test('--json gives the same answer as data, for the time of the decision as text or as ms', async () => {
    const decidedMs = Number(orders[0]!['created_ms']) - 1;
    const { stdout } = await why('--at', String(decidedMs), '--symbol', 'abcusdt', '--json');
    const explanation = JSON.parse(stdout) as Explanation;
    expect(explanation.orders.map(({ order }) => order)).toEqual([1]);
    expect(explanation.strategies[0]).toMatchObject({ noTrade: null, when: [{ fired: true, firstFalse: null }, { fired: false }] });
    const asText = await why('--at', timeOf(String(decidedMs)), '--json');
    expect((JSON.parse(asText.stdout) as Explanation).bar).toEqual(explanation.bar);
  });
});

describe('questions without an answer', () => {
  test.each([
    [[], 'why: expected --at TIME or --order N, got neither'],
    [['--order', '1', '--at', '2024-01-06'], 'why: expected --at TIME or --order N, got both'],
    [['--order', '1', '--symbol', 'ABCUSDT'], '--symbol: expected not to be given with --order'],
    [['--order', 'x'], "--order: expected a whole number from 1, got 'x'"],
    [['--order', '99999'], /^--order 99999: expected a number from 1 to \d+$/],
    [['--at', 'noon'], "--at: expected a UTC time such as 2024-01-01T08:30, or ms since 1970, got 'noon'"],
    [['--at', '2019-01-01'], /^--at 2019-01-01T00:00:00.000Z: expected a time from 2024-01-\S+ to 2024-\S+, the bars of spot:ABCUSDT 1h/],
    [['--at', '2024-01-06', '--symbol', 'XYZ'], '--symbol XYZ: the run has no such symbol'],
  ])('a question with the arguments %j ends with exit code 2, its mistake and a remedy', async (args, message) => {
    const { code, stdout, stderr } = await why(...args);
    expect([code, stdout]).toEqual([2, '']);
    const [firstLine = '', remedy = ''] = stderr.split('\n');
    if (typeof message === 'string') expect(firstLine).toBe(message);
    else expect(firstLine).toMatch(message);
    expect(remedy).toMatch(/^ {2}\S/);
  });

  test('a folder without a run is rejected', async () => {
    const { code, stderr } = await commandInKeptThread(fixture.folder, ['why', 'nowhere', '--order', '1']);
    expect([code, stderr.split('\n')[0]]).toEqual([2, 'nowhere: no such run folder']);
  });

  test('an input that has changed since the run is named, and the run is not repeated', async () => {
    const file = join(fixture.folder, 'strategies', 'cross.ts');
    const before = readFileSync(file, 'utf8');
    fixture.write('strategies/cross.ts', `${before}// changed\n`);
    const { code, stdout, stderr } = await why('--order', '2');
    fixture.write('strategies/cross.ts', before);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('strategies/cross.ts has changed since the run, so the run cannot be repeated');
    expect(stderr).toContain('isobar verify');
  });
});
