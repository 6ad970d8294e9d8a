// Creates a strategy project, or adds a strategy to one.

import { readdirSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { generateInto } from '../../adapters/catalog/generate/generateInto.ts';
import { fileError } from '../../adapters/disk/fileError.ts';
import { ConfigError } from '../../base/errors.ts';
import { checkOutFolder } from '../../adapters/disk/folders/checkOutFolder.ts';
import { strategyFileNames } from './strategyFileNames.ts';
import { originFor } from './originFor.ts';
import { kindTexts, projectTexts, strategyTexts, type StrategyKind } from './templateTexts.ts';
import { writeAll } from './writeAll.ts';

/** The generated bars of a new project: a year of hourly bars. */
const DEMO_BARS = { symbol: 'DEMOUSDT', interval: '1h', from: '2024-01-01', bars: 8784, seed: 7 } as const;
/** 2024-01-01, the start of the bars. */
const DEMO_FROM_MS = 1_704_067_200_000;
/** Files of version control and file managers. A folder with only these counts as empty. */
const IGNORED_FILES = new Set(['.git', '.DS_Store']);
/** Maximum number of files that the error for a full folder names. */
const MAX_SHOWN = 5;

/** The files of a new project or strategy. */
export interface CreatedFiles {
  readonly folder: string;
  /** Relative to the folder. */
  readonly files: readonly string[];
}

/** Creates a project in `dir`, which is new or empty. Throws ConfigError if files are in the way, and leaves nothing behind. */
export function createProject(dir: string): CreatedFiles {
  const folder = resolve(dir);
  const existing = filesIn(dir);
  if (existing.length > 0) {
    const fileList = existing.slice(0, MAX_SHOWN).join(', ') + (existing.length > MAX_SHOWN ? ', ...' : '');
    throw new ConfigError(`${dir}: the folder is not empty: ${fileList}`, 'name a new folder: isobar init my-strategies');
  }
  checkOutFolder('dir', dir);
  const texts = { 'package.json': packageText(folder), ...projectTexts() };
  writeAll(folder, texts, 'data', (data) => void generateInto(data, { ...DEMO_BARS, fromMs: DEMO_FROM_MS }));
  return { folder, files: Object.keys(texts) };
}

/** Writes strategies/<name>.ts and its test in the current folder. Throws ConfigError if one of them exists. */
export function createStrategy(name: string, kind: StrategyKind | null = null): CreatedFiles {
  const folder = resolve('.');
  const names = strategyFileNames(name);
  const texts = kind === null ? strategyTexts(names) : kindTexts(names, kind);
  checkOutFolder('folder', folder);
  writeAll(folder, texts);
  return { folder, files: Object.keys(texts) };
}

/** Returns the names in a folder; none if it does not exist. Throws ConfigError if it is a file or cannot be read. */
function filesIn(dir: string): readonly string[] {
  try {
    const stats = statSync(dir, { throwIfNoEntry: false });
    if (!stats) return [];
    if (!stats.isDirectory())
      throw new ConfigError(`${dir}: expected a folder, got a file`, 'name a new folder: isobar init my-strategies');
    return readdirSync(dir).filter((name) => !IGNORED_FILES.has(name));
  } catch (error) {
    throw error instanceof ConfigError ? error : fileError(dir, 'cannot be read', error);
  }
}

/** Returns the text of package.json. Versions are exact, so that a project behaves the same later. */
function packageText(folder: string): string {
  const { symbol, interval, from, bars, seed } = DEMO_BARS;
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '');
  const manifest = {
    name: name === '' ? 'strategies' : name,
    private: true,
    type: 'module',
    scripts: {
      backtest: 'isobar backtest backtests/first.yaml',
      test: 'vitest run',
      typecheck: 'tsc',
      data: `isobar data generate --symbol ${symbol} --interval ${interval} --from ${from} --bars ${bars} --seed ${seed}`,
    },
    dependencies: { isobar: originFor(folder) },
    devDependencies: { typescript: '5.9.3', vitest: '4.1.12' },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
