// Writes a group of files completely or not at all, and never overwrites files.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileError } from '../../adapters/disk/fileError.ts';
import { ConfigError } from '../../base/errors.ts';
import type { Texts } from './templateTexts.ts';

/**
 * Writes `texts` to `folder`, then lets `fill` write into the new folder `filled`. Throws ConfigError if a file exists already or cannot be
 * written. Then only the files written by this call are removed.
 */
export function writeAll(folder: string, texts: Texts, filled: string | null = null, fill: (folder: string) => void = () => {}): void {
  const existingFiles = Object.keys(texts).filter((file) => existsSync(join(folder, file)));
  if (existingFiles.length > 0)
    throw new ConfigError(`${existingFiles.join(', ')}: there already`, 'choose another name, or move it away first');
  const createdPaths: string[] = [];
  const makeFolder = (path: string) => {
    const first = mkdirSync(path, { recursive: true });
    if (first !== undefined) createdPaths.push(first);
  };
  try {
    for (const [file, text] of Object.entries(texts)) {
      const path = join(folder, file);
      makeFolder(dirname(path));
      writeFileSync(path, text, { flag: 'wx' });
      createdPaths.push(path);
    }
    if (filled === null) return;
    makeFolder(join(folder, filled));
    fill(join(folder, filled));
  } catch (error) {
    for (const path of createdPaths) rmSync(path, { recursive: true, force: true });
    throw fileError(folder, 'cannot be written', error);
  }
}
