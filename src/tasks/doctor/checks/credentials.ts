// Checks that there are a key and its secret, and reports their sources.

import { failed, ok, type CheckFinding } from '../context/check.ts';
import type { CredentialSources, SecretOrigin } from '../context/keySource.ts';

/** The sources of the credentials, or the problem with them; null: no credentials. */
export type CredentialFinding = CredentialSources | { readonly problem: string; readonly remedy: string } | null;

/** Checks the credentials. `remedy`: how to give a key. */
export function checkCredentials(credentials: CredentialFinding, remedy: string): Promise<CheckFinding> {
  return Promise.resolve(findingOf(credentials, remedy));
}

/** Returns the finding about the API key. `remedy` says how to give one. */
function findingOf(credentials: CredentialFinding, remedy: string): CheckFinding {
  if (credentials === null) {
    return failed('no API key was given: public endpoints only', [
      "create a key at the exchange: with the rights to read and trade but not to withdraw, and only for this computer's address",
      remedy,
    ]);
  }
  if ('problem' in credentials) return failed(credentials.problem, [credentials.remedy], { isPrivate: true });
  const { hint, key, secret } = credentials;
  const sources = [`key ${hint} from ${sourceText(key)}`, `secret from ${sourceText(secret)}`];
  return ok('key and secret were found', { more: sources, isPrivate: true });
}

const sourceText = (source: SecretOrigin): string =>
  source.kind === 'environment'
    ? `the environment (${source.variable})`
    : `the file ${source.path}${source.mode === null ? '' : ` (mode ${source.mode})`}`;
