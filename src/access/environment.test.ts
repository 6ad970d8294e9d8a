// Tests key and secret in the environment: they are removed from it, and only the trading process gets them.

import { expect, test } from 'vitest';
import { clearEnvironment, inheritedEnvironment, secretFrom, withoutSecrets } from './environment.ts';

/** Returns an environment with a key, a secret and one other variable. */
const environmentWithSecrets = (): Record<string, string | undefined> => ({
  ISOBAR_API_KEY: 'a key',
  ISOBAR_API_SECRET: 'a secret',
  OTHER: '1',
});

test('the first copy for a trading process has the removed credentials, and the second one does not', () => {
  const environment = environmentWithSecrets();
  clearEnvironment(environment);
  expect(environment).toEqual({ OTHER: '1' });
  expect(inheritedEnvironment(environment)).toEqual(environmentWithSecrets());
  expect(environment).toEqual({ OTHER: '1' });
  expect(secretFrom(environment, 'key')).toBeNull();
  expect(inheritedEnvironment(environment)).toEqual({ OTHER: '1' });
});

test('the names of key files stay in the environment of a trading process', () => {
  expect(inheritedEnvironment({ ISOBAR_API_KEY_FILE: '/key' })).toEqual({ ISOBAR_API_KEY_FILE: '/key' });
});

test('a process with its own keys gets neither secrets nor the names of files with them', () => {
  expect(withoutSecrets({ ...environmentWithSecrets(), ISOBAR_API_KEY_FILE: '/key', ISOBAR_API_SECRET_FILE: '/secret' })).toEqual({
    OTHER: '1',
  });
});
