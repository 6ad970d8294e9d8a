// Computes the SHA-256 of a text.

import { createHash } from 'node:crypto';

/** Returns the SHA-256 of the UTF-8 bytes of a text, in lower-case hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
