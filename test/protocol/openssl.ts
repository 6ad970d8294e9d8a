// Computes HMAC-SHA256 with openssl, independently of this project's code and of the libraries of Node.js.

import { execFileSync } from 'node:child_process';

/** Returns the lower-case hexadecimal digest of `message` under `secret`. */
export function opensslHmac(secret: string, message: string | Uint8Array): string {
  const text = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: message, encoding: 'utf8' });
  const digest = /([\da-f]{64})\s*$/.exec(text)?.[1];
  if (digest === undefined) throw new Error(`openssl said ${text}`);
  return digest;
}
