// A Wire that can keep listening after a cancel, because a late reply to an order still shows its outcome.

import type { Wire, WireOutcome } from '../../../ports/wire.ts';

/**
 * Sends a request. With `late`, the first cancel of a request that has left only stops waiting: `late` is called once with the reply, if it
 * comes. A second cancel ends the request. A request that had not left at the first cancel is never sent. A Wire that ignores `late` fits
 * too.
 */
export type LateReplyWire = (...args: [...Parameters<Wire>, late?: (reply: WireReply) => void]) => ReturnType<Wire>;
/** A complete HTTP reply. */
export type WireReply = Extract<WireOutcome, { readonly kind: 'reply' }>;
