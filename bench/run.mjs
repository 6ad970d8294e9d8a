// Starts the benchmark: transpiles its TypeScript and runs it over the built package, on every supported Node.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
// Read first: its usage needs no built package.
const { isOwnProcess, readArguments, USAGE } = await import(`data:text/javascript,${encodeURIComponent(await bundled('arguments.ts'))}`);
const commandWords = process.argv.slice(2);
if (!isOwnProcess(commandWords)) stopWithUsage(commandWords);

const folder = `${root}.isobar-cache`;
mkdirSync(folder, { recursive: true });
// Several processes of the benchmark run at the same time, so each writes a file of its own.
const file = `${folder}/bench-${process.pid}.mjs`;
writeFileSync(file, await bundled('bench.ts'));
try {
  await import(pathToFileURL(file).href);
} finally {
  rmSync(file);
}

/**
 * Returns a file of this folder and what it imports as one module.
 * @param {string} name
 */
async function bundled(name) {
  const { outputFiles } = await build({
    entryPoints: [`${root}bench/${name}`],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // The built package is not bundled, so that each class exists once and the loop stays in its own module.
    plugins: [{ name: 'dist', setup: (hooks) => hooks.onResolve({ filter: /^\.\.\/dist\// }, ({ path }) => ({ path, external: true })) }],
    packages: 'external',
  });
  return outputFiles[0].text;
}

/**
 * Prints the usage and ends the process if it was requested, or if a word is unknown.
 * @param {readonly string[]} words
 */
function stopWithUsage(words) {
  try {
    if (!readArguments(words).isHelp) return;
    process.stdout.write(USAGE);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`bench: ${error.message}\n\n${USAGE}`);
    process.exit(1);
  }
}
