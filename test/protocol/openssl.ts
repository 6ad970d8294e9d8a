// HMAC-SHA256 by openssl: a signature that none of our code, and no library of Node's, has made.

import { execFileSync } from 'node:child_process';

/** The lower-case hexadecimal digest of `message` under `secret`. */
export function opensslHmac(secret: string, message: string | Uint8Array): string {
  const text = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: message, encoding: 'utf8' });
  const digest = /([\da-f]{64})\s*$/.exec(text)?.[1];
  if (digest === undefined) throw new Error(`openssl said ${text}`);
  return digest;
}
