// Tests the figures of each profile against those of the real tool, which figures.py computed from the same inputs (docs/profiles.md).

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { originalValue, type ProfileFigure } from '../../../src/report/profiles/figures/figure.ts';
import type { ProfileInput } from '../../../src/report/profiles/figures/profileInput.ts';
import { PROFILE_NAMES, type ProfileName } from '../../../src/report/profiles/names.ts';
import { figureProfileOf, FIGURE_PROFILES } from '../../../src/report/profiles/profile.ts';
import { DRAWN } from './drawn.ts';
import { RUNS, runOf } from './runs.ts';

type StoredFigure = number | string;
type StoredFigures = Readonly<Record<string, StoredFigure>>;
/** The figures of a real tool for every input, with the versions of the packages that computed them. */
interface GoldenFigures {
  readonly versions: Readonly<Record<string, string>>;
  readonly runs: Readonly<Record<string, StoredFigures>>;
}

const PROFILES_FOLDER = new URL('.', import.meta.url);
const INPUT_NAMES = [...Object.keys(RUNS), ...Object.keys(DRAWN)];
/** Largest relative difference of two figures. */
const TOLERANCE = 1e-9;
/** Largest absolute difference. Equal returns have a beta of 0, and the order of summation leaves a remainder. */
const MAX_REMAINDER = 1e-30;

const inputFile = (name: string) => new URL(`inputs/${name}.json`, PROFILES_FOLDER);
const goldenOf = (tool: string) => JSON.parse(readFileSync(new URL(`figures/${tool}.json`, PROFILES_FOLDER), 'utf8')) as GoldenFigures;
/** Returns an input as JSON. NaN becomes null. */
const jsonOf = (input: ProfileInput) =>
  JSON.stringify(input, (_, value: unknown) => (ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value));

/** Reads a stored input back into columns. */
function storedInput(name: string): ProfileInput {
  const columns = (_: string, value: unknown) =>
    Array.isArray(value) ? Float64Array.from(value as (number | null)[], (cell) => cell ?? NaN) : value;
  const input = JSON.parse(readFileSync(inputFile(name), 'utf8'), columns) as ProfileInput;
  return { ...input, trades: { ...input.trades, isShort: Uint8Array.from(input.trades.isShort) } };
}

test.each(Object.keys(RUNS))('the stored input of the run %s is that of its run (ISOBAR_UPDATE=1 writes it)', async (name) => {
  const { input } = await runOf(name);
  storeOnRequest(name, input);
  expect(JSON.parse(jsonOf(input))).toEqual(JSON.parse(readFileSync(inputFile(name), 'utf8')));
});

test.each(Object.keys(RUNS))('every corrected figure of the run %s is that of its summary, or null with a reason', async (name) => {
  const { result, input } = await runOf(name);
  for (const tool of PROFILE_NAMES) {
    const { figures } = figureProfileOf(tool, input, result.summary);
    expect(figures.length).toBeGreaterThan(14);
    expect(figures.flatMap((figure) => contradictions(figure, result.summary))).toEqual([]);
  }
});

/** Returns the faults of a figure: a null without a reason, a number with one, an unknown place, or a wrong `equal`. */
function contradictions(figure: ProfileFigure, summary: unknown): string[] {
  const { name, original, corrected, reason, equal, isobar, formula, differs } = figure;
  const faults: string[] = [];
  if ((corrected === null) !== (reason !== null)) faults.push(`${name}: ${corrected} with the reason ${reason}`);
  if (corrected !== null && !Number.isFinite(corrected)) faults.push(`${name}: ${corrected}`);
  if (formula === '' || differs === '') faults.push(`${name}: without a definition`);
  if (equal !== (typeof original === 'number' && corrected !== null && isEqual(corrected, original)))
    faults.push(`${name}: equal is ${equal}`);
  if (isobar === null) return faults;
  const summaryValue = isobar
    .split('.')
    .reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined), summary);
  if (summaryValue === undefined) faults.push(`${name}: there is no ${isobar}`);
  if ((summaryValue === null) !== (corrected === null)) faults.push(`${name}: ${isobar} is ${String(summaryValue)}, shown is ${corrected}`);
  return faults;
}

test.each(Object.keys(DRAWN))('the stored input of %s is the drawn one (ISOBAR_UPDATE=1 writes it)', (name) => {
  const input = DRAWN[name]!();
  storeOnRequest(name, input);
  expect(JSON.parse(jsonOf(input))).toEqual(JSON.parse(readFileSync(inputFile(name), 'utf8')));
});

/** Writes the input if ISOBAR_UPDATE=1, and expects that it is stored. */
function storeOnRequest(name: string, input: ProfileInput): void {
  if (process.env['ISOBAR_UPDATE'] === '1') writeFileSync(inputFile(name), `${jsonOf(input)}\n`);
  expect(existsSync(inputFile(name)), `there is no ${name}.json: ISOBAR_UPDATE=1 writes it`).toBe(true);
}

test('each run and each drawn input has a stored input, and there is no other', () => {
  const files = readdirSync(new URL('inputs', PROFILES_FOLDER)).map((file) => file.replace('.json', ''));
  expect(files.toSorted()).toEqual(INPUT_NAMES.toSorted());
});

test.each(PROFILE_NAMES)('the profile %s has the version of its golden figures', (tool) => {
  const { packageName, version } = FIGURE_PROFILES[tool];
  expect(goldenOf(tool).versions[packageName]).toBe(version);
});

test.each(PROFILE_NAMES.flatMap((tool) => INPUT_NAMES.map((name) => [tool, name] as const)))(
  'the figures of the profile %s for the input %s equal those of the real tool to 1e-9',
  (tool, name) => {
    expect(differences(tool, name)).toEqual([]);
  },
);

/** Returns one line for each figure that differs or that only one side has. */
function differences(tool: ProfileName, name: string): string[] {
  const expectedFigures = goldenOf(tool).runs[name] ?? {};
  const actualFigures = new Map(
    FIGURE_PROFILES[tool].figures(storedInput(name)).map((figure) => [figure.name, originalValue(figure.original)]),
  );
  const names = new Set([...Object.keys(expectedFigures), ...actualFigures.keys()]);
  return [...names].flatMap((figure) => {
    const actual = actualFigures.get(figure);
    const expected = expectedFigures[figure];
    const isSame = actual !== undefined && expected !== undefined && isEqual(actual, expected);
    return isSame ? [] : [`${figure}: expected ${expected}, got ${actual}`];
  });
}

/** True when two figures are equal within TOLERANCE or MAX_REMAINDER. */
function isEqual(actual: StoredFigure, expected: StoredFigure): boolean {
  if (typeof actual === 'string' || typeof expected === 'string') return actual === expected;
  return actual === expected || Math.abs(actual - expected) <= Math.max(TOLERANCE * Math.abs(expected), MAX_REMAINDER);
}
