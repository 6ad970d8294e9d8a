// Fixes for error codes: first what the code means at this check, then the advice of the code table.

import { errorCodeFacts } from '../../../protocol/errors/errorCodes.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import { addressOption, type CheckSubject, type SubjectKind } from './subject.ts';
import { codeFamily, type CodeFamily } from './codeFamilies.ts';

type FixText = (asked: CheckSubject) => string;

const AGAIN = 'Run isobar doctor again';
const REPORT_IT = `${AGAIN}; if it stays, report it to the exchange`;

const proxy: FixText = ({ what }) =>
  `isobar sends that header: what stands between here and the service drops it. Ask for ${what} from another network`;
const elsewhere: FixText = ({ market, what }) =>
  `${what}: nothing in that can be refused for this reason. ${addressOption(market)} may be the address of another service`;
const frozen: FixText = ({ what }) => `the service answers even ${what} with this: nothing can be done from here`;
const ownChoice: FixText = ({ what }) => `the check was ${what}, made of what the service lists for the symbol`;

/** The meaning of a family by the kind of request; `any`: the same for all kinds. */
const HERE: Readonly<Record<CodeFamily, Partial<Record<SubjectKind | 'any', FixText>>>> = {
  header: { any: proxy },
  signature: {
    public: elsewhere,
    account: () =>
      'the secret does not belong to the key, or one of them was not copied whole; this read has no query, so that it is not ' +
      'dialect.signQuery. Make a new pair at the exchange if you cannot compare them',
    query: ({ what }) => `the account could be read, yet ${what} is refused however its query is signed: a proxy may rewrite queries`,
    order: () => 'reads are accepted, so key and secret are right: the body did not arrive as it was signed. A proxy may rewrite bodies',
  },
  time: {
    public: elsewhere,
    account: () =>
      "requests are signed with the service's own time, so that a steady error of your clock is not the cause: a clock that is being set " +
      `just now, a way of more than 5 s, or a service whose parts have different clocks is. ${REPORT_IT}`,
    query: () =>
      'the account was read with the same clock a moment ago: your clock was set meanwhile, or the way there is slow now and then. ' +
      `${AGAIN}; if it stays, look for what sets the clock (two time services, the host of a virtual machine)`,
    order: () =>
      'reads were taken with the same clock a moment ago: dialect.recvWindow is too short (leave it out), or the way there is slow ' +
      `now and then. ${AGAIN}`,
  },
  key: {
    public: ({ what }) => `${what} needs no key: the service, or what stands before it, takes nothing from this address`,
    account: ({ market }) =>
      `one of three: the key is not known there (is it of this exchange?), it may not read ${market}, or this address is not on its ` +
      'list. Look at all three where the exchange shows the key',
    query: ({ what }) => `the account could be read, so that the key is known: it may not read ${what}. Allow it at the exchange`,
    order: ({ market }) => `the key may read, not trade: give it the permission to trade ${market} at the exchange, never one to withdraw`,
  },
  company: {
    public: elsewhere,
    order: ({ market }) => `the account can be read but cannot trade: it may never have been opened for trading ${market}`,
    any: ({ market }) => `the key is known, its account is not: it may never have been opened for ${market}`,
  },
  address: {
    public: () => 'even public calls are refused: the exchange does not serve this address, or this country',
    order: () => 'reads are taken from this address, orders are not: the key may have a list for each, or this country may not trade there',
    any: () => 'find the public address of this computer (many change from day to day) and put it on the list of the key at the exchange',
  },
  rate: {
    public: () => `a handful of questions is no load: this address was over its limit before. Stop what else calls from here. ${AGAIN}`,
    order: () => `this was the first order of this run: another program places orders with the same key. Stop it. ${AGAIN}`,
    any: () => `a handful of questions is no load: this key was over its limit before. Stop what else uses it. ${AGAIN}`,
  },
  fault: {
    order: ({ what }) => `${what}: a test places nothing, so that there is nothing to look up. ${AGAIN} in some minutes`,
    any: ({ what }) => `${what}: the service could not say. ${REPORT_IT}`,
  },
  support: {
    public: ({ what }) => `${what}: the service does not offer it, though the specification lists it`,
    account: ({ market }) => `the service does not let this account be read: it may not be opened for ${market}`,
    query: ({ what }) => `${what}: the service does not offer it`,
    order: () => 'the service has no test order: whether the key may trade is not known before the first order',
  },
  parameters: {
    public: ({ what }) => `${what}: asked for as the specification has it, which this service wants otherwise`,
    account: ({ market }) =>
      `this read has no parameters: something on the way adds some, or ${addressOption(market)} is the address of another service`,
    query: ({ what }) => `${what}: the service wants other parameters than the specification has`,
    order: (asked) => `${ownChoice(asked)}: the service wants other parameters than the specification has`,
  },
  instrument: {
    account: elsewhere,
    any: ({ what }) => `${what}: the service does not know that name. Give one that it lists by --symbol, or try dialect.symbolCase: lower`,
  },
  digits: { order: ownChoice, any: elsewhere },
  size: {
    order: (asked) => `${ownChoice(asked)}: it wants more than it lists. Put its minimum into the instrument record of the catalog`,
    any: elsewhere,
  },
  price: { order: (asked) => `${ownChoice(asked)} and of its last price, which may be an old one: look at the ticker`, any: elsewhere },
  form: { order: ownChoice, any: elsewhere },
  account: { order: (asked) => `${ownChoice(asked)}: it was understood and allowed, the account is not ready for it`, any: elsewhere },
  endedOrder: { order: () => 'a new order cannot be one that is missing: the service takes the path for another', any: elsewhere },
  frozen: { order: () => 'reading works, trading does not', any: frozen },
};

/** Codes whose advice is to run the doctor or to check the clock, which an earlier check has already reported. */
const WITHOUT_ADVICE: ReadonlySet<number> = new Set([VENUE_CODES.invalidSignature.code, VENUE_CODES.invalidTimestamp.code]);

/** Returns what to do, the most likely fix first. */
export function codeFix(code: number, asked: CheckSubject): readonly string[] {
  const { advice } = errorCodeFacts(code);
  const family = codeFamily(code);
  if (family === null) return [advice];
  const words = HERE[family][asked.kind] ?? HERE[family].any;
  const here = words === undefined ? [] : [words(asked)];
  return WITHOUT_ADVICE.has(code) ? here : [...here, advice];
}
