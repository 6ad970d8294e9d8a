// The timed faults that every day may have: ends of the process, faults of its disk and network, and acts of the operator.

import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import type { BotProcess } from './botProcess.ts';
import type { JournalDisk } from './journalDisk.ts';
import type { SimulatedNetwork } from './network.ts';
import type { Observer } from './observer.ts';
import type { Operator } from './operator.ts';
import type { TIMED_FAULTS } from './draws.ts';
import type { SimulatedVenue } from './venue.ts';

/** A crash of the disk comes within this many of its next operations. */
const MAX_OPERATIONS = 40;
/** Length of a partition: at least `min`, at most `min` + `range`, ms. */
const PARTITION_MS = { min: 5000, range: 600_000 };
/** How long reads are answered with old data, and how old it is at most, ms. */
const STALE_MS = { length: 600_000, maxAge: 1200 };
/** Largest jump of prices, up and down together, as a share of them. */
const GAP_RANGE = 0.1;
/** Longest time until the next process starts, in seconds. */
const MAX_DOWN_SECONDS = 900;
/** Time until the next process starts after a bit of the journal has flipped, in seconds. */
const FLIP_DOWN_SECONDS = 5;

/** The parts of the world that the faults act on. */
export interface PlainFaultsDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly operator: Operator;
  readonly journal: JournalDisk;
  readonly network: SimulatedNetwork;
  /** Null while the bot is down or its computer sleeps. */
  readonly currentProcess: () => BotProcess | null;
  /** Ends the process, asleep or not. The next one starts after `seconds`. */
  readonly endProcess: (isPowerLoss: boolean, seconds: number) => void;
  /** Makes the network lose the reply to the next create request, and kills the bot afterwards. */
  readonly armLostFlatten: () => void;
}

/** What each kind of fault does. `draw`, in [0, 1), scales its duration or amount. */
export type PlainFaults = Readonly<Record<(typeof TIMED_FAULTS)[number], (draw: number) => void>>;

/** Returns the faults of a world. A sleeping computer can lose its process or its power; other faults of the process have no effect then. */
export function plainFaultsOf(deps: PlainFaultsDeps): PlainFaults {
  const { queue, venue, operator, journal, network, currentProcess, endProcess, armLostFlatten } = deps;
  const hasBot = (): boolean => currentProcess()?.opened != null;
  return {
    kill: (draw) => endProcess(false, downSeconds(draw)),
    power: (draw) => endProcess(true, downSeconds(draw)),
    diskCrash: (draw) => (journal.disk.crashAt = journal.disk.operations + 1 + Math.floor(draw * MAX_OPERATIONS)),
    partition: (draw) => (network.partitionedUntilMs = queue.nowMs + PARTITION_MS.min + draw ** 3 * PARTITION_MS.range),
    stale: (draw) => {
      network.staleUntilMs = queue.nowMs + STALE_MS.length;
      network.staleMs = Math.floor(draw * STALE_MS.maxAge);
    },
    gap: (draw) => (venue.exchange.prices.factor *= 1 + (draw - 0.5) * GAP_RANGE),
    lostFlatten: armLostFlatten,
    unlink: () => hasBot() && journal.unlink(queue.nowMs),
    syncFails: () => hasBot() && journal.failSync(),
    bitFlips: (draw) => hasBot() && flipBit(deps, draw),
    secondStart: () => startSecond(deps),
    halt: (draw) => operator.halt(draw),
    killSwitch: () => operator.kill(currentProcess(), false),
    flatten: () => operator.kill(currentProcess(), true),
  };
}

/** Returns how long the bot is down after a fault that ends its process. Most of these times are short. */
const downSeconds = (draw: number): number => 1 + Math.floor(draw ** 4 * MAX_DOWN_SECONDS);

/** Ends the process and flips a bit of its journal, if the journal is long enough. */
function flipBit({ journal, endProcess }: PlainFaultsDeps, draw: number): void {
  const flip = journal.flipBit(draw);
  if (flip === null) return;
  endProcess(false, FLIP_DOWN_SECONDS);
  flip();
}

/** Starts a second process of the bot. LOCK: it must not get the journal. */
function startSecond({ currentProcess, observer, queue }: PlainFaultsDeps): void {
  const running = currentProcess();
  if (running?.opened && running.startSecond()) observer.report('LOCK', 'a second process opened the journal', queue.nowMs);
}
