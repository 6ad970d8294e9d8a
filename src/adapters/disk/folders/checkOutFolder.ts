// Checks before a run that its output folder can be written, so that the run does not fail at its end.

import { existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import { fileError } from '../fileError.ts';

/** Throws ConfigError, naming `option`, if `folder` or its nearest existing parent is a file or is not writable. */
export function checkOutFolder(option: string, folder: string): void {
  checkName(option, folder);
  let existing = resolve(folder);
  while (!existsSync(existing) && existing !== dirname(existing)) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) {
    throw new ConfigError(
      `${option} ${folder}: expected a folder, got a file${existing === resolve(folder) ? '' : `, ${existing}`}`,
      'name another folder',
    );
  }
  try {
    // Try it, because modes do not show it for system folders such as /proc, where Node would retry permanently.
    rmdirSync(mkdtempSync(join(existing, '.isobar-')));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ConfigError(`${option} ${folder}: ${existing} may not be written to (${code})`, 'name another folder, or correct its rights');
  }
}

/** Throws ConfigError if the system takes no such name: it is too long, or its links lead in a circle. */
function checkName(option: string, folder: string): void {
  try {
    statSync(folder, { throwIfNoEntry: false });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENAMETOOLONG' || code === 'ELOOP') throw fileError(`${option} ${folder}`, 'cannot be used', error);
  }
}
