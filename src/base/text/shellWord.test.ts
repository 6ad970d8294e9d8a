// What a shell makes of a quoted word is the word.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from './shellWord.ts';

test.each(['backtests/my.yaml', 'my runs/a b.yaml', "it's", '$HOME `x` "y" * ~', '', 'Ümläut\nline'])('%j', (text) => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
});

test('a plain word is not quoted', () => expect(shellWord('params.fast=5')).toBe('params.fast=5'));
