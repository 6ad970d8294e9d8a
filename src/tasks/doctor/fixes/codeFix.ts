// Fixes for error codes: first the meaning of the code at this check, then the advice of the code table.

import { errorCodeFacts } from '../../../protocol/errors/errorCodes.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import { addressOption, type CheckSubject, type SubjectKind } from './checkSubject.ts';
import { codeFamily, type CodeFamily } from './codeFamilies.ts';

/** Returns a fix in the words of the request that failed. */
type FixText = (subject: CheckSubject) => string;

const RUN_AGAIN = 'Run isobar doctor again';
const RUN_AGAIN_OR_REPORT = `${RUN_AGAIN}; if that happens again, report it to the exchange`;

const headerRemoved: FixText = ({ subjectText }) =>
  `isobar sends that header, but a server on the way removes it. Request ${subjectText} from another network`;
const wrongService: FixText = ({ market, subjectText }) =>
  `${subjectText}: such a request cannot be refused for this reason. ${addressOption(market)} may be the address of another service`;
const serviceFrozen: FixText = ({ subjectText }) =>
  `the service answers even ${subjectText} with this code: only the exchange can fix that`;
const testOrderTerms: FixText = ({ subjectText }) =>
  `the test order was ${subjectText}, built from the service's own limits for the symbol`;

/** The meaning of a family by the kind of request; `any`: the same for all kinds. */
const MEANINGS: Readonly<Record<CodeFamily, Partial<Record<SubjectKind | 'any', FixText>>>> = {
  header: { any: headerRemoved },
  signature: {
    public: wrongService,
    account: () =>
      'the secret does not belong to the key, or one of them was not copied completely. This read has no query, so dialect.signQuery is ' +
      'not the cause. Create a new pair at the exchange if you cannot compare them',
    query: ({ subjectText }) =>
      `the account could be read, but ${subjectText} is refused with and without a signed query: a proxy may rewrite queries`,
    order: () => 'reads are accepted, so key and secret are correct, but the body did not arrive as signed: a proxy may rewrite bodies',
  },
  time: {
    public: wrongService,
    account: () =>
      "requests are signed with the service's own time, so a constant error of your clock is not the cause. Possible causes: your clock is " +
      `being adjusted, the connection takes more than 5 s, or the service's own clocks differ. ${RUN_AGAIN_OR_REPORT}`,
    query: () =>
      'the account was read with the same clock a moment ago: your clock was adjusted meanwhile, or the connection is slow at times. ' +
      `${RUN_AGAIN}; if that happens again, find the program that adjusts the clock (two time services, the host of a virtual machine)`,
    order: () =>
      'reads were accepted with the same clock a moment ago: dialect.recvWindow is too short (remove it), or the connection is slow at ' +
      `times. ${RUN_AGAIN}`,
  },
  key: {
    public: ({ subjectText }) => `${subjectText} needs no key: the service, or a server in front of it, accepts nothing from this address`,
    account: ({ market }) =>
      `one of three causes: the exchange does not know the key, the key may not read ${market}, or this address is not on its list. ` +
      'Check all three where the exchange shows the key',
    query: ({ subjectText }) =>
      `the account could be read, so the key is known, but it may not read ${subjectText}. Allow that at the exchange`,
    order: ({ market }) => `the key may read but not trade: give it the permission to trade ${market} at the exchange, but not to withdraw`,
  },
  company: {
    public: wrongService,
    order: ({ market }) => `the account can be read but cannot trade: it may never have been opened for trading ${market}`,
    any: ({ market }) => `the exchange knows the key but not its account: the account may never have been opened for ${market}`,
  },
  address: {
    public: () => 'even public calls are refused: the exchange does not serve this address or this country',
    order: () =>
      'reads are accepted from this address, but orders are not: the key may have two lists, or this country may not trade there',
    any: () => 'find the public address of this computer (many change from day to day) and put it on the list of the key at the exchange',
  },
  rate: {
    public: () =>
      `the doctor sends few requests, so this address was over its limit before. Stop other programs that call from here. ${RUN_AGAIN}`,
    order: () => `this was the first order of this run: another program places orders with the same key. Stop it. ${RUN_AGAIN}`,
    any: () => `the doctor sends few requests, so this key was over its limit before. Stop other programs that use it. ${RUN_AGAIN}`,
  },
  fault: {
    order: ({ subjectText }) => `${subjectText}: a test order is never placed, so there is nothing to check. ${RUN_AGAIN} in a few minutes`,
    any: ({ subjectText }) => `${subjectText}: the service does not know the outcome. ${RUN_AGAIN_OR_REPORT}`,
  },
  support: {
    public: ({ subjectText }) => `${subjectText}: the service does not offer this, although the specification lists it`,
    account: ({ market }) => `the service does not let this account be read: it may not be opened for ${market}`,
    query: ({ subjectText }) => `${subjectText}: the service does not offer this`,
    order: () => 'the service has no test order, so only the first order shows whether the key may trade',
  },
  parameters: {
    public: ({ subjectText }) => `${subjectText}: the request follows the specification, but this service expects other parameters`,
    account: ({ market }) =>
      `this read has no parameters: a server on the way adds some, or ${addressOption(market)} is the address of another service`,
    query: ({ subjectText }) => `${subjectText}: the service expects other parameters than the specification`,
    order: (subject) => `${testOrderTerms(subject)}: the service expects other parameters than the specification`,
  },
  instrument: {
    account: wrongService,
    any: ({ subjectText }) =>
      `${subjectText}: the service does not know that name. Name a listed one with --symbol, or try dialect.symbolCase: lower`,
  },
  digits: { order: testOrderTerms, any: wrongService },
  size: {
    order: (subject) =>
      `${testOrderTerms(subject)}: the service requires more than it lists. Put its minimum into the instrument record of the catalog`,
    any: wrongService,
  },
  price: {
    order: (subject) => `${testOrderTerms(subject)} and from its last price, which may be old: check the ticker`,
    any: wrongService,
  },
  form: { order: testOrderTerms, any: wrongService },
  account: {
    order: (subject) => `${testOrderTerms(subject)}: the order was understood and allowed, but the account is not ready for it`,
    any: wrongService,
  },
  endedOrder: { order: () => 'a new order cannot be missing: the service confuses the path with another one', any: wrongService },
  frozen: { order: () => 'reads work, but trading does not', any: serviceFrozen },
};

/** Codes whose advice is to run the doctor or to check the clock, which an earlier check has already reported. */
const WITHOUT_ADVICE: ReadonlySet<number> = new Set([VENUE_CODES.invalidSignature.code, VENUE_CODES.invalidTimestamp.code]);

/** Returns the fixes for a code, the most likely one first. */
export function codeFix(code: number, subject: CheckSubject): readonly string[] {
  const { advice } = errorCodeFacts(code);
  const family = codeFamily(code);
  if (family === null) return [advice];
  const meaning = MEANINGS[family][subject.kind] ?? MEANINGS[family].any;
  const fixes = meaning === undefined ? [] : [meaning(subject)];
  return WITHOUT_ADVICE.has(code) ? fixes : [...fixes, advice];
}
