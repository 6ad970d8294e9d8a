// Orders of the exchange that nobody here has sent: a person says whose they are, and that is written down before it counts.

import type { Alien } from '../../../adapters/exchange/observe/ownership.ts';
import type { RestExchange } from '../../../adapters/exchange/restExchange.ts';
import type { ForeignOrder } from '../../../adapters/exchange/prove/foreign.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import { adopt, objectionTo } from '../../../engine/router/adoption.ts';
import { sizeText } from '../../../model/instrument.ts';
import type { VenueOrderId } from '../../../model/order.ts';
import type { ActAnswer, Decision, Who } from '../../control/botControl.ts';
import type { LiveBot } from './liveBot.ts';
import type { MarketSplit } from '../account/marketSplit.ts';

const ALIEN = 'ALIEN';
const refused = (says: string): ActAnswer => ({ done: false, says });

/** An alien, and the service at whose exchange it stands. */
export interface StandingAlien extends Alien {
  readonly service: RestExchange;
}

/** What waits for a person to name it, over all markets. */
export const aliensOf = (services: MarketSplit): readonly StandingAlien[] =>
  services.all().flatMap((service) => service.aliens.map((alien) => ({ ...alien, service })));

/** As a HUMAN record names it: ids are of one market alone. */
const idIn = (bot: LiveBot, { instrument, venueId }: Alien): string => `${bot.parts.engine.instruments[instrument]!.id} ${venueId}`;
/** It is somebody else's business, in this process and those after it. */
export function ignoreOrder(bot: LiveBot, { id, why }: Extract<Decision, { what: 'ignore' }>, who: Who): ActAnswer {
  const found = aliensOf(bot.parts.services).filter(({ venueId }) => venueId === id);
  if (found.length === 0) return refused(`${id} is no order that waits for a name`);
  for (const alien of found) {
    bot.parts.journal.human({ who, what: 'ignore', id: idIn(bot, alien), why });
    bot.driver.step(() => alien.service.ignore(id));
  }
  return { done: true, says: `${id} is left alone from now on${named(bot, who, why)}` };
}

/** It is an order of that strategy from now on: reserved, followed, and what it has filled is booked. */
export async function adoptOrder(bot: LiveBot, decision: Extract<Decision, { what: 'adopt' }>, who: Who): Promise<ActAnswer> {
  const { id, strategy: name, why } = decision;
  const { engine, services } = bot.parts;
  const runs = engine.runs.filter((run) => name === null || run.name === name);
  const [run] = runs;
  const names = engine.runs.map((each) => each.name).join(', ');
  if (run === undefined) return refused(`no strategy ${name ?? ''} runs here; there are ${names}`);
  if (runs.length > 1) return refused(`whose it becomes has to be said: --strategy with one of ${names}`);
  const alien = aliensOf(services).find(({ venueId }) => venueId === id);
  if (alien === undefined) return refused(`${id} is no order that waits for a name`);
  const found = await new Promise<ForeignOrder | string>((resolve) => alien.service.foreign(id, resolve));
  if (typeof found === 'string') return refused(`${id}: ${found}`);
  const said = { answer: refused(`${id} is no order that waits for a name`) };
  bot.driver.step(() => {
    // Meanwhile somebody else may have named it.
    if (!alien.service.aliens.some(({ venueId }) => venueId === id)) return;
    const objection = objectionTo(engine, run.index, found);
    if (objection !== null) {
      said.answer = refused(`${id}: the books of ${run.name} cannot bear it: ${objection}`);
      return;
    }
    bot.parts.journal.human({ who, what: 'adopt', id: idIn(bot, alien), why });
    const order = adopt(engine, run.index, found, id as VenueOrderId, (each) => void bot.parts.journal.adopted(each));
    alien.service.claim(order, id);
    const { instrument, side, lots, limit } = order;
    const size = `${side} ${sizeText(fromScaled(lots, instrument.quantityDigits), instrument)} at ${fromScaled(limit, instrument.priceDigits)}`;
    bot.parts.log.decided(run.name, `${who} has it adopt order ${id}: ${size}`, ALIEN);
    said.answer = { done: true, says: `${id} (${size}) is an order of ${run.name} from now on` };
  });
  return said.answer.done ? { ...said.answer, says: `${said.answer.says}${named(bot, who, why)}` } : said.answer;
}

/** Once every one has a name, what they have stopped goes on. */
function named(bot: LiveBot, who: Who, why: string): string {
  const { engine, services, venueMs } = bot.parts;
  const left = aliensOf(services).length;
  if (left > 0) return `; ${left} more wait for a name`;
  bot.driver.step(() => void engine.risk.resume({ kind: 'account' }, ALIEN, `${who}: ${why}`, venueMs()));
  return '';
}
