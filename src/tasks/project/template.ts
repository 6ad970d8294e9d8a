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

/** Kinds of strategies to begin with, and the feeds of their definitions. */
const FEEDS_OF = {
  breakout: 'bars: { symbol: DEMOUSDT, interval: 1h }',
  pairs: 'bars: { symbol: DEMOUSDT, interval: 1h }, other: { symbol: TWOUSDT, interval: 1h }',
  grid: 'bars: { symbol: DEMOUSDT, interval: 1h }',
  ml: 'bars: { symbol: DEMOUSDT, interval: 1h }',
  portfolio: 'universe: { symbols: [DEMOUSDT, TWOUSDT, THREEUSDT, FOURUSDT], interval: 1h }',
} as const;
export type StrategyKind = keyof typeof FEEDS_OF;
export const STRATEGY_KINDS = Object.keys(FEEDS_OF) as readonly StrategyKind[];
/** The command that makes the bars of the definitions. */
const BARS = 'isobar data generate --symbol DEMOUSDT,TWOUSDT,THREEUSDT,FOURUSDT --interval 1h --from 2024-01-01 --bars 8784 --seed 7';

/** Returns a strategy of a kind under a name, and a definition that runs it. */
export function kindTexts({ file, className }: StrategyNames, kind: StrategyKind): Texts {
  const path = join(packageFolder(), 'config', 'like', `${kind}.ts`);
  const own = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  const definition = [
    `# Bars: ${BARS}`,
    `strategy: strategies/${file}.ts`,
    `feeds: { ${FEEDS_OF[kind]} }`,
    `cash: { USDT: '10000' }`,
    `fees: { maker: '0.001', taker: '0.001' }`,
    'fills: { latencyMs: 250 }',
    `risk: { maxLeverage: '1' }`,
    'catalog: data',
    '',
  ];
  return {
    [`strategies/${file}.ts`]: readFileSync(path, 'utf8').replace(`class ${own} `, `class ${className} `),
    [`backtests/${file}.yaml`]: definition.join('\n'),
  };
}
