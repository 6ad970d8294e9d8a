// The bars of shipped definitions, made once for all definitions that name the same commands.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as shipped from '../fixtures/shippedDefinitions.ts';

/** The folder of the package, ending in a separator. The bundle sets it. */
declare const ROOT: string;

export const definitionsIn = (folder: string): readonly shipped.Shipped[] => shipped.definitionsIn(ROOT, folder);
export const placed = (file: string, folder: string): string[] => shipped.placed(ROOT, file, folder);

/** Makes the bars by the commands that a definition names, and returns the folder; what other definitions have had made is taken. */
export function madeBars(catalogs: string, commands: readonly string[]): string {
  const folder = join(catalogs, createHash('sha256').update(commands.join('\n')).digest('hex').slice(0, 12));
  if (existsSync(folder)) return folder;
  mkdirSync(folder, { recursive: true });
  for (const words of commands) shipped.isobar(ROOT, folder, words);
  return folder;
}
