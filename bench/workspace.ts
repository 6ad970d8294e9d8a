// Installs what a comparison needs and the project does not: a folder with a lock file of its own, never published.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface Workspace {
  readonly folder: string;
  /** A package of it, by which one sees that it is installed. */
  readonly shows: string;
  /** What is installed and how large it is, as text. */
  readonly what: string;
}

/** Once. False where npm cannot do it; the reason is said. */
export function installed({ folder, shows, what }: Workspace, print: (text: string) => void): boolean {
  if (existsSync(join(folder, 'node_modules', shows, 'package.json'))) return true;
  print(`bench: installs ${what}: npm ci --ignore-scripts`);
  const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, encoding: 'utf8' });
  if (status === 0) return true;
  const why = stderr?.split('\n').find((line) => line.startsWith('npm error')) ?? 'npm does not run';
  print(`bench: skipped, for it cannot be installed (${why.replace('npm error', '').trim()})`);
  return false;
}
