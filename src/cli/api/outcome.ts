// The outcome of a call as text for people, as a record for programs, and as advice on what to do next.

import { sanitizeText } from '../../base/text/untrustedText.ts';
import { assertNever } from '../../base/assert.ts';
import { EXIT } from '../../base/errors.ts';
import type { CallArguments } from '../../protocol/arguments.ts';
import { endpointOf, type Op } from '../../protocol/endpoints/endpoints.ts';
import type { Effect } from '../../protocol/endpoints/endpoint.ts';
import { errorCodeFacts } from '../../protocol/errors/errorCodes.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { followUpCommands } from './followUp.ts';

/** A call that did not succeed. */
export interface Failure {
  readonly outcome: 'refused' | 'notSent' | 'unknown';
  /** HTTP status. Null without a reply. */
  readonly status: number | null;
  /** Error code of the service. Null when it gave none. */
  readonly code: number | null;
  readonly name: string | null;
  readonly meaning: string | null;
  /** Message of the service, safe to print. Null when it gave none. */
  readonly msg: string | null;
  readonly cause: string | null;
  readonly advice: string;
  /** Commands that show the effect of the call. */
  readonly look: readonly string[];
}

/** Maximum length of a cause in characters. A cause can contain a message of the service. */
const MAX_CAUSE_LENGTH = 300;

/** What is known of a failure without a reply. */
const NO_FACTS = { status: null, code: null, name: null, meaning: null, msg: null, cause: null, advice: '', look: [] } as const;
const NOT_SENT_ADVICE = 'nothing was sent, so nothing happened: fix the cause and call again; isobar doctor looks for it';

const UNKNOWN_ADVICE: Readonly<Record<Effect, string>> = {
  read: 'there is no reply, and nothing was changed: call again; isobar doctor looks for the reason',
  create: 'the order may exist. It was sent once; do not send it again before these commands show that it does not exist:',
  cancel: 'the order may be cancelled or not. Look at it; another cancel does no harm:',
  setting: 'the setting may be changed or not. Look at it:',
  test: 'a test places no order: call again',
};

/** Returns the failure of an outcome. Null for a success. */
export function failureOf(op: Op, args: CallArguments, outcome: Outcome<unknown>): Failure | null {
  switch (outcome.kind) {
    case 'acked':
      return null;
    case 'refused':
      return { ...NO_FACTS, outcome: 'refused', status: outcome.status, ...codeFacts(outcome.code), msg: sanitizeText(outcome.msg) };
    case 'notSent':
      return { ...NO_FACTS, outcome: 'notSent', cause: sanitizeText(outcome.cause, MAX_CAUSE_LENGTH), advice: NOT_SENT_ADVICE };
    case 'unknown': {
      const { status, error } = outcome;
      const { effect } = endpointOf(op);
      const facts = error === null || error.code === null ? NO_FACTS : codeFacts(error.code);
      return {
        outcome: 'unknown',
        ...facts,
        status,
        msg: error === null ? null : sanitizeText(error.msg),
        cause: sanitizeText(outcome.cause, MAX_CAUSE_LENGTH),
        advice: effect === 'read' && facts.advice !== '' ? facts.advice : UNKNOWN_ADVICE[effect],
        look: followUpCommands(op, args),
      };
    }
    default:
      return assertNever(outcome);
  }
}

/** Returns the name and the meaning of an error code, null when isobar does not know it, and the advice for it. */
function codeFacts(code: number) {
  const facts = errorCodeFacts(code);
  const documented = 'meaning' in facts ? facts : null;
  return { code, name: documented?.name ?? null, meaning: documented?.meaning ?? null, advice: facts.advice };
}

/** Returns the exit code. It is 4 when a change has an unknown outcome, because a script must not treat that as a refusal. */
export function exitCodeOf(op: Op, failure: Failure | null): number {
  if (failure === null) return EXIT.ok;
  const { effect } = endpointOf(op);
  const isChange = effect !== 'read' && effect !== 'test';
  return failure.outcome === 'unknown' && isChange ? EXIT.unknown : EXIT.failed;
}
