// Masks credentials in all replies and failures of a wire, so that no caller can print, log or store them.

import type { LateReplyWire, WireReply } from '../adapters/exchange/wire/lateReplyWire.ts';
import type { WireOutcome } from '../ports/wire.ts';
import { CleanBodies } from './cleanBodies.ts';
import type { Signer } from './signer.ts';

/** The address of a market for which the user gave none. Requests to it are not sent. */
export const NOWHERE = 'https://no-address.invalid';

/** Returns `wire` with key and secret masked in bodies, headers and failure causes. Requests to `NOWHERE` fail at once. */
export function redactingWire(wire: LateReplyWire, signer: Signer | null): LateReplyWire {
  const cleanBodies = new CleanBodies();
  return (request, done, late) => {
    if (request.url.startsWith(NOWHERE)) {
      queueMicrotask(() => done({ kind: 'failed', cause: 'no address of this market was given', bytesWritten: 0 }));
      return () => {};
    }
    if (!signer) return wire(request, done, late);
    const hideBody = (body: Uint8Array): Uint8Array =>
      cleanBodies.bodyOf(`${request.method} ${request.url}`, body, () => signer.maskBytes(unescapeLetters(body)));
    const redaction = { signer, hideBody };
    const signature = request.headers['X-CH-SIGN'] ?? '';
    const onOutcome = (outcome: WireOutcome): void => done(withoutSignature(redactOutcome(outcome, redaction), signature));
    const onLateReply = late && ((reply: WireReply) => late(replyWithoutSignature(redactReply(reply, redaction), signature)));
    return wire(request, onOutcome, onLateReply);
  };
}

/** How key and secret are masked in the outcome of one request. */
interface Redaction {
  readonly signer: Signer;
  readonly hideBody: (body: Uint8Array) => Uint8Array;
}

/** Returns the outcome with key and secret masked. */
function redactOutcome(outcome: WireOutcome, redaction: Redaction): WireOutcome {
  return outcome.kind === 'reply' ? redactReply(outcome, redaction) : { ...outcome, cause: redaction.signer.maskText(outcome.cause) };
}

/** Returns the reply with key and secret masked. */
function redactReply(reply: WireReply, { signer, hideBody }: Redaction): WireReply {
  const hide = (text: string): string => signer.maskText(text);
  return {
    kind: 'reply',
    status: reply.status,
    headers: mapHeaders(reply.headers, hide, hide),
    body: hideBody(reply.body),
  };
}

type MapText = (text: string) => string;

/** Returns the headers with their names and values mapped. Returns the same object if no text changes, which is usual. */
function mapHeaders(headers: WireReply['headers'], mapName: MapText, mapValue: MapText): WireReply['headers'] {
  const entries = Object.entries(headers);
  const isUnchanged = entries.every(([name, value]) => mapName(name) === name && mapValue(value) === value);
  return isUnchanged ? headers : Object.fromEntries(entries.map(([name, value]) => [mapName(name), mapValue(value)]));
}

/** Masks the signature of the request, which a service can repeat in its reply. It must not be printed, although it is of no further use. */
function withoutSignature(outcome: WireOutcome, signature: string): WireOutcome {
  if (outcome.kind === 'reply') return replyWithoutSignature(outcome, signature);
  return { ...outcome, cause: maskSignature(outcome.cause, signature) };
}

/** Returns the reply with the signature masked. */
function replyWithoutSignature(reply: WireReply, signature: string): WireReply {
  if (signature === '') return reply;
  const bytes = Buffer.from(reply.body.buffer, reply.body.byteOffset, reply.body.byteLength);
  const isEchoed = bytes.includes(signature) || bytes.includes(signature.toUpperCase());
  const unchangedName = (name: string): string => name;
  return {
    kind: 'reply',
    status: reply.status,
    headers: mapHeaders(reply.headers, unchangedName, (value) => maskSignature(value, signature)),
    body: isEchoed ? Buffer.from(maskSignature(bytes.toString('latin1'), signature), 'latin1') : reply.body,
  };
}

/** Returns `text` with the signature, in lower or upper case, replaced by as many asterisks. */
function maskSignature(text: string, signature: string): string {
  if (signature === '' || text.length < signature.length) return text;
  const stars = '*'.repeat(signature.length);
  return text.replaceAll(signature, stars).replaceAll(signature.toUpperCase(), stars);
}

/** Replaces JSON escapes of letters by the letters, so that an escaped credential is found. */
function unescapeLetters(body: Uint8Array): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!bytes.includes('\\u00')) return body;
  // latin1 maps each byte to one character, so invalid UTF-8 stays unchanged. The pattern skips an escaped backslash.
  const unescaped = bytes.toString('latin1').replace(/\\(?:u00([2-7][\da-f])|[^])/gi, (escape: string, code: string | undefined) => {
    const letter = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
    return letter === '' || letter === '"' || letter === '\\' || letter === '\u007f' ? escape : letter;
  });
  return Buffer.from(unescaped, 'latin1');
}
