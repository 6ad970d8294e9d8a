// The template of `isobar init`: files under config/project, read and renamed.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { packageFolder } from '../../adapters/runtime/version.ts';

export interface StrategyNames {
  /** File name without extension: `meanCross`. */
  readonly file: string;
  /** Class name: `MeanCross`. */
  readonly className: string;
}

/** Texts by path in the target folder, with `/` as separator. */
export type Texts = Readonly<Record<string, string>>;

/** The strategy of the template. */
const FIRST: StrategyNames = { file: 'meanCross', className: 'MeanCross' };
/** npm does not pack a .gitignore and would apply it, so the template has it under another name. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/** Returns every file of the template except package.json, which is generated. */
export function projectTexts(): Texts {
  const folder = join(packageFolder(), 'config', 'project');
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/')).toSorted(byEnding);
  return Object.fromEntries(paths.map((path) => [RENAMED[path] ?? path, readFileSync(join(folder, path), 'utf8')]));
}

/** Sorts a file before its test. */
function byEnding(one: string, other: string): number {
  const key = (path: string) => path.replace('.test.ts', '.ts.test');
  return key(one) < key(other) ? -1 : 1;
}

/** Returns the strategy of the template and its test under another name. */
export function strategyTexts({ file, className }: StrategyNames): Texts {
  const own = Object.entries(projectTexts()).filter(([path]) => path.startsWith('strategies/'));
  const renameClass = (text: string) => text.replaceAll(FIRST.file, file).replaceAll(FIRST.className, className);
  return Object.fromEntries(own.map(([path, text]) => [renameClass(path), renameClass(text)]));
}
