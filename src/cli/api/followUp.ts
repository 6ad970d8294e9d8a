// Names the commands that show the effect of a call of `isobar api` that changes something.

import { assertNever } from '../../base/assert.ts';
import type { CallArguments } from '../../protocol/arguments.ts';
import { endpointOf, type Op } from '../../protocol/endpoints/endpoints.ts';

/**
 * Returns the commands that show the effect of `op` called with `args`. Empty for reads and tests. For a new order, `args` should have its
 * `orderId` if it is known.
 */
export function followUpCommands(op: Op, args: CallArguments): readonly string[] {
  const argumentText = (name: string): string => (typeof args[name] === 'string' ? ` ${name}=${args[name]}` : '');
  return callsFor(op, argumentText).map((call) => `isobar api ${call}`);
}

/** Returns the argument as ` name=value`. Empty without a value. */
type ArgumentText = (name: string) => string;

/** Returns the calls that show the effect of a call; empty for a read. */
function callsFor(op: Op, argumentText: ArgumentText): readonly string[] {
  const { effect } = endpointOf(op);
  switch (effect) {
    case 'read':
    case 'test':
      return [];
    case 'setting':
      return [`futures.positions${argumentText('contractName')}`, 'futures.account'];
    case 'create':
      return callsForCreate(op, argumentText);
    case 'cancel':
      return [callForCancel(op, argumentText)];
    default:
      return assertNever(effect);
  }
}

/** Returns the calls that show a new order. */
function callsForCreate(op: Op, argumentText: ArgumentText): readonly string[] {
  const symbol = argumentText('symbol');
  const contract = argumentText('contractName');
  const orderId = argumentText('orderId');
  const clientId = argumentText('newClientOrderId');
  if (op === 'futures.createConditionOrder') return [`futures.triggerOrderList${contract}`, `futures.orderHistory${contract}`];
  if (op === 'futures.createOrder') {
    return orderId === ''
      ? [`futures.openOrders${contract}`, `futures.orderHistory${contract}`]
      : [`futures.orderInformation${contract}${orderId}`];
  }
  if (orderId !== '') return [`spot.queryOrder${symbol}${orderId}`];
  const byClientId = clientId === '' ? [] : [`spot.queryOrder${symbol}${clientId}`];
  return [...byClientId, `spot.openOrders${symbol} limit=100`, `spot.myTrades${symbol}`];
}

/** Returns the call that shows a cancelled order. */
function callForCancel(op: Op, argumentText: ArgumentText): string {
  const symbol = argumentText('symbol');
  const contract = argumentText('contractName');
  const orderId = argumentText('orderId');
  if (op === 'futures.cancelTriggerOrder') return `futures.triggerOrderList${contract}`;
  if (op === 'futures.cancelOrder') return `futures.orderInformation${contract}${orderId}`;
  if (op === 'spot.batchCancel') return `spot.openOrders${symbol} limit=100`;
  return `spot.queryOrder${symbol}${orderId === '' ? argumentText('newClientOrderId') : orderId}`;
}
