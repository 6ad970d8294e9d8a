// Tests that the API page equals the exports of the package entries with their doc comments.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const make = fileURLToPath(new URL('../../docs/make/api.mjs', import.meta.url));

test('docs/api.md equals the page generated from the doc comments', () => {
  const code = `const { apiPage } = await import(${JSON.stringify(make)}); process.stdout.write(apiPage());`;
  const fresh = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8') === fresh, 'run: npm run docs:api').toBe(true);
  // The three entries of the package, and what every author of a strategy needs first.
  for (const heading of ['### Strategy', '### sma', '### slippageModel', '### backtest', '### composeModule'])
    expect(fresh).toContain(`${heading}\n`);
});
