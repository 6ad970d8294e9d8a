// Tests that the installed package can be debugged: stacks name lines of src, and a breakpoint in a source file stops there.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPackage, ROOT, type InstalledPackage } from '../fixtures/packed.ts';

const SOURCE = 'src/strategy/params.ts';
const lines = readFileSync(join(ROOT, SOURCE), 'utf8').split('\n');
/** Returns the line number of a text in the source, from 1. */
const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1;

let installed: InstalledPackage;
beforeAll(() => (installed = installPackage()));
afterAll(() => installed.remove());

/** Runs a script beside the installed package, and returns its output. */
function runScript(name: string, text: string, ...options: readonly string[]): string {
  const file = join(installed.folder, name);
  writeFileSync(file, text);
  return execFileSync(process.execPath, [...options, file], {
    cwd: installed.folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const THROWS = `import { decimal } from 'isobar';
try { decimal('no number'); } catch (error) { console.log(error.stack); }
`;

test('with --enable-source-maps a stack names the file and the line of src', () => {
  const frames = runScript('throws.mjs', THROWS, '--enable-source-maps')
    .split('\n')
    .filter((stackLine) => /^\s+at /.test(stackLine));
  const sourceLine = lineOf('throw new ConfigError(`a parameter');
  expect(frames[0]).toMatch(new RegExp(`at decimal \\(.*/node_modules/isobar/${SOURCE}:${sourceLine}:\\d+\\)`));
  expect(frames.join('\n')).not.toContain('/isobar/dist/');
});

test('a fault that a command prints names the file and the line of src, without an option', () => {
  const places = new Set(
    runScript(
      'fault.mjs',
      `import { decimal } from 'isobar';
import { printFailure } from './node_modules/isobar/dist/cli/terminal/failure.js';
process.stderr.write = (text) => process.stdout.write(text);
try { decimal('no number'); } catch (error) { printFailure(Object.assign(new Error('planted'), { stack: error.stack })); }
`,
    ).match(/isobar\/(?:src|dist)\/\S+:\d+/g),
  );
  expect([...places].map((stackPlace) => stackPlace.replace(/:\d+$/, ''))).toContain(
    `isobar/${SOURCE}:${lineOf('throw new ConfigError(`a parameter')}`,
  );
  expect([...places].filter((stackPlace) => stackPlace.startsWith('isobar/dist/'))).toEqual([]);
});

/**
 * Debugs the main thread as an editor does. Reads the source map of each parsed script, and sets a breakpoint at the first place that the
 * map gives for the source line.
 */
const DEBUGGER = `import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { SourceMap } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const session = new Session();
session.connectToMainThread();
const maps = new Map();
session.on('Debugger.scriptParsed', ({ params: { scriptId, url, sourceMapURL } }) => {
  if (!url.includes('/isobar/dist/') || sourceMapURL === '') return;
  const payload = JSON.parse(readFileSync(new URL(sourceMapURL, url), 'utf8'));
  const map = new SourceMap(payload);
  const isInSource = (entry) => 'originalSource' in entry && new URL(entry.originalSource, url).pathname.endsWith(workerData.source);
  maps.set(scriptId, map);
  const isAt = (lineNumber, columnNumber) => {
    const entry = map.findEntry(lineNumber, columnNumber);
    return isInSource(entry) && entry.originalLine + 1 === workerData.line;
  };
  for (const [lineNumber, text] of readFileSync(new URL(url), 'utf8').split('\\n').entries()) {
    const columnNumber = [...text.matchAll(/\\w+/g)].map(({ index }) => index).find((column) => isAt(lineNumber, column));
    if (columnNumber === undefined) continue;
    session.post('Debugger.setBreakpoint', { location: { scriptId, lineNumber, columnNumber } }, (error) => {
      if (error) throw error;
      parentPort.postMessage('set');
    });
    return;
  }
});
session.on('Debugger.paused', ({ params: { callFrames: [{ functionName, location }] } }) => {
  const map = maps.get(location.scriptId);
  const entry = map.findEntry(location.lineNumber, location.columnNumber);
  parentPort.postMessage({ functionName, line: entry.originalLine + 1, text: payloadLine(map, entry) });
  session.post('Debugger.resume');
});
const payloadLine = ({ payload: { sources, sourcesContent } }, { originalSource, originalLine }) =>
  sourcesContent[sources.indexOf(originalSource)].split('\\n')[originalLine].trim();
// Keeps the thread alive.
parentPort.on('message', () => {});
session.post('Debugger.enable', () => parentPort.postMessage('ready'));
`;

test('a breakpoint in a source file stops there, and the debugger has the text of the source from the map', () => {
  const text = 'const value = parse(byDefault);';
  const sourceLine = lineOf(text);
  writeFileSync(join(installed.folder, 'debugger.mjs'), DEBUGGER);
  const reported = runScript(
    'debugged.mjs',
    `import { Worker } from 'node:worker_threads';
const worker = new Worker(new URL('debugger.mjs', import.meta.url), { workerData: ${JSON.stringify({ source: `/isobar/${SOURCE}`, line: sourceLine })} });
const received = [];
const nextMessage = (isExpected) => new Promise((resolve) => worker.on('message', (message) => {
  received.push(message);
  if (isExpected(message)) resolve();
}));
await nextMessage((message) => message === 'ready');
const breakpointSet = nextMessage((message) => message === 'set');
const { decimal } = await import('isobar');
await breakpointSet;
const stopped = nextMessage((message) => typeof message === 'object');
decimal('1.5');
await stopped;
console.log(JSON.stringify(received.find((message) => typeof message === 'object')));
process.exit(0);
`,
  );
  expect(JSON.parse(reported)).toEqual({ functionName: 'decimal', line: sourceLine, text });
});
