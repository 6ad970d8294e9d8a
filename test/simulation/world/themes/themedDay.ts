// Draws days with a theme. Each theme makes the faults frequent that one group of guards of the order path exists for.

import type { Rng } from '../../../../src/base/number/rng.ts';
import type { Profile } from '../../../../src/paperExchange/dialect/switches.ts';
import { dialectOptionsFor, profileOfCombination, SWITCH_COMBINATIONS, SWITCH_VALUES } from '../../../fixtures/switchPairs.ts';
import { drawFaultMs, MAX_CREATES, rngOf, TIMED_FAULTS } from '../draws.ts';

/** Seeds above this have days with a theme, a thousand seeds for each theme. Days without a theme must keep their recorded hashes. */
export const LAST_UNTHEMED_SEED = 20_000;
export const SEEDS_PER_THEME = 1000;

/** The themes, in the order of their seeds. A new one is added at the end. */
export const THEMES = [
  // Lost orders come to the lists as late as a bot must expect, and clocks of processes are up to a minute off.
  'lateOrders',
  // Lists come from replicas: one lacks an order once, shows the end of an order before its fills, or is slow.
  'replicas',
  // Lists lack trades for up to 80 s, have no client order ids, and queries of orders fail.
  'missingTrades',
  // Lists do not answer for longer than the operator waits.
  'silentLists',
  // Orders arrive after they were proved absent, or although they were refused; lists show statuses that no table has.
  'lateArrivals',
  // The strategy asks for more than it may: the same decision twice, sales of all that it has, orders that meet each other.
  'crowd',
  // Questions for the time of the exchange are slow, so that the bot does not know it well enough.
  'slowClock',
  // Persons place orders like those of the bot; lists have no client order ids; kills have to distinguish them.
  'twins',
  // Lists and queries show a status that no table has.
  'strangeStatus',
  // Of contracts: kills while entries wait for their price, and kills whose slices are refused while a stop protects the position.
  'contractKills',
  // The exchange admits few calls, and they are slow, so that calls wait for their turn.
  'fewCalls',
  // A second bot trades on the same exchange, and each of them is cut off for times. On every second day both have one account.
  'twoBots',
  // Strategies begin afresh after an end of the process, and wrong configs are tried.
  'newFeeds',
  // Lists have no client order ids, and orders come late that look like later ones, or were refused.
  'lateTwins',
  // The day ends with a kill without the bot. Each seed sets one scene for it: what is lost just before, and what persons and lists do then.
  'stagedKills',
  // Lost orders rest unseen until their absence can be proved, and fill just before a list of open orders.
  'lateFills',
  // Of contracts: a person trades the bot's contract by hand, and just afterwards a kill closes positions and ends the day.
  'contractHands',
  // A person places as many orders as a list shows, just after a create whose reply is lost. Two minutes later the day ends.
  'longLists',
  // A list of open orders is slow, so it does not show the state at its reply. The next one comes from a replica that is no longer updated.
  'slowLists',
  // An order fills in many trades at once, more than a page of a list has, and the exchange counts pages of trades downward.
  'manyTrades',
  // Of contracts: an order of one strategy arrives when another one holds the other side. Then a person enlarges the position of the account,
  // and a kill closes what is the bot's.
  'netStrategies',
  // The trade of a lost order is older than many others, and balances lack it.
  'buriedTrades',
  // The trade of a lost order comes to light during the last read of the proof that it is absent, and its order is not found by its id.
  'lateTrades',
  // The exchange answers open questions of its specification otherwise: each seed has another combination of the switches.
  'dialects',
  // The exchange is in maintenance: it answers nothing for minutes, and may cancel open orders.
  'maintenance',
  // Of contracts: they are inverse, so that profits and fees are in the coin that the price counts.
  'inverseContracts',
  // Of contracts: the account has the long and the short position of a contract apart.
  'twoWayContracts',
  // Of contracts, in two-way mode: strategies want a long and a short position of each contract at once.
  'bothSides',
  // Of contracts: creates are delivered twice, those of trigger orders, too. The operator cancels the second copies of those that still wait.
  'triggerCopies',
  // The exchange ends the trading of a symbol. On odd seeds it answers no reads of the symbol either.
  'delisting',
] as const;
export type Theme = (typeof THEMES)[number];

/** True for a theme whose account has the long and the short position of a contract apart. */
export const isTwoWayTheme = (theme: Theme | null): boolean => theme === 'twoWayContracts' || theme === 'bothSides';

/** The error code with which the exchange refuses a create, on some days one that it has carried out. */
export const REFUSED_CODE = -1138;

/** Returns the theme of a day; null for a day without one. */
export function themeOf(seed: number): Theme | null {
  return seed > LAST_UNTHEMED_SEED ? (THEMES[Math.floor((seed - LAST_UNTHEMED_SEED - 1) / SEEDS_PER_THEME)] ?? null) : null;
}

/** Faults of create requests that only days with a theme have. */
export const THEMED_REQUEST_FAULTS = ['slowAdmission', 'lateArrival', 'refusedDone'] as const;
/** Timed faults that only days with a theme have. */
export const THEMED_TIMED_FAULTS = [
  'silence',
  'haltAndKill',
  'slowTime',
  'strange',
  'killOverEntry',
  'refuseOverStop',
  'cutClient',
  'wrongConfig',
  'closedExchange',
  'delist',
] as const;
export type ThemedTimedFault = (typeof THEMED_TIMED_FAULTS)[number];
/** True for a fault of a create request that `ThemedFaults` answers. It leaves `slowAdmission` to the network. */
export const isAnsweredByThemedFaults = (fault: { readonly faultKind: string }): fault is ThemedRequestFault =>
  fault.faultKind === 'lateArrival' || fault.faultKind === 'refusedDone';
/** True for a timed fault that only days with a theme have. */
export const isThemedTimed = (faultKind: string): faultKind is ThemedTimedFault =>
  (THEMED_TIMED_FAULTS as readonly string[]).includes(faultKind);

/** A fault of one create request on a day with a theme. */
export interface ThemedRequestFault {
  readonly faultKind: (typeof THEMED_REQUEST_FAULTS)[number] | 'loseReply' | 'loseRequest' | 'duplicateRequest';
  /** Number of the create request on its day, from 1. */
  readonly requestNumber: number;
  /** Uniform in [0, 1). It scales the fault. */
  readonly draw: number;
}
/** A fault at a time on a day with a theme. */
interface ThemedFaultAtTime {
  readonly faultKind: ThemedTimedFault;
  /** Time since the start of the day, ms. */
  readonly atMs: number;
  /** Uniform in [0, 1). It scales the fault. */
  readonly draw: number;
}

type ThemedCreates = Partial<Record<ThemedRequestFault['faultKind'], number>>;
type ThemedTimes = Partial<Record<ThemedTimedFault, readonly [min: number, max: number]>>;

/** What a theme draws. */
interface ThemeFaults {
  /** Share of the create requests that have a fault, by kind. */
  readonly creates: ThemedCreates;
  /** Smallest and largest number of timed faults, by kind. */
  readonly timed: ThemedTimes;
  /** Timed faults of other days that a day of the theme has, too. */
  readonly keptKinds: readonly string[];
  /** Faults of create requests of other days that a day of the theme does not have. */
  readonly removedKinds?: readonly string[];
  /** What replaces `creates` or `timed` on every second day of the theme: on the days whose seed has this remainder by 2. */
  readonly everySecondDay?: { readonly remainder: 0 | 1; readonly creates?: ThemedCreates; readonly timed?: ThemedTimes };
}

/** Faults that end the process of the bot. */
const PROCESS_ENDS = ['kill', 'power'] as const;
/** Faults that a bot can recognise only where lists have client order ids. */
const NEEDS_IDS = ['duplicateRequest', 'otherReply'] as const;
/** Replies after which the bot waits 10 minutes longer, because the exchange says that it does not know what it did. */
const INCIDENTS = ['unknownDone', 'unknownNotDone', 'replaceReply'] as const;
/** Faults after which the bot waits longer. A delayed request is one, because the bot measures how late a request may arrive. */
const LENGTHENS_WAITS = [...INCIDENTS, 'delayRequest'] as const;
/** Faults after which the outcome of a create is unknown, or after which it has not left. A scene has its own. */
const LOSSES = ['loseReply', 'loseRequest', 'cutReply', 'refuseConnection'] as const;
const THEME_FAULTS: Readonly<Record<Theme, ThemeFaults>> = {
  lateOrders: { creates: { slowAdmission: 0.4 }, timed: {}, keptKinds: [...PROCESS_ENDS, 'gap', 'partition'] },
  replicas: {
    creates: { slowAdmission: 0.3, loseReply: 0.2 },
    everySecondDay: { remainder: 1, creates: { loseReply: 0.35 } },
    timed: {},
    keptKinds: [...PROCESS_ENDS, 'gap', 'flatten', 'lostFlatten', 'killSwitch'],
  },
  missingTrades: {
    creates: { loseReply: 0.6 },
    timed: {},
    keptKinds: [...PROCESS_ENDS, 'gap', 'partition'],
    removedKinds: [...NEEDS_IDS, ...LENGTHENS_WAITS],
  },
  silentLists: { creates: { loseReply: 0.35 }, timed: { silence: [2, 4] }, keptKinds: [...PROCESS_ENDS, 'gap'] },
  lateArrivals: {
    creates: { lateArrival: 0.2, refusedDone: 0.1 },
    timed: {},
    keptKinds: [...PROCESS_ENDS, 'gap'],
    removedKinds: [...NEEDS_IDS, ...INCIDENTS],
  },
  crowd: {
    creates: { loseReply: 0.25, loseRequest: 0.2 },
    timed: { haltAndKill: [3, 6], silence: [1, 2] },
    keptKinds: ['power', 'gap', 'partition'],
    removedKinds: NEEDS_IDS,
  },
  slowClock: { creates: { loseReply: 0.35 }, timed: { slowTime: [1, 3] }, keptKinds: [...PROCESS_ENDS, 'gap', 'killSwitch'] },
  twins: { creates: {}, timed: {}, keptKinds: ['gap', 'kill'], removedKinds: NEEDS_IDS },
  strangeStatus: { creates: { loseReply: 0.2 }, timed: { strange: [2, 5] }, keptKinds: [...PROCESS_ENDS, 'gap'] },
  fewCalls: {
    creates: { loseReply: 0.3 },
    timed: {},
    keptKinds: [...PROCESS_ENDS, 'gap', 'partition'],
    removedKinds: ['duplicateRequest'],
  },
  twoBots: {
    creates: { loseReply: 0.15, loseRequest: 0.1 },
    timed: { cutClient: [2, 4] },
    keptKinds: [...PROCESS_ENDS, 'gap', 'partition', 'halt', 'killSwitch', 'flatten', 'lostFlatten'],
    removedKinds: NEEDS_IDS,
  },
  newFeeds: {
    creates: { loseReply: 0.25, loseRequest: 0.2 },
    timed: { haltAndKill: [2, 4], wrongConfig: [2, 4] },
    keptKinds: [...PROCESS_ENDS, 'gap'],
    removedKinds: NEEDS_IDS,
  },
  lateTwins: {
    creates: { lateArrival: 0.2, loseReply: 0.1, loseRequest: 0.15 },
    everySecondDay: { remainder: 0, creates: { refusedDone: 0.2 } },
    timed: {},
    keptKinds: [...PROCESS_ENDS, 'gap'],
    // A refused order that looks like a later one makes the later one ambiguous: docs/maintainers/simulation.md, what it found.
    removedKinds: [...NEEDS_IDS, ...LENGTHENS_WAITS, 'refuseConnection'],
  },
  contractHands: { creates: {}, timed: {}, keptKinds: ['gap'], removedKinds: [...NEEDS_IDS, ...LENGTHENS_WAITS, ...LOSSES] },
  longLists: { creates: { loseReply: 0.4 }, timed: {}, keptKinds: [], removedKinds: [...NEEDS_IDS, ...LENGTHENS_WAITS, ...LOSSES] },
  netStrategies: { creates: { lateArrival: 0.8 }, timed: {}, keptKinds: [], removedKinds: [...NEEDS_IDS, ...LENGTHENS_WAITS, ...LOSSES] },
  lateTrades: { creates: { loseReply: 0.4 }, timed: {}, keptKinds: [], removedKinds: [...NEEDS_IDS, ...LENGTHENS_WAITS, ...LOSSES] },
  buriedTrades: { creates: { loseReply: 0.5 }, timed: {}, keptKinds: [], removedKinds: [...NEEDS_IDS, ...LENGTHENS_WAITS, ...LOSSES] },
  slowLists: { creates: { loseReply: 0.4 }, timed: {}, keptKinds: [], removedKinds: [...NEEDS_IDS, ...LENGTHENS_WAITS, ...LOSSES] },
  dialects: {
    creates: { loseReply: 0.1, loseRequest: 0.05 },
    timed: {},
    keptKinds: [...PROCESS_ENDS, 'gap', 'partition', 'stale', 'halt', 'killSwitch', 'flatten', 'lostFlatten'],
    removedKinds: NEEDS_IDS,
  },
  maintenance: {
    creates: { loseReply: 0.15, loseRequest: 0.05 },
    timed: { closedExchange: [1, 3] },
    keptKinds: [...PROCESS_ENDS, 'gap', 'halt', 'killSwitch', 'flatten', 'lostFlatten'],
  },
  inverseContracts: {
    creates: { loseReply: 0.1, loseRequest: 0.05 },
    timed: {},
    keptKinds: [...PROCESS_ENDS, 'gap', 'partition', 'stale', 'halt', 'killSwitch', 'flatten', 'lostFlatten'],
  },
  twoWayContracts: {
    creates: { loseReply: 0.1, loseRequest: 0.05 },
    timed: {},
    keptKinds: [...PROCESS_ENDS, 'gap', 'partition', 'stale', 'halt', 'killSwitch', 'flatten', 'lostFlatten'],
    removedKinds: NEEDS_IDS,
  },
  bothSides: {
    creates: { loseReply: 0.15, loseRequest: 0.05 },
    timed: {},
    keptKinds: [...PROCESS_ENDS, 'gap', 'partition', 'stale', 'halt', 'killSwitch', 'flatten', 'lostFlatten'],
    removedKinds: NEEDS_IDS,
  },
  triggerCopies: {
    creates: { duplicateRequest: 0.4, loseReply: 0.05 },
    timed: {},
    keptKinds: [...PROCESS_ENDS, 'gap', 'killSwitch', 'flatten'],
    removedKinds: ['otherReply'],
  },
  delisting: {
    creates: { loseReply: 0.15, loseRequest: 0.05 },
    timed: { delist: [1, 1] },
    keptKinds: [...PROCESS_ENDS, 'gap', 'halt', 'killSwitch', 'flatten', 'lostFlatten'],
  },
  manyTrades: { creates: { loseReply: 0.2 }, timed: {}, keptKinds: [...PROCESS_ENDS, 'gap'], removedKinds: NEEDS_IDS },
  lateFills: { creates: { loseReply: 0.4 }, timed: {}, keptKinds: [], removedKinds: [...NEEDS_IDS, ...LENGTHENS_WAITS, ...LOSSES] },
  stagedKills: { creates: {}, timed: {}, keptKinds: [], removedKinds: [...NEEDS_IDS, ...LENGTHENS_WAITS, ...LOSSES] },
  contractKills: {
    creates: { loseReply: 0.1 },
    timed: { refuseOverStop: [1, 2] },
    everySecondDay: { remainder: 0, timed: { killOverEntry: [2, 3] } },
    keptKinds: [...PROCESS_ENDS, 'gap', 'stale'],
  },
};

const PLAIN_TIMED_KINDS: ReadonlySet<string> = new Set(TIMED_FAULTS);
/** Share of the faults of other days that a day with a theme keeps. */
const KEPT_SHARE = 0.5;

/** Returns the faults of a day with a theme. `drawnFaults`: the faults that the day has by the draw of all days. */
export function themedFaultsOf<F extends { readonly faultKind: string; readonly requestNumber?: number }>(
  seed: number,
  theme: Theme,
  drawnFaults: readonly F[],
  faultyMs: number,
): readonly (F | ThemedRequestFault | ThemedFaultAtTime)[] {
  const { everySecondDay, ...allDays } = THEME_FAULTS[theme];
  const changes = everySecondDay?.remainder === seed % 2 ? everySecondDay : {};
  const { creates, timed, keptKinds, removedKinds = [] } = { ...allDays, ...changes };
  const rng = rngOf(seed, 'themedSchedule');
  const requests = drawRequests(creates, rng);
  const timedFaults = drawTimed(timed, faultyMs, rng);
  const keptRng = rngOf(seed, 'keptFaults');
  const kept = drawnFaults.filter(({ faultKind, requestNumber = 0 }) => {
    // Drawn for timed faults, too, so that the draws of the other faults do not depend on them.
    const isKept = keptRng.next() < KEPT_SHARE;
    if (PLAIN_TIMED_KINDS.has(faultKind)) return keptKinds.includes(faultKind);
    return isKept && !removedKinds.includes(faultKind) && !requests.has(requestNumber);
  });
  return [...kept, ...requests.values(), ...timedFaults];
}

/** Draws faults of create requests, by the number of the request. A later kind replaces an earlier one. */
function drawRequests(shares: ThemedCreates, rng: Rng): ReadonlyMap<number, ThemedRequestFault> {
  const requests = new Map<number, ThemedRequestFault>();
  for (const [faultKind, share] of Object.entries(shares) as [ThemedRequestFault['faultKind'], number][])
    for (let requestNumber = 1; requestNumber <= MAX_CREATES; requestNumber++)
      if (rng.next() < share) requests.set(requestNumber, { faultKind, requestNumber, draw: rng.next() });
  return requests;
}

/** Draws faults at a time, in the part of the day that has faults. */
function drawTimed(counts: ThemedTimes, faultyMs: number, rng: Rng): readonly ThemedFaultAtTime[] {
  return Object.entries(counts).flatMap(([faultKind, [min, max]]) =>
    Array.from({ length: min + Math.floor(rng.next() * (max - min + 1)) }, (): ThemedFaultAtTime => ({
      faultKind: faultKind as ThemedTimedFault,
      atMs: drawFaultMs(rng, faultyMs),
      draw: rng.next(),
    })),
  );
}

/** Settings of a day with a theme. */
export interface ThemeTerms {
  readonly maxSkewMs: number;
  readonly hidesClientIds: boolean;
  readonly hasBursts: boolean;
  /** Longest visibility delay of the exchange, ms. */
  readonly maxVisibilityMs: number;
}

/** Returns the settings of the exchange and the processes on a day with a theme. */
export function themedWorldSettings(seed: number, theme: Theme): ThemeTerms {
  return {
    maxSkewMs: theme === 'lateOrders' ? 60_000 : 3000,
    hidesClientIds:
      theme === 'missingTrades' ||
      theme === 'twins' ||
      theme === 'lateTwins' ||
      theme === 'stagedKills' ||
      (theme === 'dialects' && profileOfDay(seed).openOrdersClientId === 'off') ||
      (theme === 'crowd' && seed % 2 === 1),
    hasBursts: theme === 'replicas' || theme === 'fewCalls',
    maxVisibilityMs: 100,
  };
}

/** The calls that an exchange of few calls admits, by class. */
export const FEW_CALLS = {
  'spot.newOrder': { count: 2, windowMs: 8000 },
  'spot.cancelOrder': { count: 2, windowMs: 8000 },
  'spot.queryOrder': { count: 4, windowMs: 8000 },
} as const;

/** Returns the settings of the bot that differ on a day with a theme. */
export function themedBotConfig(seed: number, theme: Theme): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const rng = rngOf(seed, 'themedConfig');
  if (theme === 'lateOrders') return { orders: { readLagMs: 1000, resolveEveryMs: 500 + Math.floor(rng.next() * 1500) } };
  if (theme === 'replicas') return { orders: { resolveEveryMs: 500 + Math.floor(rng.next() * 1500) } };
  if (theme === 'lateFills' || theme === 'slowLists') return { orders: { resolveEveryMs: 500 } };
  if (theme === 'lateTrades') return { orders: { resolveEveryMs: 2000 }, audit: { fastMs: 4000 } };
  if (theme === 'silentLists') return { orders: { humanAfterMs: 60_000, resolveEveryMs: 2000 } };
  if (theme === 'slowClock') return { orders: { resolveEveryMs: 2000 }, clock: { periodMs: 30_000 } };
  if (theme === 'dialects') return { orders: { resolveEveryMs: 2000 }, exchange: { dialect: dialectOptionsFor(profileOfDay(seed)) } };
  if (theme === 'fewCalls') return { orders: { resolveEveryMs: 2000 }, exchange: { dialect: { limits: FEW_CALLS } } };
  if (theme === 'crowd') return { orders: { resolveEveryMs: 2000, deltaMinMs: 180_000 }, risk: { maxGrossNotional: '600' } };
  return { orders: { resolveEveryMs: 2000 } };
}

/**
 * Returns the switches of the exchange on a day of `dialects`. The first days together have every pair of values of any two switches. On later
 * days each switch has a random value.
 */
export function profileOfDay(seed: number): Profile {
  const dayIndex = (seed - LAST_UNTHEMED_SEED - 1) % SEEDS_PER_THEME;
  const combination = SWITCH_COMBINATIONS[dayIndex];
  if (combination !== undefined) return profileOfCombination(combination);
  const rng = rngOf(seed, 'switches');
  return profileOfCombination(SWITCH_VALUES.map(([, values]) => Math.floor(rng.next() * values.length)));
}

/** True for days on which orders come so late that nothing is reserved for them any more. Their bots may hold more. */
export const arrivesAfterReservation = (seed: number): boolean =>
  (themeOf(seed) === 'lateArrivals' && seed % 2 === 1) ||
  (themeOf(seed) === 'lateTwins' && seed % 2 === 0) ||
  themeOf(seed) === 'netStrategies';

/** True for days of replicas on which creates are slow, too. On the others the market takes more orders just before a list is answered. */
export const hasSlowCreates = (seed: number): boolean => seed % 2 === 0;
