// `--both`: the same benchmark on this Node and on Node 24, one after the other, and what differs.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** By its path: bundled with the benchmark, it would look for Node 24 elsewhere. */
const INSTALLER = new URL('../test/legs/node24.mjs', import.meta.url).href;
const SCRIPT = fileURLToPath(new URL('../bench/run.mjs', import.meta.url));

export interface OnVersion {
  readonly version: string;
  readonly figures: unknown;
}

/** Runs the benchmark with `words` on each Node, which prints one object. Throws where Node 24 cannot be installed. */
export async function onBothVersions(words: readonly string[], print: (text: string) => void): Promise<readonly [OnVersion, OnVersion]> {
  const { node24 } = (await import(INSTALLER)) as { readonly node24: () => string | null };
  const later = node24();
  if (later === null) throw new Error('Node 24 is not there, and could not be installed');
  return [runOn(process.execPath, words, print), runOn(later, words, print)];
}

function runOn(node: string, words: readonly string[], print: (text: string) => void): OnVersion {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  print(`bench: on Node ${version}`);
  const given = ['--expose-gc', SCRIPT, ...words, '--json'];
  const { status, stdout } = spawnSync(node, given, { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`the benchmark failed on Node ${version}`);
  return { version, figures: JSON.parse(stdout) as unknown };
}
