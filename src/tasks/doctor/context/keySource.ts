// Finds where key and secret come from, so that the user can check it. Never returns their values.

import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import { Secret } from '../../../base/text/secret.ts';
import { readAccessFile } from '../../../access/config.ts';
import { VARIABLES, type Environment, type SecretName } from '../../../access/environment.ts';
import { readKeyFile } from '../../../access/keyFile.ts';
import { Signer } from '../../../access/signer.ts';

/** Where a secret comes from. */
export type SecretOrigin =
  | { readonly kind: 'environment'; readonly variable: string }
  /** `mode`: such as 0600; null: not available on this platform. */
  | { readonly kind: 'file'; readonly path: string; readonly mode: string | null };

/** The sources of one key. */
export interface CredentialSources {
  /** A few characters of the key, to distinguish keys. */
  readonly hint: string;
  readonly key: SecretOrigin;
  readonly secret: SecretOrigin;
}

/** Returns the sources of `signer`, which was made from the access file `config` and `environment`. */
export function sourcesOf(signer: Signer, config: string | undefined, environment: Environment): CredentialSources {
  const { keyFile, secretFile } = config === undefined ? {} : readAccessFile(config);
  const source = (name: SecretName, configured: string | undefined): SecretOrigin => {
    const namedFile = environment[VARIABLES[name].file];
    if (namedFile !== undefined && namedFile !== '') return fileSource(namedFile);
    const path = configured === undefined || isAbsolute(configured) ? configured : join(dirname(config ?? '.'), configured);
    // The environment has precedence, but its secrets have been removed by now. So the file is the source if it holds the same value.
    return path !== undefined && holds(path, name, signer) ? fileSource(path) : { kind: 'environment', variable: VARIABLES[name].text };
  };
  return { hint: signer.hint, key: source('key', keyFile), secret: source('secret', secretFile) };
}

/** Returns a key file as the origin of a secret, with its permissions. */
function fileSource(path: string): SecretOrigin {
  const mode = process.getuid === undefined ? null : (statSync(path).mode & 0o777).toString(8).padStart(4, '0');
  return { kind: 'file', path, mode };
}

const PROBE = new TextEncoder().encode('any text');

/** True when the file holds the key, or the secret, of `signer`. */
function holds(path: string, name: SecretName, signer: Signer): boolean {
  try {
    const secret = readKeyFile(path, path);
    // A signer needs both, so the other one may be any text.
    if (name === 'key') return new Signer(secret, new Secret('unimportant')).apiKey === signer.apiKey;
    return new Signer(new Secret('unimportant'), secret).sign(PROBE) === signer.sign(PROBE);
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}
