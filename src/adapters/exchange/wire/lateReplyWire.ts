// A Wire that can keep listening after a cancel, because a late reply to an order still shows its outcome.

import type { Wire, WireOutcome } from '../../../ports/wire.ts';

/**
 * A Wire; one without support for `late` qualifies too. With `late`, cancelling a request that has left keeps it under way, and `late` is
 * called at most once with the reply. A second cancel ends that too. A request that had not left at the cancel is never sent.
 */
export type LateReplyWire = (...args: [...Parameters<Wire>, late?: (reply: WireReply) => void]) => ReturnType<Wire>;
export type WireReply = Extract<WireOutcome, { readonly kind: 'reply' }>;
