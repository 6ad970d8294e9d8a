// Where this copy of isobar came from, as a package.json of another project can ask for it.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { packageFolder, packageVersion } from '../../adapters/runtime/version.ts';

/** What npm notes of a folder of modules: where each of them was taken from. */
const LOCK = z.object({ packages: z.record(z.string(), z.object({ resolved: z.string().optional() })) });

/**
 * What the project in `folder` depends on to get the isobar that is installed `here`: its checkout, the tarball or repository that it came
 * from, and of a registry the exact version. Not every copy is published: a version alone would then name another package, or none.
 */
export function originFor(folder: string, here: string = packageFolder()): string {
  if (existsSync(join(here, 'src', 'index.ts'))) return fileSpec(folder, here);
  const modules = dirname(here);
  const resolved = basename(modules) === 'node_modules' ? noted(join(modules, '.package-lock.json')) : null;
  if (resolved === null) return packageVersion();
  if (!resolved.startsWith('file:')) return isRegistry(resolved) ? packageVersion() : resolved;
  const path = resolve(dirname(modules), resolved.slice('file:'.length));
  return existsSync(path) ? fileSpec(folder, path) : packageVersion();
}

/** Paths of registries have `/-/` before the name of the file. */
function isRegistry(resolved: string): boolean {
  return /^https?:.*\/-\//.test(resolved);
}

function noted(lock: string): string | null {
  if (!existsSync(lock)) return null;
  const { data } = LOCK.safeParse(JSON.parse(readFileSync(lock, 'utf8')));
  return data?.packages['node_modules/isobar']?.resolved ?? null;
}

function fileSpec(folder: string, path: string): string {
  return `file:${relative(real(folder), realpathSync(path))}`;
}

/** The path without links, also of a folder that is not there yet. */
function real(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : join(real(dirname(folder)), basename(folder));
}
