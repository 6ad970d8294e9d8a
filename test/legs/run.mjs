// Runs the tests on another build or on another Node: node test/legs/run.mjs <tsc | node24> [--short] [file ...]
// tsc: a copy of the checkout whose dist is what the compiler alone emits. node24: Node 24 runs the tests and all that they start.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { node24 } from './node24.mjs';
import { OF_BUNDLE, SHORT } from './parts.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Not copied: what is linked, what is built, and what a run leaves. */
const OWN = new Set(['.git', '.isobar-cache', 'coverage', 'data', 'dist', 'dist-new', 'dist-old', 'node_modules', 'runs']);
const LINKED = ['node_modules', 'test/ccxt/node_modules', '.isobar-cache/node24'];

function fail(message) {
  console.error(`${message}\nusage: node test/legs/run.mjs <tsc | node24> [--short] [file ...]`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { short: { type: 'boolean', default: false } } });
  } catch (error) {
    return fail(error.message);
  }
}

/** Runs `args` by `node`, which is also the `node` of every command that they start. Returns the exit code. */
function run(node, args, cwd) {
  const PATH = `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`;
  return spawnSync(node, args, { cwd, stdio: 'inherit', env: { ...process.env, PATH } }).status ?? 1;
}

/** Makes the copy anew, or a file that was deleted would still be tested. Returns its folder. */
function plainCopy() {
  const copy = join(root, '.isobar-cache', 'tsc');
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(join(copy, '.isobar-cache'), { recursive: true });
  const isCopied = (path) => !path.endsWith('/node_modules');
  for (const name of readdirSync(root)) {
    if (!OWN.has(name)) cpSync(join(root, name), join(copy, name), { recursive: true, filter: isCopied });
  }
  for (const path of LINKED) if (existsSync(join(root, path))) symlinkSync(join(root, path), join(copy, path));
  const status = run(process.execPath, ['build/build.mjs', '--no-check', '--plain'], copy);
  if (status !== 0) process.exit(status);
  return copy;
}

const { values, positionals } = readArguments();
const [leg, ...named] = positionals;
if (leg !== 'tsc' && leg !== 'node24') fail(`${leg ?? 'no leg'}: expected tsc or node24`);
const node = leg === 'node24' ? node24() : process.execPath;
if (node === null) fail('Node 24 is not there, and could not be installed');
const folder = leg === 'tsc' ? plainCopy() : root;
const files = named.length > 0 ? named : values.short ? SHORT : [];
const without = leg === 'tsc' ? OF_BUNDLE.flatMap((file) => ['--exclude', file]) : [];
console.log(
  `\n${leg === 'tsc' ? 'On the output of the compiler alone' : 'On Node 24'}: ${files.length > 0 ? files.length : 'all'} test files`,
);
process.exitCode = run(node, ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...without, ...files], folder);
