// The rules of the house, read off the sources as text: layers, walls, homes of packages, and what the pure rooms may not do.

import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';

/** Rooms from the bottom up; each imports only rooms of a lower row. */
const LAYERS = [
  ['base'],
  ['model'],
  ['protocol', 'ports'],
  ['portfolio', 'venue', 'indicators', 'scheduler'],
  ['orders'],
  ['strategy', 'risk'],
  ['engine'],
  ['report', 'adapters', 'service', 'research', 'plugins'],
  ['app'],
  ['live', 'cli'],
];
const RANK = new Map(LAYERS.flatMap((rooms, rank) => rooms.map((room): [string, number] => [room, rank])));

/** The public doors: the only files at the top of src, and the rooms that they show. */
const DOORS: Readonly<Record<string, readonly string[]>> = { 'index.ts': ['model', 'indicators', 'strategy'], 'run.ts': ['app'] };

/** Imports that the ranks would allow: truth (venue) and belief (orders) talk only by messages. */
const WALLS: Readonly<Record<string, readonly string[]>> = {
  orders: ['venue'],
  engine: ['venue', 'protocol'],
  risk: ['venue', 'strategy'],
  strategy: ['orders', 'venue', 'risk'],
};

/** The only rooms in which a package may be imported; one without a home is a violation. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  inversify: ['app'],
  'reflect-metadata': ['app', 'cli'],
  zod: ['app'],
  yaml: ['app'],
  pino: ['app'],
  technicalindicators: ['indicators'],
  esbuild: ['plugins'],
  fzstd: ['adapters'],
  lz4js: ['adapters'],
  piscina: ['research'],
  bullmq: ['research'],
  ioredis: ['research'],
  'lightweight-charts': ['report', 'live'],
  uplot: ['report'],
  yargs: ['cli'],
  undici: ['adapters'],
  croner: ['adapters'],
  'decimal.js': ['base', 'model', 'protocol', 'strategy', 'report', 'adapters', 'service', 'research', 'plugins', 'app', 'cli', 'live'],
};

interface Ban {
  readonly why: string;
  readonly pattern: RegExp;
  /** Files in which it is allowed. */
  readonly allowed: RegExp;
}

const OUTER = /^(report|adapters|service|research|plugins|app|live|cli)\//;
const BANS: readonly Ban[] = [
  {
    why: 'time comes from the Scheduler',
    pattern: /\bDate\b|performance\.now|hrtime|\bset(Timeout|Interval|Immediate)\b|AbortSignal\.timeout/,
    // Pages run in a browser, where a reader's clock and timers are the right ones.
    // What strategy code must not use is watched in app/purity.
    allowed: /^adapters\/clock\/|^app\/purity\/|^report\/html\/page\/|^live\/dashboard\/page\/|^app\/exchange\/page\/script\.ts$/,
  },
  { why: 'randomness is seeded', pattern: /Math\.random|randomUUID|randomBytes/, allowed: /^base\/rng|^app\/purity\// },
  { why: 'rooms 0-6 are synchronous', pattern: /\b(async|await|Promise)\b/, allowed: OUTER },
  { why: 'rooms 0-6 do no I/O', pattern: /from 'node:/, allowed: OUTER },
  { why: 'only risk approves an order', pattern: /as ApprovedOrder\b/, allowed: /^risk\// },
];

/** The violations in a tree of sources, each as `file: reason`; empty when the house is tidy. */
export function tidy(root: string): string[] {
  const files = readdirSync(root, { recursive: true }).map((file) => String(file).split(sep).join('/'));
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'));
  const texts = new Map(sources.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]));
  const bad = sources.flatMap((file) => violations(file, texts.get(file)!));
  return [...bad, ...cycles(texts)];
}

function violations(file: string, text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const [room = ''] = file.split('/');
  const isDoor = file in DOORS;
  const found: string[] = [];
  if (!isDoor && !RANK.has(room)) found.push(`room ${room} is not on the plan`);
  if (!/^(#!.*\n)?(\/\/|\/\*)/.test(text)) found.push('the first line does not say what the file is for');
  for (const { why, pattern, allowed } of BANS) if (!allowed.test(file) && pattern.test(code)) found.push(why);
  for (const specifier of importsOf(code)) {
    const problem = specifier.startsWith('.') ? crossing(file, specifier) : homeless(room, specifier);
    if (problem) found.push(problem);
  }
  return found.map((why) => `${file}: ${why}`);
}

function homeless(room: string, specifier: string): string | null {
  if (specifier.startsWith('node:')) return null;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return HOMES[name]?.includes(room) ? null : `package ${name} is not at home in ${room}/`;
}

function crossing(file: string, specifier: string): string | null {
  const [room = '', wing] = file.split('/');
  const [there = '', otherWing] = resolved(file, specifier).split('/');
  const door = DOORS[file];
  if (door) return door.includes(there) ? null : `this door does not show ${there}`;
  if (there === room)
    return room === 'adapters' && !mayImport(wing, otherWing) ? `adapters/${wing} may not import adapters/${otherWing}` : null;
  if (!((RANK.get(there) ?? Infinity) < (RANK.get(room) ?? -1))) return `${room} may not import ${there}: not a lower layer`;
  return WALLS[room]?.includes(there) ? `there is a wall between ${room} and ${there}` : null;
}

/** Every adapter stands on the disk: files, folders and the process lock. */
const mayImport = (wing: string | undefined, otherWing: string | undefined): boolean => wing === otherWing || otherWing === 'disk';

/** Cycles of imports that exist at run time; type imports are erased and may point back. */
function cycles(texts: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push(`${file}: import cycle ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`);
      return;
    }
    state.set(file, 'open');
    const code = (texts.get(file) ?? '').replace(/^import type .*$|\/\/.*$/gm, '');
    for (const specifier of importsOf(code)) if (specifier.startsWith('.')) visit(resolved(file, specifier), [...path, file]);
    state.set(file, 'done');
  };
  for (const file of texts.keys()) visit(file, []);
  return found;
}

const resolved = (file: string, specifier: string) => posix.join(posix.dirname(file), specifier);

function importsOf(code: string): string[] {
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'\s,;]+)'/g)].map((match) => match[1]!);
}
