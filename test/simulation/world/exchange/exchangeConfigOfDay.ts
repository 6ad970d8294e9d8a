// Draws the config of the exchange of a simulated day: its accounts, switches, delays and limits.

import { SERVICE_DEFAULTS, type KeyConfig, type ServiceConfig } from '../../../../src/paperExchange/dialect/config.ts';
import { PROFILES } from '../../../../src/paperExchange/dialect/profile.ts';
import { demoKey } from '../../../../src/paperExchange/process/demo.ts';
import { rngOf } from '../draws.ts';
import { dayTermsOf } from '../hard/hardDay.ts';
import { sharesAccount } from '../pair/pairDay.ts';
import { otherAccount } from '../themes/otherAccount.ts';
import { FEW_CALLS, profileOfDay, themeOf } from '../themes/themedDay.ts';
import { SYMBOLS, type VenueTerms } from '../venueTerms.ts';

/** Longest time until a request is admitted, ms. */
const MAX_ADMISSION_MS = 60;
/** Longest time until a cancel takes effect, ms. */
const MAX_CANCEL_MS = 300;
/** Share of the seeds in which the exchange executes a repeated request again. */
const ACCEPTED_REPLAY_SHARE = 0.5;
/** Maximum of open orders of a symbol on days with long lists: more than the days place. */
const MANY_OPEN_ORDERS = 10_000;

/** Returns the config of the exchange of a day. `botKey`: the key of the bot's account. */
export function exchangeConfigOfDay(seed: number, terms: VenueTerms, botKey: KeyConfig): ServiceConfig {
  const rng = rngOf(seed, 'venue');
  const theme = themeOf(seed);
  const drawBelow = (maxMs: number): number => Math.floor(rng.next() * maxMs);
  const admissionMs = drawBelow(MAX_ADMISSION_MS);
  const visibilityMs = drawBelow(dayTermsOf(seed).maxVisibilityMs);
  const cancelMs = drawBelow(MAX_CANCEL_MS);
  return {
    ...SERVICE_DEFAULTS,
    ...terms.config,
    instruments: terms.instruments,
    accounts: accountsOfDay(seed, terms, botKey),
    profile: {
      ...PROFILES.seed,
      replayedRequest: rng.next() < ACCEPTED_REPLAY_SHARE || theme === 'triggerCopies' ? 'accept' : 'refuse',
      ...(dayTermsOf(seed).hidesClientIds ? { openOrdersClientId: 'off' } : {}),
      ...(theme === 'dialects' ? profileOfDay(seed) : {}),
    },
    delays: { admissionMs, visibilityMs, cancelMs },
    ...(theme === 'fewCalls' ? { limits: FEW_CALLS } : {}),
    ...(theme === 'twins' || theme === 'longLists' ? { maxOpenOrdersPerSymbol: MANY_OPEN_ORDERS } : {}),
  };
}

/** Returns the accounts: the bot's first, then the account that takes orders from the book, then the second bot's own. */
function accountsOfDay(seed: number, terms: VenueTerms, botKey: KeyConfig): ServiceConfig['accounts'] {
  const theme = themeOf(seed);
  const hasTwoBots = theme === 'twoBots';
  const isAccountShared = hasTwoBots && sharesAccount(seed, terms.market);
  const botKeys = [botKey, ...(isAccountShared ? [demoKey(2)] : [])];
  const hasOtherAccount = theme !== null && terms.market === 'spot';
  const hasSecondAccount = hasTwoBots && !isAccountShared;
  return [
    { name: 'bot', uid: '10001', ...terms.funds, keys: botKeys },
    ...(hasOtherAccount ? [otherAccount(SYMBOLS)] : []),
    ...(hasSecondAccount ? [{ name: 'second', uid: '10003', ...terms.funds, keys: [demoKey(2)] }] : []),
  ];
}
