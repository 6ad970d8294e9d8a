// @ts-check
// Makes dist: the compiler checks the sources and writes declarations, the bundler makes the files that run.
// usage: node build/build.mjs [--no-check] [--plain] [--if-changed]
// --plain: each module is the compiler's output under its own name, and no module is bundled. Tests run on it too (test/legs).
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleModules, bundlePages } from './bundle.mjs';
import { writePackages } from './packages.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** Made whole beside dist, which it then replaces: nothing of an earlier build is left, and a build that fails changes nothing. */
const MADE = 'dist-new';
const OLD = 'dist-old';
const COMPILER = 'node_modules/@typescript/native/bin/tsc';

if (process.argv.includes('--if-changed') && isCurrent()) process.exit(0);
for (const folder of [MADE, OLD]) rmSync(folder, { recursive: true, force: true });
const isPlain = process.argv.includes('--plain');
const EMIT = ['--emitDeclarationOnly', 'false', '--sourceMap', '--inlineSources'];
const options = ['-p', 'src', '--outDir', MADE, ...(process.argv.includes('--no-check') ? ['--noCheck'] : []), ...(isPlain ? EMIT : [])];
try {
  execFileSync(process.execPath, [COMPILER, ...options], { stdio: 'inherit' });
} catch {
  // The compiler has said what is wrong.
  process.exit(1);
}
writePackages(MADE, isPlain ? [] : await bundleModules(MADE));
// A page is one script for a browser in both builds.
await bundlePages(MADE);
// For `npx isobar`.
chmodSync(`${MADE}/cli/isobar.js`, 0o755);
if (existsSync('dist')) renameSync('dist', OLD);
renameSync(MADE, 'dist');
rmSync(OLD, { recursive: true, force: true });

/** Whether dist was bundled from the files of now. A folder changes with each file that comes or goes. */
function isCurrent() {
  if (!existsSync('dist/chunks')) return false;
  const builtMs = statSync('dist/index.d.ts').mtimeMs;
  const folders = ['src', 'build'].flatMap((root) => [
    root,
    ...readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)),
  ]);
  const files = folders.filter((path) => !path.endsWith('.test.ts'));
  return [...files, 'package.json', 'package-lock.json', 'tsconfig.json'].every((path) => statSync(path).mtimeMs < builtMs);
}
