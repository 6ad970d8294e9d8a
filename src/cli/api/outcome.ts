// What became of a call, in words for a person and as a record for a program, and what there is to do next.

import { sanitizeText } from '../../base/text/untrustedText.ts';
import { assertNever } from '../../base/assert.ts';
import { EXIT } from '../../base/errors.ts';
import type { Given } from '../../protocol/arguments.ts';
import { endpointOf, type Op } from '../../protocol/endpoints/endpoints.ts';
import type { Effect } from '../../protocol/endpoints/endpoint.ts';
import { errorCodeFacts } from '../../protocol/errors/errorCodes.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { followUpCommands } from './followUp.ts';

/** A call that was not answered as it was meant to be. */
export interface Failure {
  readonly outcome: 'refused' | 'notSent' | 'unknown';
  /** HTTP status; null where no reply came. */
  readonly status: number | null;
  /** The service's; null where it said none. */
  readonly code: number | null;
  readonly name: string | null;
  readonly meaning: string | null;
  /** In the service's own words, fit to be shown; null where it said none. */
  readonly msg: string | null;
  readonly cause: string | null;
  readonly advice: string;
  /** Commands that show what became of it. */
  readonly look: readonly string[];
}

/** The failure that an outcome is; null where it is none. */
export function failureOf(op: Op, given: Given, outcome: Outcome<unknown>): Failure | null {
  switch (outcome.kind) {
    case 'acked':
      return null;
    case 'refused':
      return { ...NOTHING, outcome: 'refused', status: outcome.status, ...codeFacts(outcome.code), msg: sanitizeText(outcome.msg) };
    case 'notSent':
      return { ...NOTHING, outcome: 'notSent', cause: sanitizeText(outcome.cause, MAX_CAUSE), advice: NOT_SENT };
    case 'unknown': {
      const { status, error } = outcome;
      const { effect } = endpointOf(op);
      const facts = error === null || error.code === null ? NOTHING : codeFacts(error.code);
      return {
        outcome: 'unknown',
        ...facts,
        status,
        msg: error && sanitizeText(error.msg),
        cause: sanitizeText(outcome.cause, MAX_CAUSE),
        advice: effect === 'read' && facts.advice !== '' ? facts.advice : UNKNOWN[effect],
        look: followUpCommands(op, given),
      };
    }
    default:
      return assertNever(outcome);
  }
}

/** A cause is our own word and may hold a message of the service. */
const MAX_CAUSE = 300;
const NOTHING = { status: null, code: null, name: null, meaning: null, msg: null, cause: null, advice: '', look: [] } as const;
const NOT_SENT = 'nothing left this computer, so nothing happened: call again once the cause is mended; isobar doctor looks for it';
const UNKNOWN: Readonly<Record<Effect, string>> = {
  read: 'there is no answer, and nothing was changed: call again; isobar doctor looks for the reason',
  create: 'the order may stand. It was sent once; do not send it again before these have shown that it does not stand:',
  cancel: 'the order may be cancelled or not. Look at it; to cancel it once more does no harm:',
  setting: 'it may be changed or not. Look at it:',
  test: 'a test places nothing: call again',
};

function codeFacts(code: number) {
  const facts = errorCodeFacts(code);
  const listed = 'meaning' in facts ? facts : null;
  return { code, name: listed?.name ?? null, meaning: listed?.meaning ?? null, advice: facts.advice };
}

/** 4 where something may have happened and nobody can say: a script must not take that for a refusal. */
export function exitCodeOf(op: Op, failure: Failure | null): number {
  if (failure === null) return EXIT.ok;
  const { effect } = endpointOf(op);
  return failure.outcome === 'unknown' && effect !== 'read' && effect !== 'test' ? EXIT.unknown : EXIT.failed;
}
