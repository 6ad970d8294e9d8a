// Runs the same benchmark on this Node and then on Node 24, for the switch `--both`.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Imported by its path, because a bundled copy would look for Node 24 in another folder. */
const INSTALLER = new URL('../test/legs/node24.mjs', import.meta.url).href;
const SCRIPT = fileURLToPath(new URL('../bench/run.mjs', import.meta.url));

/** The figures of one version of Node. */
export interface VersionFigures {
  readonly version: string;
  readonly figures: unknown;
}

/** Runs the benchmark with `args` on both Nodes and returns the JSON object of each. Throws if Node 24 cannot be installed. */
export async function onBothVersions(
  args: readonly string[],
  print: (text: string) => void,
): Promise<readonly [VersionFigures, VersionFigures]> {
  const { node24 } = (await import(INSTALLER)) as { readonly node24: () => string | null };
  const node24Path = node24();
  if (node24Path === null) throw new Error('expected Node 24, but it is absent and cannot be installed');
  return [runOn(process.execPath, args, print), runOn(node24Path, args, print)];
}

/** Runs the benchmark on a Node, and returns its figures. */
function runOn(nodePath: string, args: readonly string[], print: (text: string) => void): VersionFigures {
  const version = spawnSync(nodePath, ['--version'], { encoding: 'utf8' }).stdout.trim();
  print(`bench: on Node ${version}`);
  const nodeArgs = ['--expose-gc', SCRIPT, ...args, '--json'];
  const { status, stdout } = spawnSync(nodePath, nodeArgs, { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`the benchmark failed on Node ${version}`);
  return { version, figures: JSON.parse(stdout) as unknown };
}
