// @ts-check
// Lists the packages that the bundled files contain, with their licenses.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @import { OutputChunk } from 'rolldown' */

/**
 * Writes packages.json (by file of dist, the packages in it) and LICENSES into `dist`.
 * @param {string} dist
 * @param {readonly OutputChunk[]} chunks
 */
export function writePackages(dist, chunks) {
  /** @type {Set<string>} */
  const folders = new Set();
  /** @type {Record<string, readonly string[]>} */
  const packages = {};
  for (const { fileName, moduleIds } of chunks) {
    const foldersOfModules = moduleIds.flatMap((id) => packageFolder(id) ?? []);
    const foldersOfFile = [...new Set(foldersOfModules)].toSorted();
    if (foldersOfFile.length > 0) packages[fileName] = foldersOfFile.map(packageName);
    for (const folder of foldersOfFile) folders.add(folder);
  }
  writeFileSync(join(dist, 'packages.json'), `${JSON.stringify(packages, null, 2)}\n`);
  writeFileSync(join(dist, 'LICENSES'), [...folders].toSorted().map(licenseOf).join('\n\n'));
}

/**
 * Returns the folder of the package that contains a module; null for a module of isobar.
 * @param {string} id
 */
export function packageFolder(id) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? null;
}

/**
 * Returns the name of a package, such as `@scope/name`.
 * @param {string} folder
 */
function packageName(folder) {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/**
 * Returns the name, the version and the license text of a package.
 * @param {string} folder
 */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const licenseFile = readdirSync(folder).find((fileName) => /^licen[cs]e/i.test(fileName));
  const text = licenseFile === undefined ? '' : readFileSync(join(folder, licenseFile), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}`;
}
