// Checks the text of sources against the rules of the project. Only certain places may import packages, and public entries export only what
// they should. Imports form no circles at run time. Rooms contain nothing forbidden, such as timers. sourceRules.test.ts runs the check
// over src.

import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';

/** The public entries of the package: the only files at the top of src, and the rooms from which each may export. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  'index.ts': ['model', 'indicators', 'strategy'],
  'run.ts': ['tasks/backtest/fromCode'],
  'compose.ts': ['app', 'base', 'definition/plan', 'adapters/replay', 'model', 'orders', 'ports', 'risk', 'venue'],
};

/** The only folders in which each package may be imported. A package that is not listed may be imported nowhere. */
const PACKAGE_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  inversify: ['app'],
  'reflect-metadata': ['app'],
  zod: ['access', 'definition', 'paperExchange/process', 'tasks'],
  yaml: ['definition', 'tasks'],
  pino: ['tasks/backtest/run', 'tasks/bot/run'],
  technicalindicators: ['indicators/graph'],
  esbuild: ['adapters/plugins'],
  fzstd: ['adapters/catalog/arrow'],
  hyparquet: ['adapters/catalog/parquet'],
  lz4js: ['adapters/catalog/arrow', 'adapters/catalog/parquet'],
  piscina: ['tasks/sweep/search'],
  bullmq: ['tasks/sweep/queue'],
  ioredis: ['tasks/sweep/queue'],
  'lightweight-charts': ['report/page/browser', 'report/run/page', 'tasks/bot/dashboard/page'],
  uplot: ['report'],
  yargs: ['cli'],
  undici: ['adapters/exchange/wire'],
  croner: ['adapters/clock'],
  'decimal.js': ['base/number'],
};

/** A pattern that sources must not have. */
interface BannedPattern {
  /** The rule that the pattern breaks. */
  readonly rule: string;
  readonly pattern: RegExp;
  /** Files in which it is allowed. */
  readonly allowed: RegExp;
}

/** Files outside of the hot rooms, which every bar or order passes. */
const NOT_HOT = /^(?!(adapters\/replay|base|engine|indicators|orders|portfolio|risk|venue)\/)/;
/** The same, with views and secrets: `#` hides their fields from strategies and from printed objects also at run time. */
const MAY_HIDE_FIELDS =
  /^(?!(adapters\/replay|base|engine|orders|portfolio|risk|venue)\/)|[vV]iews?\.ts$|\/strategyFeed\.ts$|\/secret\.ts$/;
/** Files of the rooms above floor 6. */
const OUTER = /^(report|adapters|definition|access|app|tasks|paperExchange|worlds|cli)\//;
const BANNED_PATTERNS: readonly BannedPattern[] = [
  {
    rule: 'time comes from the Scheduler',
    pattern: /\bDate\b|performance\.now|hrtime|\bset(Timeout|Interval|Immediate)\b|AbortSignal\.timeout/,
    // Pages run in a browser, where a reader's clock and timers are the right ones.
    // What strategy code must not use is watched in purity, builtIns and surroundings of tasks/backtest.
    allowed:
      /^adapters\/clock\/|^tasks\/backtest\/(?:purity|builtIns|surroundings)\/|^report\/page\/browser\/|^report\/run\/page\/|^tasks\/bot\/dashboard\/page\/|^paperExchange\/process\/page\/script\.ts$/,
  },
  { rule: 'randomness is seeded', pattern: /Math\.random|randomUUID|randomBytes/, allowed: /^base\/rng|^tasks\/backtest\/purity\// },
  { rule: 'rooms 0-6 are synchronous', pattern: /\b(async|await|Promise)\b/, allowed: OUTER },
  { rule: 'rooms 0-6 do no I/O', pattern: /from 'node:/, allowed: OUTER },
  {
    rule: 'hot rooms say private, not # (docs/performance.md#private-fields)',
    pattern: /(?<=^\s*(?:\w+ )*|\.)#[a-z]\w*/m,
    allowed: MAY_HIDE_FIELDS,
  },
  {
    rule: 'hot rooms have constants of their own for Infinity and NaN (docs/performance.md#file-constants)',
    // Behind an odd number of quotes in its line it is a word of a text.
    pattern: /(?<!^const (?:INFINITY|NAN) = |^[^'\n]*'(?:[^'\n]*'[^'\n]*')*[^'\n]*)\b(?:Infinity|NaN)\b/m,
    allowed: NOT_HOT,
  },
  { rule: 'only base/inPackage.ts knows where the package lies', pattern: /import\.meta/, allowed: /^base\/inPackage\.ts$/ },
  {
    rule: 'a tagged template has no </script (build/bundle.mjs)',
    pattern: /<\/script/,
    allowed: /^report\/page\/(?:markup|pageCode)\.ts$/,
  },
  {
    rule: 'a list is not spread into a call, because it may be longer than the stack has room for (base/number/extremes.ts, base/memory/appendAll.ts)',
    // Lines of a text are few.
    pattern: /\bMath\.(?:min|max)\((?:[^()]|\([^()]*\))*\.\.\.|(?<!\blines)\.(?:push|unshift)\(\.\.\.|\.splice\([^()]*\.\.\./,
    allowed: /^$/,
  },
  { rule: 'only risk approves an order', pattern: /as ApprovedOrder\b/, allowed: /^risk\// },
];

/** Returns the violations in a tree of sources, each as `file: rule`. */
export function ruleViolations(root: string): string[] {
  const files = readdirSync(root, { recursive: true }).map((file) => String(file).split(sep).join('/'));
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'));
  const texts = new Map(sources.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]));
  const violations = sources.flatMap((file) => violationsOf(file, texts.get(file)!));
  return [...violations, ...importCycles(texts)];
}

/** Returns the broken rules of one source. */
function violationsOf(file: string, text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const problems: string[] = [];
  if (!(file in ENTRIES) && !file.includes('/')) problems.push('only the public entries may be at the top of src');
  if (!/^(#!.*\n)?(\/\/|\/\*)/.test(text)) problems.push('the first line does not say what the file is for');
  for (const { rule, pattern, allowed } of BANNED_PATTERNS) if (!allowed.test(file) && pattern.test(code)) problems.push(rule);
  for (const specifier of importsOf(code)) {
    const problem = specifier.startsWith('.') ? entryProblem(file, specifier) : packageProblem(file, specifier);
    if (problem) problems.push(problem);
  }
  return problems.map((problem) => `${file}: ${problem}`);
}

/** Returns the problem of an imported package that this file may not import; null if it may. */
function packageProblem(file: string, specifier: string): string | null {
  if (specifier.startsWith('node:')) return null;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const isAllowed = PACKAGE_FOLDERS[name]?.some((folder) => file.startsWith(`${folder}/`)) ?? false;
  return isAllowed ? null : `the package ${name} may not be imported in ${posix.dirname(file)}/`;
}

/** Returns the problem of an import by a public entry from a room that it may not export; null for all other imports. */
function entryProblem(file: string, specifier: string): string | null {
  const exportedRooms = ENTRIES[file];
  if (exportedRooms === undefined) return null;
  const target = resolveImport(file, specifier);
  return exportedRooms.some((room) => target.startsWith(`${room}/`)) ? null : `this entry may not export ${posix.dirname(target)}`;
}

/** Returns the cycles of imports that exist at run time. Imports of types are erased, so they may point back. */
function importCycles(texts: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  const searchStates = new Map<string, 'open' | 'done'>();
  const visit = (file: string, path: readonly string[]): void => {
    if (searchStates.get(file) === 'done') return;
    if (searchStates.get(file) === 'open') {
      problems.push(`${file}: import cycle ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`);
      return;
    }
    searchStates.set(file, 'open');
    const code = (texts.get(file) ?? '').replace(/^import type .*$|\/\/.*$/gm, '');
    for (const specifier of importsOf(code)) if (specifier.startsWith('.')) visit(resolveImport(file, specifier), [...path, file]);
    searchStates.set(file, 'done');
  };
  for (const file of texts.keys()) visit(file, []);
  return problems;
}

const resolveImport = (file: string, specifier: string) => posix.join(posix.dirname(file), specifier);

/** Returns the specifiers of all imports of a source. */
function importsOf(code: string): string[] {
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'\s,;]+)'/g)].map((match) => match[1]!);
}
