// Key and secret from environment variables, which are gone from the environment once they were read.

import { ConfigError } from '../base/errors.ts';
import { Secret } from '../base/text/secret.ts';

export type SecretName = 'key' | 'secret';

/** The variables that hold a credential, and those that name a file with one. */
export const VARIABLES: Readonly<Record<SecretName, { readonly text: string; readonly file: string }>> = {
  key: { text: 'ISOBAR_API_KEY', file: 'ISOBAR_API_KEY_FILE' },
  secret: { text: 'ISOBAR_API_SECRET', file: 'ISOBAR_API_SECRET_FILE' },
};

export type Environment = Record<string, string | undefined>;

/** What was taken out of an environment and not asked for yet. */
const taken = new WeakMap<Environment, Map<SecretName, Secret>>();

/**
 * Removes key and secret from `environment`, so that no strategy and no process that this one starts finds them there. They are kept, as
 * secrets, until `secretFrom` is asked for them.
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
 * Returns a copy of `environment` for a process of isobar that trades in its stead, with the key and the secret that were removed from it.
 * Neither can be asked for here any more.
 */
export function handedOn(environment: Environment): Environment {
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

/** Returns a copy of `environment` that says nothing of a key or a secret, nor of files with them. */
export function withoutSecrets(environment: Environment): Environment {
  clearEnvironment(environment);
  const copy = { ...environment };
  for (const { file } of Object.values(VARIABLES)) delete copy[file];
  return copy;
}

/** What the environment says of a credential: itself, the path of a file, or null. Throws ConfigError where it says both. */
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
