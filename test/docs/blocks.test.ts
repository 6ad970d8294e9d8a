// The reader of fenced blocks.

import { expect, test } from 'vitest';
import { blocksOf } from './blocks.ts';

const page = `# Page

\`\`\`sh
isobar --help
\`\`\`

1. in a list:

   \`\`\`ts file=strategies/a.ts
   const a = 1;
     const b = 2;
   \`\`\`

\`\`\`yaml
# backtests/x.yaml
seed: 1
\`\`\`

\`\`\`sh norun="needs a second machine"
reboot
\`\`\`
`;

test('language, place, file, reason and text of each block', () => {
  expect(blocksOf('docs/x.md', page)).toEqual([
    { place: 'docs/x.md:3', language: 'sh', file: null, norun: null, text: 'isobar --help\n' },
    { place: 'docs/x.md:9', language: 'ts', file: 'strategies/a.ts', norun: null, text: 'const a = 1;\n  const b = 2;\n' },
    { place: 'docs/x.md:14', language: 'yaml', file: 'backtests/x.yaml', norun: null, text: '# backtests/x.yaml\nseed: 1\n' },
    { place: 'docs/x.md:19', language: 'sh', file: null, norun: 'needs a second machine', text: 'reboot\n' },
  ]);
});

test('a code block that does not end, and one with an unknown attribute', () => {
  expect(() => blocksOf('a.md', '```sh\nx')).toThrow('a.md:1: the block does not end');
  expect(() => blocksOf('a.md', '```sh skip=1\nx\n```')).toThrow('a.md:1: a fence says file= and norun=, got skip=');
});
