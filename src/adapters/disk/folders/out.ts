// Folders that will be written into, tried before anything begins: it would be told when all is computed, or, of some folders, never.

import { existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';

/** Throws ConfigError, naming `option`, where `folder` or what it would lie in is a file, or may not be written to. */
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
    // Rights do not tell of a system's own folders, such as /proc, in which Node would try to make one for ever.
    rmdirSync(mkdtempSync(join(place, '.isobar-')));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ConfigError(`${option} ${folder}: ${place} may not be written to (${code})`, 'name another folder, or mend its rights');
  }
}
