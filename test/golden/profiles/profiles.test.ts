// The figures of each profile against those of the real tools, which figures.py computed from the same inputs (docs/profiles.md).

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { originalValue, type ProfileFigure } from '../../../src/report/profiles/figures/figure.ts';
import type { ProfileInput } from '../../../src/report/profiles/figures/input.ts';
import { PROFILE_NAMES, type ProfileName } from '../../../src/report/profiles/names.ts';
import { profileOf, PROFILES } from '../../../src/report/profiles/profile.ts';
import { DRAWN } from './drawn.ts';
import { RUNS, runOf } from './runs.ts';

type Stored = number | string;
type StoredFigures = Readonly<Record<string, Stored>>;
interface Golden {
  readonly versions: Readonly<Record<string, string>>;
  readonly runs: Readonly<Record<string, StoredFigures>>;
}

const HERE = new URL('.', import.meta.url);
const NAMES = [...Object.keys(RUNS), ...Object.keys(DRAWN)];
const TOLERANCE = 1e-9;
/** What two sums of the same numbers in another order leave of 0, squared: the beta of an equity whose returns are all equal. */
const NOISE = 1e-30;

const inputFile = (name: string) => new URL(`inputs/${name}.json`, HERE);
const goldenOf = (tool: string) => JSON.parse(readFileSync(new URL(`figures/${tool}.json`, HERE), 'utf8')) as Golden;
/** JSON of columns; NaN becomes null. */
const jsonOf = (input: ProfileInput) =>
  JSON.stringify(input, (_, value: unknown) => (ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value));

/** Reads a stored input back into columns. */
function storedInput(name: string): ProfileInput {
  const columns = (_: string, value: unknown) =>
    Array.isArray(value) ? Float64Array.from(value as (number | null)[], (cell) => cell ?? NaN) : value;
  const input = JSON.parse(readFileSync(inputFile(name), 'utf8'), columns) as ProfileInput;
  return { ...input, trades: { ...input.trades, isShort: Uint8Array.from(input.trades.isShort) } };
}

test.each(Object.keys(RUNS))('the stored input of %s is that of its run (ISOBAR_UPDATE=1 writes it)', async (name) => {
  const { input } = await runOf(name);
  storeOnRequest(name, input);
  expect(JSON.parse(jsonOf(input))).toEqual(JSON.parse(readFileSync(inputFile(name), 'utf8')));
});

test.each(Object.keys(RUNS))('%s: each of our figures is that of the summary, or null with a reason', async (name) => {
  const { result, input } = await runOf(name);
  for (const tool of PROFILE_NAMES) {
    const { figures } = profileOf(tool, input, result.summary);
    expect(figures.length).toBeGreaterThan(14);
    expect(figures.flatMap((figure) => contradictions(figure, result.summary))).toEqual([]);
  }
});

/** Returns what is wrong with a figure: a null without a reason, a number with one, a place that is not there, a wrong `equal`. */
function contradictions(figure: ProfileFigure, summary: unknown): string[] {
  const { name, original, corrected, reason, equal, isobar, formula, differs } = figure;
  const found: string[] = [];
  if ((corrected === null) !== (reason !== null)) found.push(`${name}: ${corrected} with the reason ${reason}`);
  if (corrected !== null && !Number.isFinite(corrected)) found.push(`${name}: ${corrected}`);
  if (formula === '' || differs === '') found.push(`${name}: without a definition`);
  if (equal !== (typeof original === 'number' && corrected !== null && isEqual(corrected, original)))
    found.push(`${name}: equal is ${equal}`);
  if (isobar === null) return found;
  const at = isobar
    .split('.')
    .reduce<unknown>((of, key) => (typeof of === 'object' && of !== null ? Reflect.get(of, key) : undefined), summary);
  if (at === undefined) found.push(`${name}: there is no ${isobar}`);
  if ((at === null) !== (corrected === null)) found.push(`${name}: ${isobar} is ${String(at)}, shown is ${corrected}`);
  return found;
}

test.each(Object.keys(DRAWN))('the stored input of %s is the drawn one (ISOBAR_UPDATE=1 writes it)', (name) => {
  const input = DRAWN[name]!();
  storeOnRequest(name, input);
  expect(JSON.parse(jsonOf(input))).toEqual(JSON.parse(readFileSync(inputFile(name), 'utf8')));
});

function storeOnRequest(name: string, input: ProfileInput): void {
  if (process.env['ISOBAR_UPDATE'] === '1') writeFileSync(inputFile(name), `${jsonOf(input)}\n`);
  expect(existsSync(inputFile(name)), `there is no ${name}.json: ISOBAR_UPDATE=1 writes it`).toBe(true);
}

test('there is an input for each run, and no other', () => {
  const files = readdirSync(new URL('inputs', HERE)).map((file) => file.replace('.json', ''));
  expect(files.toSorted()).toEqual(NAMES.toSorted());
});

test.each(PROFILE_NAMES)('%s: its version is the one of the golden figures', (tool) => {
  const { packageName, version } = PROFILES[tool];
  expect(goldenOf(tool).versions[packageName]).toBe(version);
});

test.each(PROFILE_NAMES.flatMap((tool) => NAMES.map((name) => [tool, name] as const)))('%s, %s: equal to 1e-9', (tool, name) => {
  expect(differences(tool, name)).toEqual([]);
});

/** Returns one line for each figure that differs or that only one side has. */
function differences(tool: ProfileName, name: string): string[] {
  const wanted = goldenOf(tool).runs[name] ?? {};
  const found = new Map(PROFILES[tool].figures(storedInput(name)).map((figure) => [figure.name, originalValue(figure.original)]));
  const names = new Set([...Object.keys(wanted), ...found.keys()]);
  return [...names].flatMap((figure) => {
    const [is, want] = [found.get(figure), wanted[figure]];
    return is !== undefined && want !== undefined && isEqual(is, want) ? [] : [`${figure}: expected ${want}, got ${is}`];
  });
}

function isEqual(is: Stored, want: Stored): boolean {
  if (typeof is === 'string' || typeof want === 'string') return is === want;
  return is === want || Math.abs(is - want) <= Math.max(TOLERANCE * Math.abs(want), NOISE);
}
