// Handlers of the three futures settings: position mode, margin mode and leverage. Each applies to one account on one contract.

import { POSITION_MODEL } from '../../protocol/contractModes.ts';
import { doneAnswer, encodeAnswer } from '../../protocol/shapes/answer.ts';
import { type Handlers, instrumentArg, signedHandler, textArg, integerArg } from '../api/call.ts';
import { succeeded, refused, type HandlerReply } from '../api/message.ts';
import type { Profile } from '../dialect/switches.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';

/** Returns the handlers of the futures settings. */
export function futuresSettings({ venue, changes }: FuturesExchange, profile: Profile): Handlers {
  /** The store writes the account again even if the change was refused. */
  const reply = (isDone: boolean, accountIndex: number): HandlerReply => {
    changes.accounts.add(accountIndex);
    return isDone ? succeeded(encodeAnswer(doneAnswer, null, profile)) : refused(venue.refusal);
  };
  return {
    'futures.changePositionMode': signedHandler(({ args, caller }) =>
      reply(
        venue.setPositionMode(caller.account, instrumentArg(args), textArg(args, 'positionModel') === String(POSITION_MODEL.net)),
        caller.account,
      ),
    ),
    'futures.changeMarginMode': signedHandler(({ args, caller }) =>
      reply(venue.setMarginMode(caller.account, instrumentArg(args), textArg(args, 'marginModel') === '1'), caller.account),
    ),
    'futures.changeLeverage': signedHandler(({ args, caller }) =>
      reply(venue.setLeverage(caller.account, instrumentArg(args), integerArg(args, 'nowLevel')), caller.account),
    ),
  };
}
