// Name and version of this package, read from its own package.json.

import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const require = createRequire(import.meta.url);

/** Returns the version in package.json, such as 0.1.0. */
export function packageVersion(): string {
  const manifest: unknown = require('isobar/package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
}

/** Returns the folder in which this package is installed. */
export function packageFolder(): string {
  return dirname(require.resolve('isobar/package.json'));
}

/** Returns the versions of what took part in a run, by name. */
export function versions(): Readonly<Record<string, string>> {
  return { isobar: packageVersion(), node: process.versions.node, platform: `${process.platform}-${process.arch}` };
}
