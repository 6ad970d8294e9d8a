// Checks before a run that its output folder can be written, because the run would otherwise fail only at its end.

import { existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';

/** Throws ConfigError, naming `option`, if `folder` or its nearest existing parent is a file or is not writable. */
export function checkOutFolder(option: string, folder: string): void {
  let place = resolve(folder);
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  if (!statSync(place).isDirectory()) {
    throw new ConfigError(
      `${option} ${folder}: expected a folder, got a file${place === resolve(folder) ? '' : `, ${place}`}`,
      'name another folder',
    );
  }
  try {
    // Modes do not show this for system folders such as /proc, where Node would retry permanently.
    rmdirSync(mkdtempSync(join(place, '.isobar-')));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ConfigError(`${option} ${folder}: ${place} may not be written to (${code})`, 'name another folder, or correct its rights');
  }
}
