// A wire that masks credentials in everything it returns. Whatever a service echoes, the callers cannot print, log or store it.

import type { LateReplyWire, WireReply } from '../adapters/exchange/wire/lateReplyWire.ts';
import type { WireOutcome } from '../ports/wire.ts';
import type { Signer } from './signer.ts';

/** Address of a market without an address. Requests to it are not sent. */
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
    const settled = (outcome: WireOutcome): void => done(withoutSignature(hidden(outcome, signer), signature));
    return wire(request, settled, late && ((reply) => late(replyWithout(hiddenReply(reply, signer), signature))));
  };
}

function hidden(outcome: WireOutcome, signer: Signer): WireOutcome {
  return outcome.kind === 'reply' ? hiddenReply(outcome, signer) : { ...outcome, cause: signer.hideIn(outcome.cause) };
}

function hiddenReply(reply: WireReply, signer: Signer): WireReply {
  const hide = (text: string): string => signer.hideIn(text);
  return {
    kind: 'reply',
    status: reply.status,
    headers: headersWith(reply.headers, hide, hide),
    body: signer.hide(plainLetters(reply.body)),
  };
}

/** Copies the headers only if a text changes, which it hardly ever does. */
function headersWith(headers: WireReply['headers'], name: (text: string) => string, value: (text: string) => string): WireReply['headers'] {
  const isClean = Object.entries(headers).every(([own, text]) => name(own) === own && value(text) === text);
  return isClean ? headers : Object.fromEntries(Object.entries(headers).map(([own, text]) => [name(own), value(text)]));
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
  const asIs = (name: string): string => name;
  return {
    kind: 'reply',
    status: reply.status,
    headers: headersWith(reply.headers, asIs, (value) => maskSecrets(value, signature)),
    body: isEchoed ? Buffer.from(maskSecrets(bytes.toString('latin1'), signature), 'latin1') : reply.body,
  };
}

/** Returns `text` with a signature, in either case, replaced by as many asterisks. */
function maskSecrets(text: string, signature: string): string {
  if (signature === '' || text.length < signature.length) return text;
  const stars = '*'.repeat(signature.length);
  return text.replaceAll(signature, stars).replaceAll(signature.toUpperCase(), stars);
}

/** Replaces JSON escapes of letters by the letters, because an escaped credential would not be found. */
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
