// A project folder of its own, or one more strategy in it: files that are written all or not at all, and never over others.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileError } from '../../adapters/bars/fileError.ts';
import { generateInto } from '../../adapters/bars/generateInto.ts';
import { ConfigError } from '../../base/errors.ts';
import { packageFolder, packageVersion } from '../version.ts';

interface StrategyNames {
  /** File without its ending: `meanCross`. */
  readonly file: string;
  /** Class: `MeanCross`. */
  readonly className: string;
}

const FIRST: StrategyNames = { file: 'meanCross', className: 'MeanCross' };
/** Files that version control and file managers leave in folders that people take for empty. */
const UNSEEN = new Set(['.git', '.DS_Store']);
/** A year of hours. */
const DEMO = { symbol: 'DEMOUSDT', interval: '1h', fromMs: 1_704_067_200_000, bars: 8784, seed: 7 } as const;
/** The files of a new project as they lie in config/project; npm leaves out a file called .gitignore. */
const FILES = ['tsconfig.json', 'gitignore', 'README.md', `strategies/${FIRST.file}.ts`, `strategies/${FIRST.file}.test.ts`, 'backtests/first.yaml'];

export interface Created {
  readonly folder: string;
  /** Relative to the folder. */
  readonly files: readonly string[];
}

/** Makes a project in `dir`. Throws ConfigError when something is in the way; nothing is left then. */
export function createProject(dir: string): Created {
  const folder = resolve(dir);
  const there = existsSync(folder) ? readdirSync(folder).filter((name) => !UNSEEN.has(name)) : [];
  if (there.length > 0) {
    const some = there.slice(0, 5).join(', ') + (there.length > 5 ? ', ...' : '');
    throw new ConfigError(`${dir}: the folder is not empty: ${some}`, 'name a new folder: isobar init my-strategies');
  }
  const name = basename(folder).toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '') || 'strategies'; // prettier-ignore
  const copies = FILES.map((file) => [file === 'gitignore' ? '.gitignore' : file, template(file)]);
  const texts = { 'package.json': packageText(name, isobarSpec(folder)), ...(Object.fromEntries(copies) as Record<string, string>) };
  return writeAll(folder, texts, () => void generateInto(join(folder, 'data'), DEMO));
}

/** Writes strategies/<name>.ts and its test below the current folder. */
export function createStrategy(name: string): Created {
  const names = namesOf(name);
  const renamed = (file: string) => template(file).replaceAll(FIRST.className, names.className).replaceAll(`./${FIRST.file}.ts`, `./${names.file}.ts`);
  return writeAll(resolve('.'), {
    [`strategies/${names.file}.ts`]: renamed(`strategies/${FIRST.file}.ts`),
    [`strategies/${names.file}.test.ts`]: renamed(`strategies/${FIRST.file}.test.ts`),
  });
}

/** `mean-cross`, `mean cross` or `MeanCross`: the file meanCross.ts with the class MeanCross. */
function namesOf(name: string): StrategyNames {
  const words = name.split(/[-_\s]+/).filter((word) => word !== '');
  const joined = words.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(joined)) {
    throw new ConfigError(`${name}: expected a name of letters and digits that begins with a letter`, 'such as: isobar strategy new meanCross');
  }
  return { file: joined.charAt(0).toLowerCase() + joined.slice(1), className: joined.charAt(0).toUpperCase() + joined.slice(1) };
}

function template(file: string): string {
  return readFileSync(join(packageFolder(), 'config', 'project', file), 'utf8');
}

function packageText(name: string, isobar: string): string {
  const file = {
    name,
    private: true,
    type: 'module',
    scripts: { test: 'vitest run', typecheck: 'tsc', backtest: 'isobar backtest backtests/first.yaml' },
    dependencies: { isobar },
    devDependencies: { typescript: '5.9.3', vitest: '4.1.12' },
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** What `then` makes is removed as well when it throws. */
function writeAll(folder: string, texts: Readonly<Record<string, string>>, then: () => void = () => {}): Created {
  const files = Object.keys(texts);
  const inTheWay = files.filter((file) => existsSync(join(folder, file)));
  if (inTheWay.length > 0) throw new ConfigError(`${inTheWay.join(', ')}: there already`, 'choose another name, or remove it first');
  const isNew = !existsSync(folder);
  const before = new Set(isNew ? [] : readdirSync(folder));
  const written: string[] = [];
  try {
    for (const [file, text] of Object.entries(texts)) {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { flag: 'wx' });
      written.push(path);
    }
    then();
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    if (isNew) rmSync(folder, { recursive: true, force: true });
    else for (const name of readdirSync(folder)) if (!before.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
    throw error instanceof Error && 'syscall' in error ? fileError(folder, 'cannot be written', error) : error;
  }
  return { folder, files };
}

/** How the new project gets this very isobar: its checkout, the tarball that it was installed from, or its version. */
function isobarSpec(folder: string): string {
  if (existsSync(join(packageFolder(), 'src', 'index.ts'))) return `file:${relative(folder, packageFolder())}`;
  const tarball = installedFrom();
  return tarball === null ? packageVersion() : `file:${relative(folder, tarball)}`;
}

/** The tarball that npm noted when it installed this package; null when it came from a registry, or is gone. */
function installedFrom(): string | null {
  const modules = dirname(packageFolder());
  const lock = join(modules, '.package-lock.json');
  if (basename(modules) !== 'node_modules' || !existsSync(lock)) return null;
  const noted: unknown = JSON.parse(readFileSync(lock, 'utf8'));
  const resolved = /"node_modules\/isobar":\s*\{[^}]*?"resolved":\s*"file:([^"]+)"/.exec(JSON.stringify(noted, null, 1))?.[1];
  if (resolved === undefined) return null;
  const path = resolve(dirname(modules), resolved);
  return existsSync(path) ? path : null;
}
