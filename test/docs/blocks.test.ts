// Tests the reader of fenced blocks in pages: `blocksOf` finds the blocks, `stepsOf` splits a block into commands.

import { expect, test } from 'vitest';
import { blocksOf, stepsOf } from './blocks.ts';

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

test('blocksOf returns language, place, file, reason and text of each block', () => {
  expect(blocksOf('docs/x.md', page)).toEqual([
    { place: 'docs/x.md:3', language: 'sh', file: null, reasonNotRun: null, text: 'isobar --help\n' },
    { place: 'docs/x.md:9', language: 'ts', file: 'strategies/a.ts', reasonNotRun: null, text: 'const a = 1;\n  const b = 2;\n' },
    { place: 'docs/x.md:14', language: 'yaml', file: 'backtests/x.yaml', reasonNotRun: null, text: '# backtests/x.yaml\nseed: 1\n' },
    { place: 'docs/x.md:19', language: 'sh', file: null, reasonNotRun: 'needs a second machine', text: 'reboot\n' },
  ]);
});

test('blocksOf rejects a block that does not end', () => {
  expect(() => blocksOf('a.md', '```sh\nx')).toThrow('a.md:1: the block does not end');
});

test('blocksOf rejects an unknown attribute', () => {
  expect(() => blocksOf('a.md', '```sh skip=1\nx\n```')).toThrow('a.md:1: the attributes are file= and norun=, got skip=');
});

test('an isobar command that needs no shell is read as its arguments, without comments and quotes', () => {
  const text =
    '# first\nisobar data list --json   # what is there\nnpx isobar backtest x.yaml \\\n  --set size=\'{ base: 1 }\' --set a="b c"\n';
  expect(stepsOf(text)).toEqual([
    { isobar: ['data', 'list', '--json'] },
    { isobar: ['backtest', 'x.yaml', '--set', 'size={ base: 1 }', '--set', 'a=b c'] },
  ]);
});

test('consecutive lines that need a shell are one step', () => {
  expect(stepsOf('cp a b\nmv b c # why\nisobar api\ncd c\nisobar report *-demo\n')).toEqual([
    { shell: 'cp a b\nmv b c' },
    { isobar: ['api'] },
    { shell: 'cd c\nisobar report *-demo' },
  ]);
});

test.each([
  'isobar exchange --demo &\nisobar api', 'isobar api\nA=1\nisobar api', 'for a in 1 2; do\nisobar api\ndone', 'isobar api\ncat > x <<END\nisobar api\nEND',
  'until true; do\nisobar api\ndone', 'run() {\nisobar api\n}', 'isobar api\nkill $! && true',
])('a block with a line that depends on an earlier one is one step: %j', (text) => expect(stepsOf(text)).toEqual([{ shell: text }])); // prettier-ignore

test.each([
  'isobar backtest x.yaml | head', 'isobar data import *.csv', 'isobar report $run', 'cd x', 'A=1 isobar api',
  'isobar data list && ls', 'isobar backtest "$x"', 'isobar data record', 'isobar report "$(ls)"', 'isobar sweep x --grid a={1,2}', "isobar api 'x",
  'isobar verify > out', 'isobar live bot.yaml',
])('a line that needs a shell is a step for a shell: %j', (text) => expect(stepsOf(text)).toEqual([{ shell: text }])); // prettier-ignore
