// Text of decisions, the same for a record and a replayed decision, so that both can be compared.

import { sizesOf } from '../../../adapters/journal/records/orderText.ts';
import type { RecordOf } from '../../../adapters/journal/records/records.ts';
import type { Order } from '../../../model/order.ts';

type Intended = Pick<RecordOf<'INTENT'>, 'strategy' | 'slot' | 'fp' | 'role' | 'reduceOnly' | 'createdMs'>;

export const intentText = ({ strategy, slot, fp, role, reduceOnly, createdMs }: Intended): string =>
  `order '${slot}' of strategy ${strategy}: ${fp} ${role}${reduceOnly ? ' reducing' : ''} at ${createdMs}`;

export const orderText = (order: Order): string => intentText({ ...order, fp: sizesOf(order).fp });

export const verdictText = ({ order, code }: Pick<RecordOf<'VERDICT'>, 'order' | 'code'>): string =>
  `verdict on order ${order}: ${code ?? 'approved'}`;
export const cancelText = (order: number): string => `cancel of order ${order}`;
export const draftText = ({
  order,
  side,
  qty,
  amount,
  price,
  slot,
  ahead,
}: Omit<RecordOf<'DRAFT'>, 'cid' | 'seq' | 't' | 'k' | 'dur' | 'crc'>): string =>
  `draft of order ${order}: ${side} ${qty ?? amount} at ${price ?? 'the market'}, ${slot}, after ${ahead.join(', ')}`;
