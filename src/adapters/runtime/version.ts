// Name and version of this package, read from its own package.json.

import { fileURLToPath } from 'node:url';
import { packageUrl } from '../../base/inPackage.ts';
import { requirePackage } from './requirePackage.ts';

/** Returns the version in package.json, such as 0.1.0. */
export function packageVersion(): string {
  const manifest: unknown = requirePackage('./package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
}

/** Returns the folder in which this package is installed. */
export function packageFolder(): string {
  return fileURLToPath(packageUrl).slice(0, -1);
}

/** Returns the versions of what took part in a run, by name. */
export function versions(): Readonly<Record<string, string>> {
  return { isobar: packageVersion(), node: process.versions.node, platform: `${process.platform}-${process.arch}` };
}
