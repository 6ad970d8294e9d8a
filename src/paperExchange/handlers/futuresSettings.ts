// The three futures settings: position mode, margin mode, leverage; each of one account on one contract.

import { doneAnswer, encodeAnswer } from '../../protocol/shapes/answer.ts';
import { type Handlers, instrumentOf, signed, textOf, wholeOf } from '../api/call.ts';
import { done, refused, type Reply } from '../api/message.ts';
import type { Profile } from '../dialect/switches.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';

export function futuresSettings({ venue, changes }: FuturesExchange, profile: Profile): Handlers {
  const answer = (isDone: boolean, account: number): Reply => {
    changes.accounts.add(account);
    return isDone ? done(encodeAnswer(doneAnswer, null, profile)) : refused(venue.refusal);
  };
  return {
    'futures.changePositionMode': signed(({ args, caller }) =>
      answer(venue.setPositionMode(caller.account, instrumentOf(args), textOf(args, 'positionModel') === '1'), caller.account),
    ),
    'futures.changeMarginMode': signed(({ args, caller }) =>
      answer(venue.setMarginMode(caller.account, instrumentOf(args), textOf(args, 'marginModel') === '1'), caller.account),
    ),
    'futures.changeLeverage': signed(({ args, caller }) =>
      answer(venue.setLeverage(caller.account, instrumentOf(args), wholeOf(args, 'nowLevel')), caller.account),
    ),
  };
}
