// Reads the templates of `isobar init` and `isobar strategy new`, and renames their strategy.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { packageFolder } from '../../adapters/runtime/version.ts';
import { ConfigError } from '../../base/errors.ts';

/** The names of a new strategy: of its file without the ending, and of its class. */
export interface StrategyNames {
  /** File name without extension: `meanCross`. */
  readonly file: string;
  /** Class name: `MeanCross`. */
  readonly className: string;
}

/** Texts by path in the target folder, with `/` as separator. */
export type Texts = Readonly<Record<string, string>>;

/** The strategy of the template. */
const TEMPLATE_STRATEGY: StrategyNames = { file: 'meanCross', className: 'MeanCross' };
/** Names of files that the template has under another name. npm does not pack a .gitignore, and would apply it. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/** Returns every file of the template except package.json, which is generated. */
export function projectTexts(): Texts {
  const folder = join(packageFolder(), 'config', 'project');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'));
  return Object.fromEntries(paths.toSorted(testsLast).map((path) => [RENAMED[path] ?? path, readFileSync(join(folder, path), 'utf8')]));
}

/** Compares paths by name, with a file before its test. */
function testsLast(left: string, right: string): number {
  const sortKey = (path: string) => path.replace('.test.ts', '.ts.test');
  return sortKey(left) < sortKey(right) ? -1 : 1;
}

/** Returns the strategy of the template and its test under another name. */
export function strategyTexts({ file, className }: StrategyNames): Texts {
  const strategyFiles = Object.entries(projectTexts()).filter(([path]) => path.startsWith('strategies/'));
  const renameClass = (text: string) => text.replaceAll(TEMPLATE_STRATEGY.file, file).replaceAll(TEMPLATE_STRATEGY.className, className);
  return Object.fromEntries(strategyFiles.map(([path, text]) => [renameClass(path), renameClass(text)]));
}

/** Feeds in the run definition of each kind of example strategy. */
const FEEDS_OF = {
  breakout: 'bars: { symbol: DEMOUSDT, interval: 1h }',
  pairs: 'bars: { symbol: DEMOUSDT, interval: 1h }, other: { symbol: TWOUSDT, interval: 1h }',
  grid: 'bars: { symbol: DEMOUSDT, interval: 1h }',
  ml: 'bars: { symbol: DEMOUSDT, interval: 1h }',
  portfolio: 'universe: { symbols: [DEMOUSDT, TWOUSDT, THREEUSDT, FOURUSDT], interval: 1h }',
} as const;
/** The kind of a new strategy, for `--like`. */
export type StrategyKind = keyof typeof FEEDS_OF;
/** The kinds, in the order of the help text. */
export const STRATEGY_KINDS = Object.keys(FEEDS_OF) as readonly StrategyKind[];
/** The command that generates the bars of the definitions. */
const BARS_COMMAND =
  'isobar data generate --symbol DEMOUSDT,TWOUSDT,THREEUSDT,FOURUSDT --interval 1h --from 2024-01-01 --bars 8784 --seed 7';

/**
 * Returns a strategy of a kind under a name, and a definition that runs it. Throws ConfigError for a name that the text uses for something
 * else: a class `Math` would hide the Math that it calls.
 */
export function kindTexts({ file, className }: StrategyNames, kind: StrategyKind): Texts {
  const text = readFileSync(join(packageFolder(), 'config', 'like', `${kind}.ts`), 'utf8');
  const templateClass = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  // Names in comments and strings do not conflict.
  const code = text.replaceAll(/\/\/.*|'[^'\n]*'/g, '');
  if (className !== templateClass && new RegExp(`\\b${className}\\b`).test(code)) {
    throw new ConfigError(
      `${file}: a strategy like ${kind} uses ${className} for something else`,
      `choose another name, such as my${className}`,
    );
  }
  const definition = [
    `# Bars: ${BARS_COMMAND}`,
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
    [`strategies/${file}.ts`]: text.replace(`class ${templateClass} `, `class ${className} `),
    [`backtests/${file}.yaml`]: definition.join('\n'),
  };
}
