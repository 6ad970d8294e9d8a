// Parses external requests to a bot strictly, and performs them. The socket and the dashboard share this.

import * as z from 'zod';
import { assertNever } from '../../base/assert.ts';
import { LIMITS } from '../../risk/limits/limits.ts';
import type { ActAnswer, BotControl, BotLogLine, Who } from './botControl.ts';
import type { BotView } from './botView.ts';

const LIMIT_KEYS = new Set<string>(LIMITS.map(({ key }) => key));

const scope = z
  .string()
  .regex(/^(account|market:(spot|futures)|(symbol|strategy):.{1,100})$/, 'account, market:spot, symbol:spot:BTCUSDT or strategy:NAME');
const why = z.string().trim().min(3, 'expected a reason of three letters or more').max(500, 'expected a reason of at most 500 letters');
const id = z.string().min(1).max(100);

const requestSchema = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('view') }),
  z.strictObject({ op: z.literal('logs'), after: z.int().min(0), most: z.int().min(1).max(1000) }),
  z.strictObject({ op: z.literal('halt'), scope, state: z.enum(['HALT_NEW', 'CANCEL_ONLY']), why }),
  z.strictObject({ op: z.literal('resume'), scope, code: z.string().max(50).nullable(), why }),
  z.strictObject({ op: z.literal('kill'), flatten: z.boolean(), why }),
  z.strictObject({ op: z.literal('adopt'), id, strategy: z.string().max(100).nullable(), why }),
  z.strictObject({ op: z.literal('ignore'), id, why }),
  z.strictObject({ op: z.literal('resolve'), id, outcome: z.enum(['placed', 'noEffect']), venueId: id.nullable(), why }),
  z.strictObject({ op: z.literal('acknowledge') }),
  z.strictObject({
    op: z.literal('tighten'),
    key: z.string().refine((key) => LIMIT_KEYS.has(key), 'a limit'),
    value: z.string().max(40),
    why,
  }),
]);

/** A valid request. */
export type BotRequest = z.output<typeof requestSchema>;
/** The name of a request to the bot. */
export type ControlOp = BotRequest['op'];

/** The level of access that a token needs for a request. */
export type AccessLevel = 'read' | 'operate' | 'kill';

/** A valid request, or one line with the reason why it is invalid. */
export type ReadRequest = { readonly request: BotRequest } | { readonly problem: string };

/** Parses any external value. Never throws. */
export function readRequest(value: unknown): ReadRequest {
  const parsed = requestSchema.safeParse(value);
  if (parsed.success) return { request: parsed.data };
  const [issue] = parsed.error.issues;
  return { problem: issue ? `${issue.path.map(String).join('.') || 'request'}: ${issue.message}` : 'not a request' };
}

/** Returns the level of access that a token needs. */
export function requiredLevel(op: ControlOp): AccessLevel {
  if (op === 'view' || op === 'logs') return 'read';
  return op === 'kill' ? 'kill' : 'operate';
}

/** The reply to a request. */
export type BotAnswer = BotView | readonly BotLogLine[] | ActAnswer;

/** Performs a request. Every request counts as presence. */
export function perform(control: BotControl, request: BotRequest, who: Who): BotAnswer | Promise<BotAnswer> {
  control.noteActivity();
  switch (request.op) {
    case 'view':
      return control.view();
    case 'logs':
      return control.logs(request.after, request.most);
    case 'halt':
      return control.halt(request, who);
    case 'resume':
      return control.resume(request, who);
    case 'kill':
      return control.kill(request, who);
    case 'adopt':
      return control.decide({ what: 'adopt', id: request.id, strategy: request.strategy, why: request.why }, who);
    case 'ignore':
      return control.decide({ what: 'ignore', id: request.id, why: request.why }, who);
    case 'resolve':
      return control.decide({ ...request, what: 'resolve' }, who);
    case 'acknowledge':
      return control.acknowledge(who);
    case 'tighten':
      return control.tighten({ key: limitKey(request.key), value: request.value, why: request.why }, who);
    default:
      return assertNever(request);
  }
}

/** Returns a name as the key of a limit. */
function limitKey(name: string): (typeof LIMITS)[number]['key'] {
  const limit = LIMITS.find(({ key }) => key === name);
  if (!limit) throw new TypeError(`${name} is not a limit`);
  return limit.key;
}
