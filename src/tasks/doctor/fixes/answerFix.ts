// Turns a failed call into a finding: a description in isobar's words, the service's own text, and a fix.

import { assertNever } from '../../../base/assert.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import { errorCodeFacts } from '../../../protocol/errors/errorCodes.ts';
import { errorCodeOf, type Outcome } from '../../../protocol/outcome.ts';
import { failed, type CheckFinding } from '../context/check.ts';
import { addressOption, addressText, type CheckSubject } from './checkSubject.ts';
import { codeFix } from './codeFix.ts';

/** An outcome other than a reply that confirms the call. */
export type NotAcked = Exclude<Outcome<unknown>, { readonly kind: 'acked' }>;

/** Returns text such as `-2015 REJECTED_CH_KEY: invalid key, IP not whitelisted, or no permission (HTTP 401)`. */
export function codeText(code: number, status: number | null): string {
  const facts = errorCodeFacts(code);
  const statusText = status === null ? '' : ` (HTTP ${status})`;
  if (!('meaning' in facts)) return `${code}: a code that no specification has${statusText}`;
  const nameText = facts.name === null ? '' : ` ${facts.name}`;
  return `${code}${nameText}: ${facts.meaning}${statusText}`;
}

/** Returns the finding of a check whose call failed. */
export function answerProblem(outcome: NotAcked, subject: CheckSubject): CheckFinding {
  const code = errorCodeOf(outcome);
  switch (outcome.kind) {
    case 'refused':
      return failed(codeText(outcome.code, outcome.status), codeFix(outcome.code, subject), {
        code,
        serviceText: serviceTextOf(outcome.msg, outcome.code),
      });
    case 'notSent':
      return failed(`not sent: ${sanitizeText(outcome.cause)}`, notSentFix(outcome.cause, subject));
    case 'unknown': {
      const { status, error, cause } = outcome;
      if (code !== null)
        return failed(codeText(code, status), codeFix(code, subject), { code, serviceText: serviceTextOf(error?.msg ?? '', code) });
      if (status === null) return failed(`no answer: ${sanitizeText(cause)}`, silenceFix(subject));
      return failed(`HTTP ${status} without a reply of the service`, statusFix(status, subject), {
        serviceText: `received: ${sanitizeText(cause)}`,
      });
    }
    default:
      return assertNever(outcome);
  }
}

/** Returns a line with the service's message if it says more than the code; else null. */
function serviceTextOf(msg: string, code: number): string | null {
  const facts = errorCodeFacts(code);
  const isKnown = 'name' in facts && (msg === facts.name || msg === facts.meaning);
  return msg === '' || isKnown ? null : `the service says: ${sanitizeText(msg)}`;
}

/** Returns fixes for a request that was not sent. */
function notSentFix(cause: string, { market }: CheckSubject): readonly string[] {
  if (cause.includes('banned')) return ['wait until the ban has ended; calls of other programs make it longer'];
  return [`the connection failed, although earlier ones succeeded: run isobar doctor again; else check ${addressText(market)}`];
}

/** Returns fixes for a request without any reply. */
const silenceFix = ({ subjectText, market }: CheckSubject): readonly string[] => [
  `the service accepted the request for ${subjectText} and did not reply: run isobar doctor again, with a longer --timeout on a slow connection`,
  `if that happens again, the service is overloaded, or ${addressOption(market)} is the address of another program`,
];

/** Returns fixes for an HTTP status without a reply of the service. */
function statusFix(status: number, { market, subjectText }: CheckSubject): readonly string[] {
  const address = addressText(market);
  if (status === 429)
    return ['a server in front of the service limits the rate of this address: stop other programs that call from here, and wait a minute'];
  if (status === 418)
    return ['this address is banned for a time: nothing is sent until the ban has ended; calls of other programs make it longer'];
  if (status >= 500)
    return ['the service, or a server in front of it, has a fault or is under maintenance: run isobar doctor again in a few minutes'];
  if (status === 407) return ['a proxy of your network requires a login: connect from a network without one'];
  if (status === 404) return [`the address has no such path: check ${address}; services below a path need dialect.pathPrefix.${market}`];
  if (status === 401 || status === 403)
    return [`a firewall of the service rejects this address or this country: try another network, and check ${address}`];
  if (status >= 400) return [`the server at this address does not understand the request for ${subjectText}: check ${address}`];
  if (status >= 300)
    return [`the address has moved or requires a login: isobar follows no redirects. Write the new address into ${address}`];
  return [
    `the server at this address is not a trading service of this specification, perhaps a web page: check ${address}`,
    'a network that requires a login answers in place of other servers',
  ];
}
