// @ts-check
// Builds dist: the compiler checks the sources and writes the declarations, and the bundler writes the files that run.
// usage: node build/build.mjs [--no-check] [--plain] [--if-changed]
// --plain: each module is the compiler's output under its own name, and no module is bundled. Tests run on it too (test/legs).
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleModules, bundlePages } from './bundle.mjs';
import { writePackages } from './packages.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/**
 * The new build is completed in a folder of its own, which then replaces dist. So no file of an earlier build stays, and a failed build
 * changes nothing.
 */
const NEW_FOLDER = 'dist-new';
const OLD_FOLDER = 'dist-old';
const COMPILER = 'node_modules/@typescript/native/bin/tsc';

if (process.argv.includes('--if-changed') && isCurrent()) process.exit(0);
for (const folder of [NEW_FOLDER, OLD_FOLDER]) rmSync(folder, { recursive: true, force: true });
const isPlain = process.argv.includes('--plain');
/** Options with which the compiler writes modules too, not only declarations. */
const EMIT_MODULES = ['--emitDeclarationOnly', 'false', '--sourceMap', '--inlineSources'];
const compilerOptions = [
  '-p',
  'src',
  '--outDir',
  NEW_FOLDER,
  ...(process.argv.includes('--no-check') ? ['--noCheck'] : []),
  ...(isPlain ? EMIT_MODULES : []),
];
try {
  execFileSync(process.execPath, [COMPILER, ...compilerOptions], { stdio: 'inherit' });
} catch {
  // The compiler has printed the errors.
  process.exit(1);
}
writePackages(NEW_FOLDER, isPlain ? [] : await bundleModules(NEW_FOLDER));
// A page is one script for a browser in both builds.
await bundlePages(NEW_FOLDER);
// `npx isobar` runs this file.
chmodSync(`${NEW_FOLDER}/cli/isobar.js`, 0o755);
if (existsSync('dist')) renameSync('dist', OLD_FOLDER);
renameSync(NEW_FOLDER, 'dist');
rmSync(OLD_FOLDER, { recursive: true, force: true });

/** Returns true if no source is newer than dist. Folders count too: their time changes when a file is added or removed. */
function isCurrent() {
  if (!existsSync('dist/chunks')) return false;
  const builtMs = statSync('dist/index.d.ts').mtimeMs;
  const filesAndFolders = ['src', 'build'].flatMap((root) => {
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
    return [root, ...names.map((name) => join(root, name))];
  });
  const sources = filesAndFolders.filter((path) => !path.endsWith('.test.ts'));
  const settings = ['package.json', 'package-lock.json', 'tsconfig.json'];
  return [...sources, ...settings].every((path) => statSync(path).mtimeMs < builtMs);
}
