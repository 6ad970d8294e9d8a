// Text of decisions, the same for a record and a replayed decision, so that both can be compared.

import { sizesOf, type GuardTexts } from '../../../adapters/journal/records/orderText.ts';
import type { RecordOf } from '../../../adapters/journal/records/records.ts';
import type { Order } from '../../../model/order.ts';

/** The members of an INTENT record that its text contains. */
type IntentTerms = Pick<RecordOf<'INTENT'>, 'strategy' | 'slot' | 'fp' | 'role' | 'reduceOnly' | 'createdMs'>;

/** The members of a DRAFT record that its text contains. */
type DraftTerms = Pick<RecordOf<'DRAFT'>, 'order' | 'side' | 'qty' | 'amount' | 'price' | 'slot' | 'ahead'>;

/** Returns the text of an order from its record. */
export const intentText = ({ strategy, slot, fp, role, reduceOnly, createdMs }: IntentTerms): string =>
  `order '${slot}' of strategy ${strategy}: ${fp} ${role}${reduceOnly ? ' reducing' : ''} at ${createdMs}`;

/** Returns the text of a replayed order. */
export const replayedOrderText = (order: Order): string => intentText({ ...order, fp: sizesOf(order).fp });

/** Returns the text of a verdict of risk on an order. */
export const riskVerdictText = ({ order, code }: Pick<RecordOf<'VERDICT'>, 'order' | 'code'>): string =>
  `verdict on order ${order}: ${code ?? 'approved'}`;
/** Returns the text of a cancel. */
export const cancelText = (orderId: number): string => `cancel of order ${orderId}`;
/** Returns the text of a draft: an order that waits for the end of others. */
export const draftText = ({ order, side, qty, amount, price, slot, ahead }: DraftTerms): string =>
  `draft of order ${order}: ${side} ${qty ?? amount} at ${price ?? 'the market'}, ${slot}, after ${ahead.join(', ')}`;

/** Names of the terms that protect or trigger an order. */
const PROTECTIVE_TERMS = [
  'takeProfit',
  'targets',
  'stopLoss',
  'trailing',
  'trailingPercent',
  'trailingFrom',
  'trigger',
  'condition',
] as const;

/** Returns the protective prices of an order as text. */
export function protectionText(guards: Partial<GuardTexts>): string {
  const parts: string[] = [];
  for (const name of PROTECTIVE_TERMS) {
    const value = guards[name] ?? null;
    if (value !== null) parts.push(`${name === 'condition' ? 'triggerTicks' : name} ${value}`);
  }
  if (guards.rises === true) parts.push('after a rise');
  return parts.join(' ');
}

/** True when two orders have the same protective prices and triggers. `recorded`: a record of an earlier version may not have `rises`. */
export const hasSameProtection = (guards: GuardTexts, recorded: Partial<GuardTexts>): boolean =>
  PROTECTIVE_TERMS.every((name) => (guards[name] ?? null) === (recorded[name] ?? null)) &&
  guards.rises === (recorded.rises ?? guards.rises);
