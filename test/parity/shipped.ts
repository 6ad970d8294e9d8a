// Lists the shipped definitions and generates their bars, once for all definitions that name the same commands.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as shipped from '../fixtures/shippedDefinitions.ts';

/** The folder of the package, ending in a separator. The bundle sets it. */
declare const ROOT: string;

/** Returns the shipped definitions in a folder of this checkout. */
export const definitionsIn = (folder: string): readonly shipped.ShippedDefinition[] => shipped.definitionsIn(ROOT, folder);
/** Returns the overrides with which a definition runs outside of this checkout, with its catalog in `folder`. */
export const placementSettings = (file: string, folder: string): string[] => shipped.placementSettings(ROOT, file, folder);

/** Runs the commands that generate the bars of a definition, unless another definition has done so. Returns the folder. */
export function generateBarsOnce(catalogs: string, commands: readonly string[]): string {
  const commandsHash = createHash('sha256').update(commands.join('\n')).digest('hex');
  const folder = join(catalogs, commandsHash.slice(0, 12));
  if (existsSync(folder)) return folder;
  mkdirSync(folder, { recursive: true });
  for (const command of commands) shipped.isobar(ROOT, folder, command);
  return folder;
}
