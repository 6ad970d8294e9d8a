// Implements `isobar init` and `isobar strategy new`: writes the files and prints what to do next.

import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { createProject, createStrategy } from '../../tasks/project/project.ts';
import type { StrategyKind } from '../../tasks/project/templateTexts.ts';
import { shellWord } from '../../base/text/shellWord.ts';
import { printLines } from '../terminal/print.ts';

/** The run definition of a new project. */
const DEFINITION = 'backtests/first.yaml';

/** Runs `isobar init`. */
export function init(dir: string): void {
  const { folder, files } = createProject(dir);
  const path = relative(process.cwd(), folder);
  const steps = [...(path === '' ? [] : [`cd ${shellWord(path)}`]), 'npm i', `npx isobar backtest ${DEFINITION}`, 'npm test'];
  printLines([
    `Made ${path === '' ? 'a project' : path}:`,
    ...files.map((file) => `  ${file}`),
    '  data/                            a year of synthetic bars to begin with',
    '',
    'Next:',
    ...steps.map((step) => `  ${step}`),
  ]);
}

/** Runs `isobar strategy new --like KIND`: writes a strategy of this kind, its test, and the definition that runs it. */
export function newStrategyLike(name: string, kind: StrategyKind): void {
  const { files } = createStrategy(name, kind);
  const [file = '', definition = ''] = files;
  const steps = [`npx isobar strategy show ${file}`, `npx isobar backtest ${definition}`, `npx isobar prove ${definition}`];
  printLines([
    'Made',
    ...files.map((path) => `  ${path}`),
    '',
    `Next, once there are bars (the first line of ${definition} makes some):`,
    ...steps.map((step) => `  ${step}`),
  ]);
}

/** Runs `isobar strategy new`: writes a strategy and its test. */
export function newStrategy(name: string): void {
  const { files } = createStrategy(name);
  const [file = '', test = ''] = files;
  const runArguments = existsSync(DEFINITION) ? `${DEFINITION} --set strategy=${file}` : `${file} --demo`;
  const steps = [`npx isobar strategy show ${file}`, `npx isobar backtest ${runArguments}`, `npx vitest run ${test}`];
  printLines(['Made', ...files.map((path) => `  ${path}`), '', 'Next:', ...steps.map((step) => `  ${step}`)]);
}
