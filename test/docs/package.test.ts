// Tests what the package contains beside its code: the documents that messages point to, and the list of its contents.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sbomText } from '../../docs/make/sbom.mjs';
import { packedFile, ROOT } from '../fixtures/packed.ts';

/** The tested members of package-lock.json. */
interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly hasInstallScript?: boolean; readonly dev?: boolean; readonly devOptional?: boolean }>
  >;
}

const pages = ['docs', 'docs/maintainers'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);

it('the package contains every page, SECURITY.md and the SBOM', () => {
  const listed = execFileSync('tar', ['-tzf', packedFile()], { encoding: 'utf8' });
  const paths = new Set(listed.split('\n').map((path) => path.replace(/^package\//, '')));
  expect(pages.filter((name) => !paths.has(name))).toEqual([]);
  for (const path of ['SECURITY.md', 'CHANGELOG.md', 'docs/sbom.cdx.json']) expect(paths).toContain(path);
});

it('every document that a message of the program names exists', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const named = new Set(
    sources.flatMap((name) =>
      [...readFileSync(join(ROOT, 'src', name), 'utf8').matchAll(/docs\/(?:[\w-]+\/)?[\w-]+\.md/g)].map(([page]) => page),
    ),
  );
  expect([...named].filter((page) => !pages.includes(page))).toEqual([]);
});

it('the SBOM equals that of the lock file: npm run docs:sbom', () => {
  expect(readFileSync(join(ROOT, 'docs/sbom.cdx.json'), 'utf8')).toBe(sbomText());
});

it('SECURITY.md names every package with an install script and its reason', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const scripted = Object.entries(packages).flatMap(([place, { dev, devOptional, hasInstallScript }]) =>
    hasInstallScript && !dev && !devOptional ? [place.replace(/^.*node_modules\//, '')] : [],
  );
  const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
  expect(scripted.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
