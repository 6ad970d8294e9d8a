// Takes key and secret from environment variables, so that the environment does not have them any more.

import { ConfigError } from '../base/errors.ts';
import { Secret } from '../base/text/secret.ts';

export type SecretName = 'key' | 'secret';

/** The variables with a credential (`text`), and those with the path of its file. */
export const VARIABLES: Readonly<Record<SecretName, { readonly text: string; readonly file: string }>> = {
  key: { text: 'ISOBAR_API_KEY', file: 'ISOBAR_API_KEY_FILE' },
  secret: { text: 'ISOBAR_API_SECRET', file: 'ISOBAR_API_SECRET_FILE' },
};

export type Environment = Record<string, string | undefined>;

/** Credentials that were removed from an environment and not requested yet. */
const taken = new WeakMap<Environment, Map<SecretName, Secret>>();

/**
 * Removes key and secret from `environment`, so that strategies and child processes cannot read them. They are kept as secrets until
 * `secretFrom` returns them.
 */
export function clearEnvironment(environment: Environment): void {
  const kept = taken.get(environment) ?? new Map<SecretName, Secret>();
  for (const name of ['key', 'secret'] as const) {
    const variable = VARIABLES[name].text;
    const text = environment[variable];
    if (text !== undefined && text !== '') kept.set(name, new Secret(text));
    delete environment[variable];
  }
  taken.set(environment, kept);
}

/**
 * Returns a copy of `environment` with the removed key and secret, for an isobar process that trades instead of this one. Afterwards this
 * process does not have them.
 */
export function inheritedEnvironment(environment: Environment): Environment {
  clearEnvironment(environment);
  const kept = taken.get(environment);
  const copy = { ...environment };
  for (const name of ['key', 'secret'] as const) {
    const secret = kept?.get(name);
    kept?.delete(name);
    if (secret !== undefined) copy[VARIABLES[name].text] = secret.take();
  }
  return copy;
}

/** Returns a copy of `environment` without key, secret and the names of their files. */
export function withoutSecrets(environment: Environment): Environment {
  clearEnvironment(environment);
  const copy = { ...environment };
  for (const { file } of Object.values(VARIABLES)) delete copy[file];
  return copy;
}

/** Returns a credential of the environment: the secret, the path of its file, or null. Throws ConfigError if both are set. */
export function secretFrom(environment: Environment, name: SecretName): Secret | { readonly file: string; readonly text: string } | null {
  clearEnvironment(environment);
  const kept = taken.get(environment);
  const secret = kept?.get(name) ?? null;
  kept?.delete(name);
  const { text, file: variable } = VARIABLES[name];
  const file = environment[variable] ?? '';
  if (file === '') return secret;
  if (secret) throw new ConfigError(`${text} and ${variable}: expected one of them, got both`, 'unset one of the two');
  return { file, text: variable };
}
