// Tests the note about proxy variables of the environment, which isobar ignores.

import { expect, test } from 'vitest';
import { proxyNote } from './proxyNote.ts';

test('the proxy note names a set variable without its value', () => {
  const note = proxyNote({ HTTPS_PROXY: 'http://user:password@proxy', no_proxy: 'x' });
  expect(note).toContain('HTTPS_PROXY: not used');
  expect(note).not.toContain('password');
});

test('the proxy note is absent if no proxy variable is set, or if it is empty', () => {
  expect(proxyNote({ PATH: '/bin', HTTP_PROXY: '' })).toBeNull();
});
