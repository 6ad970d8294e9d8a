// Reports the version of this package, the folder in which it is installed, and the versions that a run records.

import { fileURLToPath } from 'node:url';
import { packageUrl } from '../../base/inPackage.ts';
import { requirePackage } from './requirePackage.ts';

/** Returns the version in package.json, such as `0.1.0`; `unknown` if package.json has no version. */
export function packageVersion(): string {
  const manifest: unknown = requirePackage('./package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
}

/** Returns the folder in which this package is installed. */
export function packageFolder(): string {
  const folderWithSlash = fileURLToPath(packageUrl);
  return folderWithSlash.slice(0, -1);
}

/** Returns the versions of isobar and of Node, and the platform. A run records them, because they may change its result or its speed. */
export function versions(): Readonly<Record<string, string>> {
  return { isobar: packageVersion(), node: process.versions.node, platform: `${process.platform}-${process.arch}` };
}
