// Tests that a shell reads a quoted word as the original text.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from './shellWord.ts';

test.each(['backtests/my.yaml', 'my runs/a b.yaml', "it's", '$HOME `x` "y" * ~', '', 'Ümläut\nline'])(
  'a shell reads the quoted word of %j as the original text',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
  },
);

test('a plain word is not quoted', () => expect(shellWord('params.fast=5')).toBe('params.fast=5'));
