// Makes the Python environment with the other tools for `npm run agree`: once in the cache of the checkout, and again when the list of
// packages changes.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Why the tools cannot run, and what helps. */
export class ToolsUnavailable extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** Returns the Python of the environment. `report` gets one line before each step that takes time. Throws ToolsUnavailable. */
export function pythonWithTools(root: string, report: (line: string) => void): string {
  const folder = join(root, '.isobar-cache', 'agree');
  const requirementsFile = join(root, 'test', 'agree', 'requirements.txt');
  const installedList = join(folder, 'made.txt');
  const python = join(folder, 'venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const requirements = readFileSync(requirementsFile, 'utf8');
  if (existsSync(installedList) && existsSync(python) && readFileSync(installedList, 'utf8') === requirements) return python;
  const base = basePython();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  report('making a Python environment in .isobar-cache/agree');
  runCommand(
    base,
    ['-m', 'venv', join(folder, 'venv')],
    'the environment cannot be made',
    'install the venv module of Python (Debian: apt-get install python3-venv)',
  );
  report(`installing ${packagesOf(requirements).join(', ')}: some minutes`);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', requirementsFile];
  runCommand(
    python,
    install,
    'the packages cannot be installed',
    'look at the message above: pip needs a package index, and Python 3.11 to 3.13',
  );
  writeFileSync(installedList, requirements);
  return python;
}

/** Returns the packages of requirements.txt. */
function packagesOf(list: string): string[] {
  return list.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** Returns the Python of the machine: that of the variable PYTHON, or python3. */
function basePython(): string {
  const name = process.env['PYTHON'] ?? 'python3';
  const { error, status } = spawnSync(name, ['--version'], { stdio: 'ignore' });
  if (error === undefined && status === 0) return name;
  throw new ToolsUnavailable(
    `${name}: there is no Python here that can be started`,
    'install Python 3.11 or later, or name one: PYTHON=/path/to/python3 npm run agree',
  );
}

/** Runs a command. Throws ToolsUnavailable if it fails. */
function runCommand(command: string, args: readonly string[], failure: string, remedy: string): void {
  const { error, status } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error === undefined && status === 0) return;
  throw new ToolsUnavailable(failure, remedy);
}
