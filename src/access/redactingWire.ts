// Masks credentials in everything that a wire returns, so that no caller can print, log or store them.

import type { LateReplyWire, WireReply } from '../adapters/exchange/wire/lateReplyWire.ts';
import type { WireOutcome } from '../ports/wire.ts';
import type { Signer } from './signer.ts';

/** Stands for the missing address of a market. Requests to it are not sent. */
export const NOWHERE = 'https://no-address.invalid';

/** Returns `wire` with key and secret masked in bodies, headers and failure causes. Requests to `NOWHERE` fail at once. */
export function redactingWire(wire: LateReplyWire, signer: Signer | null): LateReplyWire {
  return (request, done, late) => {
    if (request.url.startsWith(NOWHERE)) {
      queueMicrotask(() => done({ kind: 'failed', cause: 'no address of this market was given', bytesWritten: 0 }));
      return () => {};
    }
    if (!signer) return wire(request, done, late);
    const signature = request.headers['X-CH-SIGN'] ?? '';
    const settled = (outcome: WireOutcome): void => done(withoutSignature(redactOutcome(outcome, signer), signature));
    return wire(request, settled, late && ((reply) => late(replyWithout(redactReply(reply, signer), signature))));
  };
}

/** Returns the outcome with key and secret masked. */
function redactOutcome(outcome: WireOutcome, signer: Signer): WireOutcome {
  return outcome.kind === 'reply' ? redactReply(outcome, signer) : { ...outcome, cause: signer.hideIn(outcome.cause) };
}

function redactReply(reply: WireReply, signer: Signer): WireReply {
  const hide = (text: string): string => signer.hideIn(text);
  return {
    kind: 'reply',
    status: reply.status,
    headers: headersWith(reply.headers, hide, hide),
    body: signer.hide(plainLetters(reply.body)),
  };
}

/** Returns the headers with names and values mapped. Copies them only if a text changes, which is rare. */
function headersWith(headers: WireReply['headers'], name: (text: string) => string, value: (text: string) => string): WireReply['headers'] {
  const isUnchanged = Object.entries(headers).every(([header, text]) => name(header) === header && value(text) === text);
  return isUnchanged ? headers : Object.fromEntries(Object.entries(headers).map(([header, text]) => [name(header), value(text)]));
}

/** Masks the signature of the request, which a service may echo. It is valid only for that request, but must not be printed. */
function withoutSignature(outcome: WireOutcome, signature: string): WireOutcome {
  if (outcome.kind === 'reply') return replyWithout(outcome, signature);
  return { ...outcome, cause: maskSecrets(outcome.cause, signature) };
}

function replyWithout(reply: WireReply, signature: string): WireReply {
  if (signature === '') return reply;
  const bytes = Buffer.from(reply.body.buffer, reply.body.byteOffset, reply.body.byteLength);
  const isEchoed = bytes.includes(signature) || bytes.includes(signature.toUpperCase());
  const unchanged = (name: string): string => name;
  return {
    kind: 'reply',
    status: reply.status,
    headers: headersWith(reply.headers, unchanged, (value) => maskSecrets(value, signature)),
    body: isEchoed ? Buffer.from(maskSecrets(bytes.toString('latin1'), signature), 'latin1') : reply.body,
  };
}

/** Returns `text` with a signature, in either case, replaced by as many asterisks. */
function maskSecrets(text: string, signature: string): string {
  if (signature === '' || text.length < signature.length) return text;
  const stars = '*'.repeat(signature.length);
  return text.replaceAll(signature, stars).replaceAll(signature.toUpperCase(), stars);
}

/** Replaces JSON escapes of letters by the letters, so that an escaped credential is found. */
function plainLetters(body: Uint8Array): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!bytes.includes('\\u00')) return body;
  // Works on single bytes, so that invalid UTF-8 is unchanged. An escaped backslash starts no further escape.
  const plain = bytes.toString('latin1').replace(/\\(?:u00([2-7][\da-f])|[^])/gi, (escape: string, code: string | undefined) => {
    const letter = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
    return letter === '' || letter === '"' || letter === '\\' || letter === '\u007f' ? escape : letter;
  });
  return Buffer.from(plain, 'latin1');
}
