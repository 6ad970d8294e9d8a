// Preloaded by the test runner for each file: Node.js imports the sources itself, and traces of errors name their lines.
import { readFileSync } from 'node:fs';
import { register, SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { compiledPath, isSource } from './compiled.mjs';

const MAP = /^\/\/# sourceMappingURL=data:application\/json;base64,(.*)$/m;
/** By path; null: none can be read. */
const maps = new Map();

// A worker that runs many files has them once.
const DONE = Symbol.for('isobar.nativeSources');
if (globalThis[DONE] === undefined) {
  globalThis[DONE] = true;
  register('./hooks.mjs', import.meta.url);
  // The runner has Node.js map each error by the maps of all modules: slow where many are thrown, and the built package is run as it is.
  process.setSourceMapsEnabled(false);
  // The text is made here: Node.js would map each call a second time as soon as a test has enabled its maps.
  Error.prepareStackTrace = (error, sites) => [titleOf(error), ...sites.map((site) => `    at ${mapped(site)}`)].join('\n');
}

/** Returns name and message of an error, also if its own text throws. */
function titleOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

/** Returns a call site with the line and column of its TypeScript. */
function mapped(site) {
  const name = site.getFileName();
  const path = name?.startsWith('file:') ? fileURLToPath(name) : '';
  if (!isSource(path)) return site;
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  const { originalLine, originalColumn } = mapOf(path)?.findEntry(line - 1, column - 1) ?? {};
  if (originalLine === undefined) return site;
  const own = {
    __proto__: null,
    getLineNumber: () => originalLine + 1,
    getColumnNumber: () => originalColumn + 1,
    toString: () => String(site).replace(`:${line}:${column}`, `:${originalLine + 1}:${originalColumn + 1}`),
  };
  return new Proxy(site, { get: (_, key) => own[key] ?? (typeof site[key] === 'function' ? site[key].bind(site) : site[key]) });
}

function mapOf(path) {
  if (!maps.has(path)) maps.set(path, readMap(path));
  return maps.get(path);
}

function readMap(path) {
  try {
    const [, data = ''] = MAP.exec(readFileSync(compiledPath(path), 'utf8')) ?? [];
    return new SourceMap(JSON.parse(Buffer.from(data, 'base64').toString()));
  } catch {
    return null;
  }
}
