// Tests that every block of the documentation does what its page says: follows each page from top to bottom in an empty folder.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endKeptThread } from '../fixtures/keptThread.ts';
import { installPackage, ROOT, type InstalledPackage } from '../fixtures/packed.ts';
import { blocksOf, type Block } from './blocks.ts';
import { PageFixture, python, typeErrors } from './pageReader.ts';

/** Number of pages that are followed at once. */
const PAGES_AT_ONCE = 2;
const TIMEOUT_MS = 900_000;
/** A block with a type error that belongs to no page. The type check must find it among all others. */
const WRONG_BLOCK: Block = {
  place: 'docs/wrong.md:3',
  language: 'ts',
  file: 'wrong.ts',
  reasonNotRun: null,
  text: "export const three: number = 'three';\n",
};
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/maintainers'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];
const blocksOfPage = (page: string) => blocksOf(page, readFileSync(join(ROOT, page), 'utf8'));

let installed: InstalledPackage | null = null;
const problemsByPage = new Map<string, readonly string[]>();
/**
 * The pages whose blocks were all run. Their TypeScript is checked together, because starting the compiler takes longer than checking a
 * page.
 */
const completePages = new Map<string, PageFixture>();

beforeAll(async () => {
  installed = installPackage();
  const pagesToFollow = [...pages];
  const followPages = async () => {
    for (let page = pagesToFollow.shift(); page !== undefined; page = pagesToFollow.shift()) problemsByPage.set(page, await follow(page));
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, followPages));
  const wrongPage = new PageFixture(installed);
  completePages.set(WRONG_BLOCK.place, wrongPage);
  await wrongPage.follow(WRONG_BLOCK);
  const errors = typeErrors(installed, [...completePages.values()]);
  // Pages with a failed block are not among them, and keep their failure.
  for (const [page, fixture] of completePages) problemsByPage.set(page, errors.get(fixture) ?? []);
}, TIMEOUT_MS);
afterAll(async () => {
  await endKeptThread();
  for (const fixture of completePages.values()) fixture.remove();
  installed?.remove();
  python.close();
});

/** Returns the problems of a page. The blocks after a failed one are not run, because they may depend on it. */
async function follow(page: string): Promise<readonly string[]> {
  if (installed === null) throw new Error('the package is installed first');
  const fixture = new PageFixture(installed);
  for (const block of blocksOfPage(page).filter(({ reasonNotRun }) => reasonNotRun === null)) {
    const failure = await fixture.follow(block);
    if (failure === null) continue;
    fixture.remove();
    return [`${block.place} (${block.language}): ${failure}`];
  }
  completePages.set(page, fixture);
  return [];
}

test.each(pages)('every block of %s does what the page says', (page) => expect(problemsByPage.get(page)?.join('\n')).toBe(''));

test('a type error in a block is reported with its line', () => {
  expect(problemsByPage.get(WRONG_BLOCK.place)).toEqual([expect.stringMatching(/^docs\/wrong\.md:4 error TS2322/)]);
});

test('every block that is not run gives a reason', () => {
  const skipped: readonly Block[] = pages.flatMap(blocksOfPage).filter(({ reasonNotRun }) => reasonNotRun !== null);
  for (const { place, reasonNotRun } of skipped) console.log(`not run: ${place}: ${reasonNotRun}`);
  expect(skipped.filter(({ reasonNotRun }) => reasonNotRun?.trim() === '')).toEqual([]);
});
