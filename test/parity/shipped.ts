// Generates the bars of shipped definitions, once for all definitions that name the same commands.

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
export function madeBars(catalogs: string, commands: readonly string[]): string {
  const folder = join(catalogs, createHash('sha256').update(commands.join('\n')).digest('hex').slice(0, 12));
  if (existsSync(folder)) return folder;
  mkdirSync(folder, { recursive: true });
  for (const args of commands) shipped.isobar(ROOT, folder, args);
  return folder;
}
