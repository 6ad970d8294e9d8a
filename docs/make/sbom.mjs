// Makes docs/sbom.cdx.json: what an installed isobar brings along, as CycloneDX 1.5, out of package-lock.json. `npm run docs:sbom` writes it.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const fromRoot = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** `name` of a place such as node_modules/a/node_modules/@b/c: @b/c. */
const nameOf = (place) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** An integrity such as `sha512-<base64>` as CycloneDX has it. */
function hashOf(integrity) {
  const [algorithm, base64] = integrity.split('-');
  return { alg: `SHA-${algorithm.slice(3)}`, content: Buffer.from(base64, 'base64').toString('hex') };
}

/** The same text for the same lock file: no time, no random serial number. */
export function sbomText() {
  const { version, license } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(fromRoot('package-lock.json'), 'utf8'));
  const components = Object.entries(packages)
    .filter(([place, { dev, devOptional, peer }]) => place !== '' && !dev && !devOptional && !peer)
    .map(([place, { version: own, integrity, license: terms, optional, hasInstallScript }]) => ({
      type: 'library',
      'bom-ref': place,
      name: nameOf(place),
      version: own,
      scope: optional ? 'optional' : 'required',
      ...(integrity ? { hashes: [hashOf(integrity)] } : {}),
      ...(terms ? { licenses: [{ expression: terms }] } : {}),
      purl: purlOf(nameOf(place), own),
      ...(hasInstallScript ? { properties: [{ name: 'isobar:installScript', value: 'true' }] } : {}),
    }));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': 'isobar', name: 'isobar', version, licenses: [{ license: { id: license } }], purl: purlOf('isobar', version) },
    },
    components,
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(fromRoot('docs/sbom.cdx.json'), sbomText());
