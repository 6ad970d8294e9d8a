// Finds where this copy of isobar was installed from, for the package.json of a new project.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { packageFolder, packageVersion } from '../../adapters/runtime/version.ts';

/** The npm lock file of a modules folder: where each module came from. */
const LOCK_SCHEMA = z.object({ packages: z.record(z.string(), z.object({ resolved: z.string().optional() })) });

/**
 * Returns the dependency that gives the project in `folder` the isobar installed in `installedIn`: its checkout, its tarball or repository,
 * or for a registry the exact version. Not every copy is published, so a version alone could name another package, or none.
 */
export function originFor(folder: string, installedIn: string = packageFolder()): string {
  if (existsSync(join(installedIn, 'src', 'index.ts'))) return fileSpec(folder, installedIn);
  const modules = dirname(installedIn);
  const resolved = basename(modules) === 'node_modules' ? recordedOrigin(join(modules, '.package-lock.json')) : null;
  if (resolved === null) return packageVersion();
  if (!resolved.startsWith('file:')) return isRegistry(resolved) ? packageVersion() : resolved;
  const path = resolve(dirname(modules), resolved.slice('file:'.length));
  return existsSync(path) ? fileSpec(folder, path) : packageVersion();
}

/** True for the URL of a registry, which has `/-/` before the file name. */
function isRegistry(resolved: string): boolean {
  return /^https?:.*\/-\//.test(resolved);
}

/** Returns where npm installed isobar from, by a lock file; null: unknown. */
function recordedOrigin(lockPath: string): string | null {
  if (!existsSync(lockPath)) return null;
  const { data } = LOCK_SCHEMA.safeParse(JSON.parse(readFileSync(lockPath, 'utf8')));
  return data?.packages['node_modules/isobar']?.resolved ?? null;
}

/** Returns a `file:` dependency, relative to the project. */
function fileSpec(folder: string, path: string): string {
  return `file:${relative(pathWithoutLinks(folder), realpathSync(path))}`;
}

/** Returns the path without links, also for a folder that does not exist yet. */
function pathWithoutLinks(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : join(pathWithoutLinks(dirname(folder)), basename(folder));
}
