// A Wire that can go on listening after a cancel: an answer to an order is worth having even when nobody waits for it any more.

import type { Wire, WireOutcome } from '../../../ports/wire.ts';

/**
 * A Wire; one that knows nothing of `late` is one too. With `late`, a cancel of a request of which bytes have left leaves it under way:
 * `late` is called at most once, with the reply that comes after all. A second cancel gives that up as well. A request of which nothing
 * had left at the cancel never leaves.
 */
export type LateReplyWire = (...args: [...Parameters<Wire>, late?: (reply: WireReply) => void]) => ReturnType<Wire>;
export type WireReply = Extract<WireOutcome, { readonly kind: 'reply' }>;
