// Carries out operator decisions on foreign orders: adopt or ignore. A decision is journalled before it takes effect.

import type { ForeignOrder } from '../../../adapters/exchange/observe/foreignOrder.ts';
import type { RestExchange } from '../../../adapters/exchange/restExchange.ts';
import { readForeignOrder, type ForeignOrderDetails } from '../../../adapters/exchange/prove/readForeignOrder.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import { adopt, adoptionProblem } from '../../../engine/router/adoption.ts';
import { sizeText } from '../../../model/instrument.ts';
import type { VenueOrderId } from '../../../model/order.ts';
import type { ActAnswer, OperatorDecision, Who } from '../../control/botControl.ts';
import type { LiveBot } from './liveBot.ts';
import { foreignOrderId } from '../account/foreignOrderId.ts';
import type { MarketRouter } from '../account/marketRouter.ts';

/** Code of the halt cause that a foreign order raises. */
const FOREIGN_ORDER_CODE = 'ALIEN';
const rejected = (message: string): ActAnswer => ({ done: false, message });

/** A foreign order, and the service of the exchange that has it. */
export interface OpenForeignOrder extends ForeignOrder {
  readonly service: RestExchange;
}

/** Returns the foreign orders of all markets that need an operator decision. */
export const foreignOrdersOf = (services: MarketRouter): readonly OpenForeignOrder[] =>
  services.all().flatMap((service) => service.foreignOrders.map((foreign) => ({ ...foreign, service })));

/** Returns the id of a foreign order for a HUMAN record. */
const recordedId = (bot: LiveBot, { instrument, venueId }: ForeignOrder): string =>
  foreignOrderId(bot.deps.engine.instruments[instrument]!.id, venueId);

/** Ignores a foreign order, in this process and later ones. */
export function ignoreOrder(bot: LiveBot, { id, why }: Extract<OperatorDecision, { what: 'ignore' }>, who: Who): ActAnswer {
  const matching = foreignOrdersOf(bot.deps.services).filter(({ venueId }) => venueId === id);
  if (matching.length === 0) return rejected(`${id} is not an order that waits for a decision`);
  for (const foreign of matching) {
    bot.deps.journal.human({ who, what: 'ignore', id: recordedId(bot, foreign), why });
    bot.driver.step(() => foreign.service.ignore(id));
  }
  return { done: true, message: `${id} is ignored from now on${clearCauseIfLast(bot, who, why)}` };
}

/** Adopts a foreign order for a strategy: it is reserved and tracked from now on, and its fills are booked. */
export async function adoptOrder(bot: LiveBot, decision: Extract<OperatorDecision, { what: 'adopt' }>, who: Who): Promise<ActAnswer> {
  const { id, strategy: name, why } = decision;
  const { engine, services } = bot.deps;
  const runs = engine.runs.filter((run) => name === null || run.name === name);
  const [run] = runs;
  const names = engine.runs.map((other) => other.name).join(', ');
  if (run === undefined) return rejected(`no strategy ${name ?? ''} runs here; strategies: ${names}`);
  if (runs.length > 1) return rejected(`several strategies run here: name one with --strategy, of ${names}`);
  const foreign = foreignOrdersOf(services).find(({ venueId }) => venueId === id);
  if (foreign === undefined) return rejected(`${id} is not an order that waits for a decision`);
  const details = await new Promise<ForeignOrderDetails | string>((resolve) =>
    foreign.service.readForDecision((deps) => readForeignOrder(id, deps), resolve),
  );
  if (typeof details === 'string') return rejected(`${id}: ${details}`);
  const result = { answer: rejected(`${id} is not an order that waits for a decision`) };
  bot.driver.step(() => {
    // Another request may have decided on it meanwhile.
    if (!foreign.service.foreignOrders.some(({ venueId }) => venueId === id)) return;
    const problem = adoptionProblem(engine, run.index, details);
    if (problem !== null) {
      result.answer = rejected(`${id}: ${run.name} cannot pay for it: ${problem}`);
      return;
    }
    bot.deps.journal.human({ who, what: 'adopt', id: recordedId(bot, foreign), why });
    const order = adopt(engine, run.index, details, id as VenueOrderId, (adopted) => void bot.deps.journal.adopted(adopted));
    foreign.service.adoptFills(order, id);
    const { instrument, side, lots, limit } = order;
    const size = sizeText(fromScaled(lots, instrument.quantityDigits), instrument);
    const terms = `${side} ${size} at ${fromScaled(limit, instrument.priceDigits)}`;
    bot.deps.log.logDecision(run.name, `${who} has it adopt order ${id}: ${terms}`, FOREIGN_ORDER_CODE);
    result.answer = { done: true, message: `${id} (${terms}) is an order of ${run.name} from now on` };
  });
  if (!result.answer.done) return result.answer;
  return { ...result.answer, message: `${result.answer.message}${clearCauseIfLast(bot, who, why)}` };
}

/** Clears the halt cause once no foreign order needs a decision. Returns the end of the reply: how many still do. */
function clearCauseIfLast(bot: LiveBot, who: Who, reason: string): string {
  const { engine, services, venueMs } = bot.deps;
  const remaining = foreignOrdersOf(services).length;
  if (remaining > 0) return `; ${remaining} more need a decision`;
  bot.driver.step(() => void engine.risk.resume({ kind: 'account' }, FOREIGN_ORDER_CODE, `${who}: ${reason}`, venueMs()));
  return '';
}
