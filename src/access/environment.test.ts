// Key and secret in the environment: removed from it, passed only to the trading process, or left out.

import { expect, test } from 'vitest';
import { clearEnvironment, inheritedEnvironment, secretFrom, withoutSecrets } from './environment.ts';

const given = (): Record<string, string | undefined> => ({ ISOBAR_API_KEY: 'a key', ISOBAR_API_SECRET: 'a secret', OTHER: '1' });

test('credentials removed from an environment are in the copy for the trading process, once', () => {
  const environment = given();
  clearEnvironment(environment);
  expect(environment).toEqual({ OTHER: '1' });
  expect(inheritedEnvironment(environment)).toEqual(given());
  expect(environment).toEqual({ OTHER: '1' });
  expect(secretFrom(environment, 'key')).toBeNull();
  expect(inheritedEnvironment(environment)).toEqual({ OTHER: '1' });
});

test('files that the environment names stay in it', () => {
  expect(inheritedEnvironment({ ISOBAR_API_KEY_FILE: '/key' })).toEqual({ ISOBAR_API_KEY_FILE: '/key' });
});

test('a process with its own keys gets neither secrets nor the names of files with them', () => {
  expect(withoutSecrets({ ...given(), ISOBAR_API_KEY_FILE: '/key', ISOBAR_API_SECRET_FILE: '/secret' })).toEqual({ OTHER: '1' });
});
