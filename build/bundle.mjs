// @ts-check
// Bundles src into dist. The bundler reads the sources as they are; no pass of ours rewrites code.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { ENTRIES, LOOP_ENTRY, PAGES, TEST_ENTRIES } from './entries.mjs';

/** @import { InputOptions, OutputChunk, OutputOptions, Plugin } from 'rolldown' */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const pathHere = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Packages that are bundled. They consist of many small files: a start would read about 380 of them. */
const BUNDLED = ['inversify', 'pino', 'reflect-metadata', 'undici', 'yaml', 'yargs', 'zod'];

/** Packages of package.json that stay where npm has installed them. An import of any other package fails the build. */
const EXTERNAL = installedPackages().filter((name) => !BUNDLED.includes(name));

/**
 * Rooms that are bundled into one file each, which saves a start about 60 files.
 * - The imports of a group must stay inside it or go to lower groups. Otherwise one file would read a constant of another one before it is
 *   initialised. Rooms import only lower rooms (test/architecture/floors.json), so a group of the lowest rooms fulfils this.
 * - The group `base` leaves out the modules that need decimal.js, because `isobar --help` runs without it. It has the ports and the lines of
 *   a terminal. A command that starts a thread and writes files then loads neither `core` nor `figures` in its own thread.
 * - A group also takes what its modules import, so lower rooms have a higher priority.
 */
const GROUPS = [
  {
    name: 'base',
    test: /\/src\/(?:(?:base|model|ports)\/(?!number\/(?:decimal|scaledDecimal)\.ts$|value\.ts$)|report\/terminal\/lines\.ts$)/,
    priority: 4,
  },
  { name: 'decimals', test: /\/src\/(?:base\/number\/(?:decimal|scaledDecimal)|model\/value)\.ts$/, priority: 3 },
  { name: 'protocol', test: /\/src\/protocol\/(?:errors\/(?:errorCodes|httpStatus)|contractModes|dialect)\.ts$/, priority: 3 },
  { name: 'core', test: /\/src\/(?:portfolio|venue|indicators|orders|strategy|risk|engine)\/[^?]*$/, priority: 2 },
  {
    name: 'figures',
    test: /\/src\/report\/(?:kernels|series|trades|metrics|warnings|envelope|summary|words|terminal)\/[^?]*$/,
    priority: 1,
  },
  { name: 'text', test: /\/src\/definition\/text\/[^?]*$/, priority: 1 },
  { name: 'disk', test: /\/src\/adapters\/disk\//, priority: 2 },
];

/** Suffix of a second module of the block loop. No other module imports this one, so the bundler keeps the function itself in the entry file. */
const OWN_COPY = '?own';

/**
 * Loads the source of the block loop for its second module.
 * @type {Plugin}
 */
const ownLoop = {
  name: 'own loop',
  resolveId: { filter: { id: /\?own$/ }, handler: (id) => `${ROOT}${id}` },
  load: {
    filter: { id: /\?own$/ },
    handler: (id) => ({ code: readFileSync(id.slice(0, -OWN_COPY.length), 'utf8'), moduleType: 'ts' }),
  },
};

/** @type {InputOptions} */
const INPUT = {
  cwd: ROOT,
  tsconfig: `${ROOT}src/tsconfig.json`,
  // A warning of the bundler fails the build, because a warning alone would not be read.
  onLog: (level, log, report) => (level === 'warn' ? report('error', log) : report(level, log)),
};

/** @type {OutputOptions} */
const OUTPUT = {
  // Names in stack traces are those of the sources.
  keepNames: true,
  minify: false,
  minifyInternalExports: false,
  comments: { legal: true, annotation: false, jsdoc: false },
};

/**
 * Bundles the modules for Node into the folder `dist`: an entry has the name of its source, and `chunks` has the code that entries share.
 * Returns the files.
 * @param {string} dist
 * @returns {Promise<readonly OutputChunk[]>}
 */
export async function bundleModules(dist) {
  const input = Object.fromEntries([...ENTRIES, ...TEST_ENTRIES].map((name) => [name, `src/${name}.ts`]));
  const build = await rolldown({
    ...INPUT,
    input: { ...input, [LOOP_ENTRY]: `src/${LOOP_ENTRY}.ts${OWN_COPY}` },
    platform: 'node',
    external: (id) => EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`)),
    resolve: {
      alias: { 'string-width$': pathHere('textWidth.mjs'), undici$: pathHere('undici.mjs'), 'reflect-metadata$': 'reflect-metadata/lite' },
    },
    plugins: [ownLoop],
  });
  const { output } = await build.write({
    ...OUTPUT,
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    sourcemap: true,
    codeSplitting: { groups: GROUPS },
    sourcemapPathTransform: (path) => (path.endsWith(OWN_COPY) ? path.slice(0, -OWN_COPY.length) : path),
  });
  await build.close();
  return output.filter((file) => file.type === 'chunk');
}

/**
 * Bundles the pages into `dist`: each is one script for a browser.
 * @param {string} dist
 */
export async function bundlePages(dist) {
  for (const page of PAGES) {
    const build = await rolldown({ ...INPUT, input: `src/${page}.ts`, platform: 'browser' });
    await build.write({ ...OUTPUT, file: `${dist}/${page}.js`, format: 'iife' });
    await build.close();
  }
}

/** Returns the names of the packages of package.json that a user's installation has. */
function installedPackages() {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  return Object.keys({ ...dependencies, ...peerDependencies });
}
