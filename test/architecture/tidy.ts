// The rules of the house, read off the sources as text: homes of packages, doors, circles at run time, and what the pure rooms may not do.

import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';

/** The public doors: the only files at the top of src, and the rooms that they show. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  'index.ts': ['model', 'indicators', 'strategy'],
  'run.ts': ['tasks/backtest/fromCode'],
  'compose.ts': ['app', 'base', 'definition/plan', 'adapters/replay', 'model', 'orders', 'ports', 'risk', 'venue'],
};

/** The only folders in which a package may be imported; one without a home is a violation. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
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
interface Ban {
  readonly why: string;
  readonly pattern: RegExp;
  /** Files in which it is allowed. */
  readonly allowed: RegExp;
}

/** Rooms that every bar or order passes. Views are what authors hold, and secrets keep what they hold at run time, too. */
const NOT_HOT = /^(?!(adapters\/replay|base|engine|indicators|orders|portfolio|risk|venue)\/)/;
const NOT_PLAIN = /^(?!(adapters\/replay|base|engine|orders|portfolio|risk|venue)\/)|[vV]iews?\.ts$|\/secret\.ts$/;
const OUTER = /^(report|adapters|definition|access|app|tasks|paperExchange|worlds|cli)\//;
const BANS: readonly Ban[] = [
  {
    why: 'time comes from the Scheduler',
    pattern: /\bDate\b|performance\.now|hrtime|\bset(Timeout|Interval|Immediate)\b|AbortSignal\.timeout/,
    // Pages run in a browser, where a reader's clock and timers are the right ones.
    // What strategy code must not use is watched in tasks/backtest/purity.
    allowed:
      /^adapters\/clock\/|^tasks\/backtest\/purity\/|^report\/page\/browser\/|^report\/run\/page\/|^tasks\/bot\/dashboard\/page\/|^paperExchange\/process\/page\/script\.ts$/,
  },
  { why: 'randomness is seeded', pattern: /Math\.random|randomUUID|randomBytes/, allowed: /^base\/rng|^tasks\/backtest\/purity\// },
  { why: 'rooms 0-6 are synchronous', pattern: /\b(async|await|Promise)\b/, allowed: OUTER },
  { why: 'rooms 0-6 do no I/O', pattern: /from 'node:/, allowed: OUTER },
  {
    why: 'hot rooms say private, not # (docs/performance.md#private-fields)',
    pattern: /(?<=^\s*(?:\w+ )*|\.)#[a-z]\w*/m,
    allowed: NOT_PLAIN,
  },
  {
    why: 'hot rooms have constants of their own for Infinity and NaN (docs/performance.md#file-constants)',
    // Behind an odd number of quotes in its line it is a word of a text.
    pattern: /(?<!^const (?:INFINITY|NAN) = |^[^'\n]*'(?:[^'\n]*'[^'\n]*')*[^'\n]*)\b(?:Infinity|NaN)\b/m,
    allowed: NOT_HOT,
  },
  { why: 'only base/inPackage.ts knows where the package lies', pattern: /import\.meta/, allowed: /^base\/inPackage\.ts$/ },
  { why: 'a tagged template has no </script (build/bundle.mjs)', pattern: /<\/script/, allowed: /^report\/page\/(?:markup|pageCode)\.ts$/ },
  { why: 'only risk approves an order', pattern: /as ApprovedOrder\b/, allowed: /^risk\// },
];

/** Returns the violations in a tree of sources, each as `file: reason`. */
export function tidy(root: string): string[] {
  const files = readdirSync(root, { recursive: true }).map((file) => String(file).split(sep).join('/'));
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'));
  const texts = new Map(sources.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]));
  const bad = sources.flatMap((file) => violations(file, texts.get(file)!));
  return [...bad, ...cycles(texts)];
}

/** Returns the broken rules of one source. */
function violations(file: string, text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const isServer = file in DOORS;
  const problems: string[] = [];
  if (!isServer && !file.includes('/')) problems.push('only doors lie at the top of src');
  if (!/^(#!.*\n)?(\/\/|\/\*)/.test(text)) problems.push('the first line does not say what the file is for');
  for (const { why, pattern, allowed } of BANS) if (!allowed.test(file) && pattern.test(code)) problems.push(why);
  for (const specifier of importsOf(code)) {
    const problem = specifier.startsWith('.') ? crossing(file, specifier) : homeless(file, specifier);
    if (problem) problems.push(problem);
  }
  return problems.map((why) => `${file}: ${why}`);
}

/** Returns the problem of an imported package that this file may not import; null if it may. */
function homeless(file: string, specifier: string): string | null {
  if (specifier.startsWith('node:')) return null;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return HOMES[name]?.some((home) => file.startsWith(`${home}/`)) ? null : `package ${name} is not at home in ${posix.dirname(file)}/`;
}

/** Returns the problem of an import by a file at the top of src, which may import these rooms only; null if it may. */
function crossing(file: string, specifier: string): string | null {
  const there = resolveImport(file, specifier);
  const server = DOORS[file];
  return server === undefined || server.some((room) => there.startsWith(`${room}/`))
    ? null
    : `this door does not show ${posix.dirname(there)}`;
}

/** Cycles of imports that exist at run time; type imports are erased and may point back. */
function cycles(texts: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      problems.push(`${file}: import cycle ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`);
      return;
    }
    state.set(file, 'open');
    const code = (texts.get(file) ?? '').replace(/^import type .*$|\/\/.*$/gm, '');
    for (const specifier of importsOf(code)) if (specifier.startsWith('.')) visit(resolveImport(file, specifier), [...path, file]);
    state.set(file, 'done');
  };
  for (const file of texts.keys()) visit(file, []);
  return problems;
}

const resolveImport = (file: string, specifier: string) => posix.join(posix.dirname(file), specifier);

function importsOf(code: string): string[] {
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'\s,;]+)'/g)].map((match) => match[1]!);
}
