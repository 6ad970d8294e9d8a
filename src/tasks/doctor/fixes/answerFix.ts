// Turns a failed call into a finding: what happened in isobar's words, the service's text separately, and a fix.

import { assertNever } from '../../../base/assert.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import { errorCodeFacts } from '../../../protocol/errors/errorCodes.ts';
import { errorCodeOf, type Outcome } from '../../../protocol/outcome.ts';
import { failed, type CheckFinding } from '../context/check.ts';
import { addressOption, addressText, type CheckSubject } from './subject.ts';
import { codeFix } from './codeFix.ts';

export type NotAcked = Exclude<Outcome<unknown>, { readonly kind: 'acked' }>;

/** Formats such as `-2015 REJECTED_CH_KEY: invalid key, IP not whitelisted, or no permission (HTTP 401)`. */
export function codeText(code: number, status: number | null): string {
  const facts = errorCodeFacts(code);
  const words = 'meaning' in facts ? `${facts.name === null ? '' : ` ${facts.name}`}: ${facts.meaning}` : ': a code of no specification';
  return `${code}${words}${status === null ? '' : ` (HTTP ${status})`}`;
}

/** Returns the finding of a check whose call failed. */
export function answerProblem(outcome: NotAcked, asked: CheckSubject): CheckFinding {
  const code = errorCodeOf(outcome);
  switch (outcome.kind) {
    case 'refused':
      return failed(codeText(outcome.code, outcome.status), codeFix(outcome.code, asked), {
        code,
        serviceText: serviceTextOf(outcome.msg, outcome.code),
      });
    case 'notSent':
      return failed(`not sent: ${sanitizeText(outcome.cause)}`, notSentFix(outcome.cause, asked));
    case 'unknown': {
      const { status, error, cause } = outcome;
      if (code !== null)
        return failed(codeText(code, status), codeFix(code, asked), { code, serviceText: serviceTextOf(error?.msg ?? '', code) });
      if (status === null) return failed(`no answer: ${sanitizeText(cause)}`, silenceFix(asked));
      return failed(`HTTP ${status}, and no answer of the service`, statusFix(status, asked), {
        serviceText: `what came: ${sanitizeText(cause)}`,
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

function notSentFix(cause: string, { market }: CheckSubject): readonly string[] {
  if (cause.includes('banned')) return ['wait until then: isobar keeps to the ban, and calls of other programs make it longer'];
  return [`the connection did not come about, though the ones before did: run isobar doctor again; else check ${addressText(market)}`];
}

const silenceFix = ({ what, market }: CheckSubject): readonly string[] => [
  `the service took the question for ${what} and was silent: run isobar doctor again, with a longer --timeout if the way is slow`,
  `if it stays, the service is overloaded, or ${addressOption(market)} is the address of something else`,
];

function statusFix(status: number, { market, what }: CheckSubject): readonly string[] {
  const address = addressText(market);
  if (status === 429)
    return ['what stands before the service limits the rate of this address: stop what else calls from here, wait a minute'];
  if (status === 418)
    return ['this address is banned for a time: nothing is sent until the ban has ended; calls of other programs make it longer'];
  if (status >= 500)
    return ['the service, or what stands before it, has a fault or is under maintenance: run isobar doctor again in some minutes'];
  if (status === 407) return ['a proxy of your network wants a login: connect from a network without one'];
  if (status === 404)
    return [`the address has no such path: check ${address}; services that live below a path need dialect.pathPrefix.${market}`];
  if (status === 401 || status === 403)
    return [`a firewall before the service refuses this address, or this country: try another network; check ${address}`];
  if (status >= 400) return [`what answers does not understand the question for ${what}: check ${address}`];
  if (status >= 300) return [`the address has moved, or wants a login: isobar follows no redirects. Write the new address into ${address}`];
  return [
    `what answers is not a trading service of this specification, a web page perhaps: check ${address}`,
    'a network that wants a login answers for everybody else, too',
  ];
}
