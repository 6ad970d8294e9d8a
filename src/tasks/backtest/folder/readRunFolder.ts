// Reads a run folder: its manifest, summary, definition and equity, all validated.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { readInputFile } from '../../../adapters/disk/regularFile.ts';
import { parse } from 'yaml';
import { z } from 'zod';
import { withArrowFile } from '../../../adapters/catalog/arrow/arrowReader.ts';
import { ConfigError } from '../../../base/errors.ts';
import { shellWord } from '../../../base/text/shellWord.ts';
import { FEED_FORM, parseFeedInterval, type Interval } from '../../../model/interval.ts';
import { PROOFS, type RunProof } from '../../../model/run/proof.ts';
import type { Summary } from '../../../report/summary/summary.ts';
import type { Manifest } from './writeRunFolder.ts';
import { displayPath } from '../../../definition/text/paths.ts';

/** Files of every run folder. If some are missing, the run was not written completely. */
const RUN_FILES = [
  'manifest.json',
  'definition.yaml',
  'summary.json',
  'orders.csv',
  'fills.csv',
  'trades.csv',
  'equity.arrow',
  'report.html',
];
/** Format of the manifest. */
const FORMAT = 'isobar run 1';

/** A run folder that has been opened. */
export interface StoredRun {
  /** The path as the user gave it. */
  readonly folder: string;
  /** The last part of `folder`. */
  readonly name: string;
  readonly manifest: Manifest;
}

/** Opens a run folder by its manifest. Throws ConfigError for a folder without a run, an incomplete one, or one of another format. */
export function openRun(folder: string): StoredRun {
  const stats = existsSync(folder) ? statSync(folder) : undefined;
  if (!stats) throw new ConfigError(`${folder}: no such run folder`, 'name a folder that isobar backtest has made: runs/<date>-<name>');
  if (!stats.isDirectory()) throw new ConfigError(`${folder}: expected a run folder, got a file`, 'name the folder that it lies in');
  if (existsSync(join(folder, 'sweep.json'))) {
    throw new ConfigError(
      `${folder}: expected the folder of a run, got that of a sweep`,
      `its own report is ${join(folder, 'report.html')}`,
    );
  }
  const missing = RUN_FILES.filter((file) => !existsSync(join(folder, file)));
  if (missing.length === RUN_FILES.length)
    throw new ConfigError(`${folder}: expected a run folder, got ${contentOf(folder)}`, newestRunHint(folder));
  const run = { folder, name: basename(resolve(folder)), manifest: parseManifest(join(folder, 'manifest.json')) };
  // A run without a report has no page.
  const missingFiles = run.manifest.report === false ? missing.filter((file) => file !== 'report.html') : missing;
  if (missingFiles.length > 0) {
    const command = `isobar backtest ${shellWord(displayPath(resolve(folder, 'definition.yaml')))}`;
    throw new ConfigError(
      `${folder}: the run is not whole: ${missingFiles.join(', ')} ${missingFiles.length === 1 ? 'is' : 'are'} missing`,
      `make it again: ${command}`,
    );
  }
  return run;
}

/** Most names of files in a message. */
const MAX_NAMES = 4;

/** Returns what a folder contains, for messages. */
function contentOf(folder: string): string {
  const names = readdirSync(folder);
  if (names.length === 0) return 'an empty folder';
  const others = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `one with ${names.slice(0, MAX_NAMES).join(', ')}${others}`;
}

/** Suggests the newest run below a folder that is not a run folder. */
function newestRunHint(folder: string): string {
  const parents = [folder, join(folder, 'runs')].filter((parent) => existsSync(parent));
  const paths = parents.flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)));
  const runFolders = paths.filter((path) => existsSync(join(path, 'manifest.json')));
  // The names of run folders begin with their date.
  const newest = runFolders.toSorted().at(-1);
  return newest === undefined ? 'isobar backtest --demo makes one' : `the newest run in it is ${newest}`;
}

// The schemas of manifest.json and summary.json.
const text = z.string();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const intervalText = text.transform((value, context): Interval => {
  const interval = parseFeedInterval(value);
  if (interval !== null) return interval;
  context.addIssue({ code: 'custom', message: `expected ${FEED_FORM}` });
  return z.NEVER;
});
/** A file of code with the files that it imports. */
const bundle = { file: text, sha256, inputs: z.array(text) };
/** How the bars of a run can be made again. */
const recipe = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('import'), files: z.array(text), symbol: text.optional(), interval: text.optional() }),
  z.object({ kind: z.literal('generate'), symbol: text, interval: intervalText, from: text, bars: z.number(), seed: z.number() }),
]);
const manifestSchema = z.object({
  format: z.literal(FORMAT),
  name: text,
  mode: text,
  writtenAt: text,
  resultHash: sha256,
  seed: z.number(),
  definition: z.object({ file: z.literal('definition.yaml'), sha256 }),
  strategies: z.array(z.object({ name: text, ...bundle, params: z.record(text, z.union([text, z.number(), z.boolean()])) })),
  models: z.array(z.object({ use: text, ...bundle })),
  data: z.array(z.object({ feed: text, instrument: text, interval: text, rows: z.number(), synthetic: z.boolean(), manifestSha256: text })),
  origin: z.object({ definition: text.nullable(), bars: recipe.nullable(), recipe: text.nullable(), inCode: z.array(text) }),
  startedIn: text,
  inputs: z.array(z.object({ use: z.enum(['definition', 'strategy', 'model', 'data']), file: text, sha256 })),
  lockFile: z.object({ file: text, sha256 }).nullable(),
  versions: z.record(text, text),
  report: z.literal(false).optional(),
});

/** Returns the manifest of a run folder. Throws ConfigError if it is missing, damaged or of another version. */
function parseManifest(path: string): Manifest {
  if (!existsSync(path)) throw new ConfigError(`${path}: the run is not whole: its manifest is missing`, 'make the run again');
  const value = parseRunFile(path, readRunFile(path));
  const format: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'format') : undefined;
  if (format !== FORMAT) {
    const actual = format === undefined ? 'nothing' : JSON.stringify(format);
    throw new ConfigError(
      `${path} format: expected '${FORMAT}', got ${actual}`,
      'read it with the isobar that wrote it, or make the run again',
    );
  }
  const manifest = manifestSchema.safeParse(value);
  if (manifest.success) return manifest.data;
  throw new ConfigError(
    `${path} ${manifest.error.issues[0]?.path.join('.') ?? ''}: not as isobar wrote it`,
    'it was changed, or written by an earlier isobar: make the run again',
  );
}

/** Parses the JSON of a file of a run folder. Throws ConfigError that names the file. */
export function parseRunFile(path: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new ConfigError(`${path}: not whole JSON: ${error instanceof Error ? error.message : String(error)}`, 'make the run again');
  }
}

/** Returns the text of a file of a run folder. Throws ConfigError if it cannot be read. */
export function readRunFile(path: string): string {
  return readInputFile(path).toString('utf8');
}

const oneProof = z.object({
  name: z.enum(PROOFS),
  verdict: z.enum(['proved', 'refuted', 'not-proved', 'holds', 'depends', 'not-applicable']),
  text,
  first: z.object({ time: text.nullable(), feed: text.nullable(), what: text, expected: text, actual: text }).nullable(),
  file: text.nullable(),
  line: z.number().nullable(),
});
const proofSchema = z.object({
  verdict: z.enum(['proved', 'refuted', 'not-proved']),
  why: text.nullable(),
  proofs: z.array(oneProof),
  bars: z.number(),
  from: z.enum(['sample', 'prove']),
  madeAt: text.nullable(),
  code: sha256,
  data: sha256,
  settings: sha256,
});
const figures = z.looseObject({ reasons: z.looseObject({}), flags: z.looseObject({}) });
const summarySchema = z.looseObject({
  resultHash: sha256,
  run: z.looseObject({
    fromMs: z.number(),
    toMs: z.number(),
    reportingAsset: text,
    feeds: z.array(z.looseObject({ instrument: text, interval: text })),
  }),
  metrics: figures.extend({ drawdownTable: z.array(z.looseObject({})), days: z.array(z.number()) }),
  trades: figures,
  orders: z.looseObject({ refusedByRiskByCode: z.looseObject({}), rejectedByCode: z.looseObject({}) }),
  dataQuality: z.looseObject({ feeds: z.array(z.looseObject({})) }),
  // Missing in a summary of an earlier isobar version.
  warnings: z.array(z.looseObject({ code: text, text })).default([]),
  proof: proofSchema.optional(),
});

/** Reads summary.json of a run. Throws ConfigError if it is invalid. */
export function readSummary({ folder }: StoredRun): Summary {
  const path = join(folder, 'summary.json');
  const value = parseRunFile(path, readRunFile(path));
  const parsed = summarySchema.safeParse(value);
  if (parsed.success) return { ...(value as Summary), warnings: parsed.data.warnings as unknown as Summary['warnings'] };
  throw new ConfigError(
    `${path} ${parsed.error.issues[0]?.path.join('.') ?? ''}: not as isobar wrote it`,
    'isobar verify says what has changed',
  );
}

/** Returns the verdict in the text of a summary.json; null: it has none, or none that isobar could have written. */
export function proofIn(summary: string): RunProof | null {
  try {
    const { proof } = JSON.parse(summary) as Partial<Pick<Summary, 'proof'>>;
    // As it is written: its members keep their order.
    return proofSchema.safeParse(proof).success ? proof! : null;
  } catch {
    return null;
  }
}

/** Reads definition.yaml of a run: its keys as dotted paths, such as `params.fast`, with their values as text. */
export function readDefinitionKeys({ folder }: StoredRun): ReadonlyMap<string, string> {
  const path = join(folder, 'definition.yaml');
  const keys = new Map<string, string>();
  const addKeys = (value: unknown, dottedPath: string) => {
    if (typeof value !== 'object' || value === null) keys.set(dottedPath, String(value));
    else for (const [key, member] of Object.entries(value)) addKeys(member, dottedPath === '' ? key : `${dottedPath}.${key}`);
  };
  try {
    addKeys(parse(readRunFile(path)), '');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${path}: no YAML any more`, 'isobar verify says what has changed');
  }
  return keys;
}

/** The equity curve of a run folder. */
export interface StoredEquity {
  /** Times in ms UTC, and equity in the reporting asset. */
  readonly timeMs: Float64Array;
  readonly equity: Float64Array;
}

/** Reads equity.arrow of a run. Throws ConfigError if it cannot be read. */
export function readStoredEquity(folder: string): StoredEquity {
  const path = join(folder, 'equity.arrow');
  try {
    return withArrowFile(path, (file) => {
      const timeMs = new Float64Array(file.rows);
      const equity = new Float64Array(file.rows);
      file.readTimes('time_ms', 0, timeMs);
      file.readFloats('equity', 0, equity);
      return { timeMs, equity };
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`${path}: not as isobar wrote it`, 'isobar verify says what has changed');
  }
}

/**
 * Returns the folder in which a run was started: as given, else as recorded. If the run folder was moved and more of its files are found
 * from the current folder, returns that one.
 */
export function startFolderOf({ folder, manifest }: StoredRun, requested: string | null): string {
  if (requested !== null) {
    const stats = existsSync(requested) ? statSync(requested) : null;
    if (stats?.isDirectory() === false)
      throw new ConfigError(`--in ${requested}: expected a folder, got a file`, 'name the folder in which the run was started');
    return resolve(requested);
  }
  const existingInputs = (place: string) => manifest.inputs.filter(({ file }) => existsSync(resolve(place, file))).length;
  const recorded = resolve(folder, manifest.startedIn);
  return existingInputs(process.cwd()) > existingInputs(recorded) ? process.cwd() : recorded;
}
