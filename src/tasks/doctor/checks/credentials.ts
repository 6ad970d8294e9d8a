// Checks that there are a key and its secret, and reports their sources.

import { failed, ok, type CheckFinding } from '../context/check.ts';
import type { CredentialSources, SecretOrigin } from '../context/keySource.ts';

/** Sources of the credentials, or why they cannot be used; null: no credentials. */
export type CredentialFinding = CredentialSources | { readonly problem: string; readonly remedy: string } | null;

export function checkCredentials(credentials: CredentialFinding, remedy: string): Promise<CheckFinding> {
  return Promise.resolve(judge(credentials, remedy));
}

function judge(credentials: CredentialFinding, remedy: string): CheckFinding {
  if (credentials === null) {
    return failed('no API key was given: public endpoints only', [
      'make a key at the exchange: it may read and trade, not withdraw, and is for the address of this computer alone',
      remedy,
    ]);
  }
  if ('problem' in credentials) return failed(credentials.problem, [credentials.remedy], { isPrivate: true });
  const { hint, key, secret } = credentials;
  const from = [`key ${hint} from ${sourceText(key)}`, `secret from ${sourceText(secret)}`];
  return ok('key and secret are there', { more: from, isPrivate: true });
}

const sourceText = (source: SecretOrigin): string =>
  source.kind === 'environment'
    ? `the environment (${source.variable})`
    : `the file ${source.path}${source.mode === null ? '' : ` (mode ${source.mode})`}`;
