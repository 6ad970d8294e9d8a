// The project that `isobar init` begins with: real files under config/project, read and renamed.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { packageFolder } from '../../adapters/runtime/version.ts';

export interface StrategyNames {
  /** File without its ending: `meanCross`. */
  readonly file: string;
  /** Class: `MeanCross`. */
  readonly className: string;
}

/** Texts by path below the folder that they are written to, `/` between its parts. */
export type Texts = Readonly<Record<string, string>>;

/** The strategy of the template. */
const FIRST: StrategyNames = { file: 'meanCross', className: 'MeanCross' };
/** npm neither packs a .gitignore nor leaves it without effect, so that it lies there under another name. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/** Every file of the template but package.json, which is not the same for all. */
export function projectTexts(): Texts {
  const folder = join(packageFolder(), 'config', 'project');
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/')).toSorted(byEnding);
  return Object.fromEntries(paths.map((path) => [RENAMED[path] ?? path, readFileSync(join(folder, path), 'utf8')]));
}

/** A file before its test. */
function byEnding(one: string, other: string): number {
  const key = (path: string) => path.replace('.test.ts', '.ts.test');
  return key(one) < key(other) ? -1 : 1;
}

/** The strategy of the template and its test under another name. */
export function strategyTexts({ file, className }: StrategyNames): Texts {
  const own = Object.entries(projectTexts()).filter(([path]) => path.startsWith('strategies/'));
  const renamed = (text: string) => text.replaceAll(FIRST.file, file).replaceAll(FIRST.className, className);
  return Object.fromEntries(own.map(([path, text]) => [renamed(path), renamed(text)]));
}
