// Moves key and secret out of the environment variables, so that strategies and child processes cannot read them.

import { ConfigError } from '../base/errors.ts';
import { Secret } from '../base/text/secret.ts';

/** The two secrets of an exchange. */
export type SecretName = 'key' | 'secret';

/** For each credential: the variable with its text, and the variable with the path of its file. */
export const VARIABLES: Readonly<Record<SecretName, { readonly text: string; readonly file: string }>> = {
  key: { text: 'ISOBAR_API_KEY', file: 'ISOBAR_API_KEY_FILE' },
  secret: { text: 'ISOBAR_API_SECRET', file: 'ISOBAR_API_SECRET_FILE' },
};

/** Environment variables by name. */
export type Environment = Record<string, string | undefined>;

/** For each environment: the credentials that were removed from it and that no caller has taken yet. */
const removedSecrets = new WeakMap<Environment, Map<SecretName, Secret>>();

/**
 * Removes key and secret from `environment`. They stay in memory as secrets until `secretFrom` returns them or `inheritedEnvironment` copies
 * them.
 */
export function clearEnvironment(environment: Environment): void {
  const secrets = removedSecrets.get(environment) ?? new Map<SecretName, Secret>();
  for (const name of ['key', 'secret'] as const) {
    const variable = VARIABLES[name].text;
    const text = environment[variable];
    if (text !== undefined && text !== '') secrets.set(name, new Secret(text));
    delete environment[variable];
  }
  removedSecrets.set(environment, secrets);
}

/**
 * Returns a copy of `environment` with the removed key and secret, for the isobar process that trades. Afterwards this process has no
 * credentials.
 */
export function inheritedEnvironment(environment: Environment): Environment {
  clearEnvironment(environment);
  const secrets = removedSecrets.get(environment);
  const copy = { ...environment };
  for (const name of ['key', 'secret'] as const) {
    const secret = secrets?.get(name);
    secrets?.delete(name);
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

/**
 * Returns a credential of the environment: the secret, or the path of its file with the name of the variable (`text`), or null. A secret is
 * returned only once. Throws ConfigError if both variables are set.
 */
export function secretFrom(environment: Environment, name: SecretName): Secret | { readonly file: string; readonly text: string } | null {
  clearEnvironment(environment);
  const secrets = removedSecrets.get(environment);
  const secret = secrets?.get(name) ?? null;
  secrets?.delete(name);
  const { text, file: variable } = VARIABLES[name];
  const file = environment[variable] ?? '';
  if (file === '') return secret;
  if (secret) throw new ConfigError(`${text} and ${variable}: expected one of them, got both`, 'unset one of the two');
  return { file, text: variable };
}
