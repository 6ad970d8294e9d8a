// Opens a requested run: returns its definition and its bars, from a file, from options of a command or of code, from an earlier run, or
// the demo.

import { rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadBars, type LoadedBars } from '../adapters/catalog/bars/catalog.ts';
import { synthesizeBars } from '../adapters/catalog/generate/generate.ts';
import { SYNTHETIC } from '../adapters/catalog/bars/barQuality.ts';
import { memoryStore, wholeSet, type BarStore } from '../adapters/catalog/bars/barStore.ts';
import { nowMs } from '../adapters/clock/wallClock.ts';
import { assertNever } from '../base/assert.ts';
import { ConfigError } from '../base/errors.ts';
import { shellWord } from '../base/text/shellWord.ts';
import { INTERVAL_FORM, parseInterval, type Interval } from '../model/interval.ts';
import { parseTime } from '../model/time.ts';
import { temporaryFolder } from '../adapters/disk/folders/temporaryFolder.ts';
import { packageFolder } from '../adapters/runtime/version.ts';
import { withOverrides } from './text/overrides.ts';
import { displayPath } from './text/paths.ts';
import { optionSource, readDefinition, type DefinitionSource } from './text/source.ts';

/** A request for a run. `settings`: overrides as `key=value`. */
export type RunRequest = { readonly settings: readonly string[] } & (
  | { readonly kind: 'file'; readonly file: string }
  | OptionsRequest
  | DemoRequest
  | RepeatRequest
);

/** A strategy on synthetic bars. */
export interface DemoRequest {
  readonly kind: 'demo';
  /** The file of the strategy; null: a shipped one. */
  readonly strategy: string | null;
}

/** Repeats an earlier run, from the definition and the origin that it recorded. */
export interface RepeatRequest {
  readonly kind: 'repeat';
  /** The definition.yaml of that run. */
  readonly file: string;
  /** The folder in which that run was started. */
  readonly startedIn: string;
  readonly origin: Origin;
}

/** Keys of a definition without a file: given on a command line or in code. */
export interface OptionsRequest {
  readonly kind: 'options';
  readonly values: Readonly<Record<string, unknown>>;
  /** Bars that replace the catalog: files to import, and sets in memory. Null: `values` names feeds of a catalog. */
  readonly data: { readonly files: readonly string[]; readonly sets: readonly LoadedBars[] } | null;
  /** Symbol and interval of the files, if their names do not state them. */
  readonly symbol?: string | undefined;
  readonly interval?: string | undefined;
  /** Name of the options in messages, and the names of single options by their keys. */
  readonly called: string;
  readonly places: Readonly<Record<string, string>>;
  /** Parts of the run that were given in code. */
  readonly inCode: readonly string[];
}

/** How to create bars that are not in a catalog: the files to import, or the options of a generator. */
export type BarsRecipe =
  | {
      readonly kind: 'import';
      readonly files: readonly string[];
      readonly symbol?: string | undefined;
      readonly interval?: string | undefined;
    }
  | {
      readonly kind: 'generate';
      readonly symbol: string;
      readonly interval: Interval;
      readonly from: string;
      readonly bars: number;
      readonly seed: number;
    };

/** The origin of a run, for repeating it. */
export interface Origin {
  /** The definition file as it was named; null if the run was defined by options or code. */
  readonly definition: string | null;
  /** Bars outside the catalog; null if they are in it or were given in code. */
  readonly bars: BarsRecipe | null;
  /** The commands that put its bars into the definition's catalog; null if they are there already. */
  readonly recipe: string | null;
  /** Parts that are in no file: a class, columns of bars. */
  readonly inCode: readonly string[];
}

const NO_ORIGIN: Origin = { definition: null, bars: null, recipe: null, inCode: [] };

/** A run that is ready to be resolved. */
export interface RequestedRun {
  readonly source: DefinitionSource;
  /** Bars that replace the catalog of the definition; null: the catalog is used. */
  readonly bars: BarStore | null;
  readonly origin: Origin;
}

/**
 * Reads the definition, and imports or generates the bars. Files of bars are imported through `folder`, by default a temporary one, which
 * is removed afterwards. Throws ConfigError for invalid input.
 */
export async function openRequest(request: RunRequest, folder: string | null = null): Promise<RequestedRun> {
  const opened = await openWithoutSettings(request, folder);
  return { ...opened, source: withOverrides(opened.source, request.settings) };
}

/** Returns the definition and the bars of a request. Bars that it makes are written to `folder`. */
async function openWithoutSettings(request: RunRequest, folder: string | null): Promise<RequestedRun> {
  switch (request.kind) {
    case 'file':
      return { source: readDefinition(request.file), bars: null, origin: { ...NO_ORIGIN, definition: request.file } };
    case 'repeat':
      return requestedRepeat(request, folder);
    case 'options':
      return requestedByOptions(request, folder);
    case 'demo':
      return requestedDemo(request.strategy);
    default:
      return assertNever(request);
  }
}

/**
 * Opens an earlier run again. Paths are resolved as in the original run: from the folder where it was started, then from its definition's.
 */
async function requestedRepeat({ file, startedIn, origin }: RepeatRequest, folder: string | null): Promise<RequestedRun> {
  const source = { ...readDefinition(file), folder: resolve(startedIn, dirname(origin.definition ?? '.')), startedIn };
  return { source, bars: origin.bars === null ? null : memoryStore(await makeBars(origin.bars, startedIn, folder)), origin };
}

/** Makes the bars of an earlier run again, from the recipe that the run has recorded. */
async function makeBars(recipe: BarsRecipe, startedIn: string, folder: string | null): Promise<readonly LoadedBars[]> {
  if (recipe.kind === 'generate') return [generateBars(recipe)];
  const { files, symbol, interval } = recipe;
  return importAll(
    files.map((name) => resolve(startedIn, name)),
    { symbol, interval, places: {} },
    folder,
  );
}

/** Returns a run that options of a command or of code describe. */
async function requestedByOptions(request: OptionsRequest, folder: string | null): Promise<RequestedRun> {
  const { values, data, called, places, inCode, symbol, interval } = request;
  if (data === null) return { source: optionSource('.', values, places, called), bars: null, origin: { ...NO_ORIGIN, inCode } };
  const imported = data.files.length === 0 ? [] : await importAll(data.files, request, folder);
  const sets = [...imported, ...data.sets];
  const [firstSet] = sets;
  if (firstSet === undefined) throw new ConfigError(`${places['feeds'] ?? called}: expected bars, got none`, 'name a file of bars');
  if (values['feeds'] === undefined && sets.length > 1) {
    const available = sets.map(({ bars }) => `${bars.instrument.wireName} ${bars.interval}`).join(', ');
    throw new ConfigError(
      `${called} feeds: expected feeds beside several sets of bars (${available})`,
      `name them: feeds: { bars: { symbol: '${firstSet.bars.instrument.wireName}', interval: '${firstSet.bars.interval}' }, ... }`,
    );
  }
  const feeds = values['feeds'] ?? { bars: { symbol: firstSet.bars.instrument.wireName, interval: firstSet.bars.interval } };
  return {
    source: optionSource('.', { ...values, feeds }, places, called),
    bars: memoryStore(sets),
    origin: { ...NO_ORIGIN, ...(data.files.length === 0 ? {} : importOrigin(data.files, symbol, interval)), inCode },
  };
}

/** Returns how to create the bars of imported files again: for this program, and as a command for a user. */
function importOrigin(files: readonly string[], symbol: string | undefined, interval: string | undefined): Pick<Origin, 'bars' | 'recipe'> {
  const givenOptions = Object.entries({ symbol, interval }).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}`, value],
  );
  return {
    bars: { kind: 'import', files, symbol, interval },
    recipe: ['isobar data import', ...[...files, ...givenOptions].map(shellWord)].join(' '),
  };
}

/** Returns the bars of files, as an import into a catalog would store them. */
export async function importAll(
  files: readonly string[],
  names: Pick<OptionsRequest, 'symbol' | 'interval' | 'places'>,
  folder: string | null,
): Promise<readonly LoadedBars[]> {
  const interval = names.interval === undefined ? undefined : parseInterval(names.interval);
  if (interval === null)
    throw new ConfigError(`${names.places['interval'] ?? 'interval'}: expected ${INTERVAL_FORM}, got ${names.interval}`, 'correct it');
  // Load the 22 modules of the importers on demand, because most runs read their bars from a catalog.
  const { importFiles } = await import('../adapters/catalog/import/importFiles.ts');
  const catalog = folder ?? temporaryFolder();
  try {
    const sets = await importFiles(files, { catalog, symbol: names.symbol, interval, nowMs: nowMs() });
    return sets.map((set) => loadBars(catalog, set));
  } finally {
    rmSync(catalog, { recursive: true, force: true });
  }
}

/** The bars of the demo: a year of synthetic 15-minute bars. With a fixed seed, the result is equal everywhere. */
const DEMO = { kind: 'generate', symbol: 'DEMOUSDT', interval: '15m', from: '2024-01-01', bars: 35_136, seed: 7 } as const;

function generateBars({ symbol, interval, from, bars, seed }: BarsRecipe & { readonly kind: 'generate' }): LoadedBars {
  return wholeSet(synthesizeBars({ symbol, interval, fromMs: parseTime(from) ?? 0, bars, seed }), SYNTHETIC);
}

/** Returns the run of `--demo`: the given strategy file, or the shipped SMA cross, over generated bars. */
function requestedDemo(file: string | null): RequestedRun {
  const { symbol, interval, from, bars, seed } = DEMO;
  const shippedStrategy = {
    name: 'demo',
    strategy: displayPath(join(packageFolder(), 'strategies', 'smaCross.ts')),
    params: { fast: 40, slow: 200 },
  };
  const values = {
    ...(file === null ? shippedStrategy : { strategy: file }),
    feeds: { bars: { symbol, interval } },
    cash: { USDT: '10000' },
  };
  const recipe = `isobar data generate --symbol ${symbol} --interval ${interval} --from ${from} --bars ${bars} --seed ${seed}`;
  const places = { strategy: 'the strategy file' };
  return {
    source: optionSource('.', values, places),
    bars: memoryStore([generateBars(DEMO)]),
    origin: { ...NO_ORIGIN, bars: DEMO, recipe },
  };
}
