// Installs the packages that only a comparison needs. They are in a folder with its own lock file, which is never published.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A folder with packages for a comparison. */
export interface Workspace {
  readonly folder: string;
  /** A package of the folder. When it exists, the folder counts as installed. */
  readonly probePackage: string;
  /** The packages and their size, as text. */
  readonly description: string;
}

/** Installs the workspace unless it is installed already. Returns false, with a printed reason, if npm cannot install it. */
export function installWorkspace({ folder, probePackage, description }: Workspace, print: (text: string) => void): boolean {
  if (existsSync(join(folder, 'node_modules', probePackage, 'package.json'))) return true;
  print(`bench: installs ${description}: npm ci --ignore-scripts`);
  const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, encoding: 'utf8' });
  if (status === 0) return true;
  const reason = stderr?.split('\n').find((line) => line.startsWith('npm error')) ?? 'npm does not run';
  print(`bench: skipped, because it cannot be installed (${reason.replace('npm error', '').trim()})`);
  return false;
}
