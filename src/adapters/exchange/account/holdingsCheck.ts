// Compares the account's holdings with the sum of its trades: asset totals on spot, positions on futures, in two-way mode by side.

import { appendAll } from '../../../base/memory/appendAll.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import { all, sleep, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import type { CallOptions } from '../client/restClient.ts';
import { positionPartOf, type Gap, type PositionLots, type PositionPart } from '../order/expectedHoldings.ts';
import type { ExchangeContext } from '../order/exchangeContext.ts';
import type { FundingWatch } from './funding.ts';
import type { NotedTotals } from './notedTotals.ts';
import { positionContradictions } from './positionContradictions.ts';
import type { ContractSettings } from '../send/contractSettings.ts';
import type { PositionRow } from '../calls/venueRows.ts';
import type { TradesRead } from '../observe/tradeReader.ts';

/** The result of a comparison. */
export interface Verified {
  /** False if a read failed or there is no baseline to compare with yet. Then the check proves nothing. */
  readonly isComplete: boolean;
  /** One sentence for each difference. */
  readonly differences: readonly string[];
}

/** What the check of holdings takes. */
export interface HoldingsCheckDeps {
  readonly context: ExchangeContext;
  readonly funding: FundingWatch;
  readonly readTrades: (instrumentIndex: number, sinceMs: number, options: CallOptions) => Work<TradesRead>;
  /** Null if no settings are configured. */
  readonly contractSettings: Pick<ContractSettings, 'isReady'> | null;
  /** Journals the totals when the holdings agree with the trades, and the differences that the operator accepts. */
  readonly notedTotals: Pick<NotedTotals, 'journalTotals' | 'acceptAssets' | 'acceptLots'>;
}

/** One read of the holdings. */
interface Snapshot {
  /** Equal for equal holdings. */
  readonly signature: string;
  /** False while there is no baseline to compare with. */
  readonly isComparable: boolean;
  /** What no books can explain, one sentence each. */
  readonly contradictions: readonly string[];
  /** Returns the difference from each state of the books that the read may show, newest first, given the trades known now. */
  gaps(): readonly Gap[];
  /** Remembers a proven difference. Returns one sentence for each asset or contract of it. */
  noteProven(gap: Gap): Verified['differences'];
  /** Makes this read the baseline. */
  adopt(): void;
}

const NOT_VERIFIED: Verified = { isComplete: false, differences: [] };
const VERIFIED: Verified = { isComplete: true, differences: [] };
/** Maximum number of holdings reads in one comparison. */
const MAX_READS = 6;
/** The second and later attempts read trades this far back. */
const LOOK_BACK_MS = 3_600_000;
/** How old a holdings read may be when it arrives, beyond twice the read lag. */
const MAX_AGE_MS = 10_000;

/** One position as read. `sinceMs`: time of the oldest state that the read may show. */
interface ShownPosition {
  readonly index: number;
  readonly lots: PositionLots;
  readonly sinceMs: number;
}

const NO_GAP: Gap = { key: '', differences: [] };

/** Compares holdings with trades, and keeps the differences that the latest comparison proved. */
export class HoldingsCheck {
  readonly #deps: HoldingsCheckDeps;
  /** The difference that the latest comparison proved, on spot. */
  #assetGap: Gap | null = null;
  /** The differences that the latest comparison proved for contracts, by instrument. */
  readonly #lotGaps = new Map<number, Gap>();

  constructor(deps: HoldingsCheckDeps) {
    this.#deps = deps;
  }

  /**
   * Reads trades first, then holdings. Holdings must equal the books as they were after one of the latest trades. Two reads need not be
   * equal, because a busy account continues to trade. A difference may come from a trade that no list shows yet. It is proven only if it is
   * equal after the read lag, with all trades read in between. The first baseline needs two equal reads.
   */
  *verify(instruments: readonly number[], options: CallOptions): Work<Verified> {
    const { ownInstruments, lagMs, venueMs, deps } = this.#deps.context;
    let earlierSnapshot: Snapshot | null = null;
    // Named together with the differences, because an operator who clears the halt accepts all of them.
    const withContradictions = (verified: Verified): Verified => {
      const contradictions = earlierSnapshot?.contradictions ?? [];
      return contradictions.length === 0 ? verified : { isComplete: true, differences: [...verified.differences, ...contradictions] };
    };
    for (let attempt = 1; ; attempt++) {
      // A trade that became visible late was missed by the earlier reads. Read back far enough to find it.
      const sinceMs = attempt === 1 ? Infinity : venueMs() - LOOK_BACK_MS;
      const areTradesComplete = yield* this.#readTrades(attempt === 1 ? instruments : ownInstruments, sinceMs, options);
      if (!areTradesComplete) return NOT_VERIFIED;
      // Trades that arrived since may explain the previous read.
      if (earlierSnapshot?.isComparable === true && earlierSnapshot.gaps().some(isNone))
        return withContradictions(this.#verifiedAt(instruments));
      const snapshot: Snapshot | null = yield* this.#read(instruments, options);
      if (snapshot === null) return NOT_VERIFIED;
      const verified = this.#compare(snapshot, earlierSnapshot, instruments);
      earlierSnapshot = snapshot;
      if (verified !== null) return withContradictions(verified);
      if (attempt === MAX_READS) return withContradictions(NOT_VERIFIED);
      yield* sleep(deps.scheduler, Math.ceil(lagMs()));
    }
  }

  /**
   * Accepts the proven differences, which the operator has explained: they become part of what the account must hold. Journals them at once,
   * because the process may end before the next comparison.
   */
  acceptDifferences(): void {
    const { context, notedTotals } = this.#deps;
    const { holdings, positions, ownInstruments } = context;
    if (this.#assetGap !== null) {
      holdings.explain(this.#assetGap);
      notedTotals.acceptAssets(this.#assetGap.differences);
    }
    for (const index of ownInstruments) {
      const gap = this.#lotGaps.get(index);
      if (gap === undefined) continue;
      positions.explain(index, gap);
      notedTotals.acceptLots(index, gap.differences);
    }
    this.#forgetGaps();
  }

  /** Returns by how many lots the venue shows less than the books on the side that an order of `side` reduces. Usually 0. */
  lackingLots(index: number, side: Side): number {
    const { instruments, market } = this.#deps.context.deps;
    const { base, quantityDigits } = instruments[index]!;
    const gaps = market === 'spot' ? this.#assetGap : this.#lotGaps.get(index);
    const reduced = market === 'spot' ? base : this.reducedBy(index, side);
    const difference = gaps?.differences.find(([name]) => name === reduced)?.[1];
    if (difference === undefined) return 0;
    const lots = market === 'spot' ? difference.times(Decimal.pow(10, quantityDigits)) : difference;
    // A spot account has no short position that a buy could reduce.
    if (side === 'buy' && market === 'spot') return 0;
    const lacking = side === 'sell' ? lots.negated() : lots;
    return Math.max(0, lacking.ceil().toNumber());
  }
  /** Returns the part of a contract's position that an order of `side` reduces. */
  reducedBy(index: number, side: Side): PositionPart {
    return positionPartOf(this.#deps.context.isTwoWay(index), side === 'sell');
  }

  #forgetGaps(): void {
    this.#assetGap = null;
    this.#lotGaps.clear();
  }

  /** Returns the result, or null if another read must decide. `earlierSnapshot`: the previous read. */
  #compare(snapshot: Snapshot, earlierSnapshot: Snapshot | null, instruments: readonly number[]): Verified | null {
    if (!snapshot.isComparable) {
      // What no books can explain must not become what the account has to hold.
      if (snapshot.contradictions.length > 0 || snapshot.signature !== earlierSnapshot?.signature) return null;
      snapshot.adopt();
      return this.#verifiedAt(instruments);
    }
    const gaps = snapshot.gaps();
    if (gaps.some(isNone)) return this.#verifiedAt(instruments);
    const keysBefore = new Set(earlierSnapshot?.isComparable === true ? earlierSnapshot.gaps().map(({ key }) => key) : []);
    const proven = gaps.find(({ key }) => keysBefore.has(key));
    return proven === undefined ? null : { isComplete: true, differences: snapshot.noteProven(proven) };
  }

  /** Notes that the holdings agree, and forgets the proven differences. On spot, the assets of all instruments are compared at once. */
  #verifiedAt(instruments: readonly number[]): Verified {
    if (instruments.length === this.#deps.context.ownInstruments.length) this.#forgetGaps();
    for (const index of instruments) this.#lotGaps.delete(index);
    this.#deps.notedTotals.journalTotals();
    return VERIFIED;
  }

  /** Reads the trades. Returns true if no trade is missing or unattributed. */
  *#readTrades(instruments: readonly number[], sinceMs: number, options: CallOptions): Work<boolean> {
    const reads = yield* all(instruments.map((index) => this.#deps.readTrades(index, sinceMs, options)));
    return reads.every(({ isComplete, unattributed }) => isComplete && unattributed === 0);
  }
  /** True while an order may have had an effect that is not known yet. Holdings read now cannot be a baseline. */
  #isUnsure(): boolean {
    const { ownInstruments, trackedOrders } = this.#deps.context;
    return ownInstruments.some((index) =>
      Array.from(trackedOrders.openOf(index)).some(({ isSought, isOnWire, lifecycle }) => isSought || (isOnWire && lifecycle === 'sent')),
    );
  }

  #read(instruments: readonly number[], options: CallOptions): Work<Snapshot | null> {
    return this.#deps.context.deps.market === 'spot' ? this.#assets(instruments, options) : this.#contracts(instruments, options);
  }

  /** Reads the totals of the assets of these instruments. */
  *#assets(instruments: readonly number[], options: CallOptions): Work<Snapshot | null> {
    const { venue, holdings, deps } = this.#deps.context;
    const assets = new Set(instruments.flatMap((index) => [deps.instruments[index]!.base, deps.instruments[index]!.quote]));
    const sinceMs = this.#oldestMs();
    const venueHoldings = yield* venue.holdings(options);
    if (venueHoldings === null || (!holdings.isSet && this.#isUnsure())) return null;
    const totalOf = (asset: string): Decimal => new Decimal(venueHoldings.find((holding) => holding.asset === asset)?.total ?? 0);
    return {
      signature: venueHoldings.map(({ asset, total }) => `${asset} ${total}`).join(' '),
      isComparable: holdings.isSet,
      contradictions: [],
      gaps: () => Array.from(holdings.gaps(venueHoldings, assets, sinceMs)),
      noteProven: (gap) => {
        this.#assetGap = gap;
        return gap.differences.map(([asset, difference]) => differenceOf(asset, totalOf(asset), difference));
      },
      adopt: () => holdings.set(venueHoldings),
    };
  }

  /** Returns the venue time of the oldest state that a read requested now may show. */
  #oldestMs(): number {
    const { venueMs, lagMs } = this.#deps.context;
    return venueMs() - 2 * lagMs() - MAX_AGE_MS;
  }

  /** Reads the positions of these contracts. */
  *#contracts(instruments: readonly number[], options: CallOptions): Work<Snapshot | null> {
    const { positions, deps } = this.#deps.context;
    const shownPositions: ShownPosition[] = [];
    const contradictions: string[] = [];
    for (const index of instruments) {
      const sinceMs = this.#oldestMs();
      const page = yield* this.#deps.funding.readPositions(index, options);
      if (page === null || !page.isComplete || (!positions.isKnown(index) && this.#isUnsure())) return null;
      appendAll(contradictions, this.#contradictionsOf(index, page.rows));
      shownPositions.push({ index, lots: positionLotsOf(page.rows, deps.instruments[index]!, positions.comparedParts(index)), sinceMs });
    }
    return this.#positionsOf(shownPositions, contradictions);
  }
  /** Returns one sentence for each setting of a contract that its positions contradict. Nothing can be said of settings before they are confirmed. */
  #contradictionsOf(index: number, rows: readonly PositionRow[]): readonly string[] {
    const { context, contractSettings } = this.#deps;
    return positionContradictions(context.deps.instruments[index]!, rows, {
      isNet: !context.isTwoWay(index),
      settings: contractSettings?.isReady(index) === true ? context.settingsTarget(index) : null,
    });
  }
  /** Returns the read of these positions. Each contract is compared alone: it must equal the sum of its own trades at some time. */
  #positionsOf(shown: readonly ShownPosition[], contradictions: readonly string[]): Snapshot {
    const { positions, deps } = this.#deps.context;
    const gapsOf = ({ index, lots, sinceMs }: ShownPosition): readonly Gap[] => Array.from(positions.gaps(index, lots, sinceMs));
    const nameOf = ({ index }: ShownPosition): string => deps.instruments[index]!.wireName;
    return {
      signature: shown.map(({ index, lots }) => `${index} ${Array.from(lots.values(), (amount) => amount.toFixed()).join(' ')}`).join(', '),
      isComparable: shown.every(({ index }) => positions.isKnown(index)),
      contradictions,
      gaps() {
        const differing = shown.filter((position) => !gapsOf(position).some(isNone));
        if (differing.length === 0) return [NO_GAP];
        // For one contract all candidate differences; for several contracts only that with the newest state of each.
        const [only] = differing;
        if (differing.length === 1) return gapsOf(only!).map((gap) => nameGap(gap, nameOf(only!)));
        return [joinGaps(differing.map((position) => nameGap(gapsOf(position)[0]!, nameOf(position))))];
      },
      noteProven: (gap) =>
        shown.flatMap((position) => {
          const prefix = `${nameOf(position)} `;
          const changes = gap.differences.filter(([name]) => name.startsWith(prefix));
          const differences = changes.map(([name, difference]) => [name.slice(prefix.length) as PositionPart, difference] as const);
          if (differences.length > 0) this.#lotGaps.set(position.index, { key: gap.key, differences });
          return differences.map(([part, difference]) => lotDifferenceOf(nameOf(position), part, position.lots.get(part)!, difference));
        }),
      adopt: () => shown.forEach(({ index, lots }) => positions.set(index, lots)),
    };
  }
}

const isNone = ({ differences }: Gap): boolean => differences.length === 0;
/** Returns the gap with the name of its contract before each unit. */
const nameGap = ({ differences }: Gap, name: string): Gap => {
  const namedDifferences = differences.map(([unit, difference]) => [`${name} ${unit}`, difference] as const);
  return {
    key: namedDifferences.map(([label, difference]) => `${label} ${difference.toFixed()}`).join(' '),
    differences: namedDifferences,
  };
};
const joinGaps = (gaps: readonly Gap[]): Gap => ({
  key: gaps.map(({ key }) => key).join(' '),
  differences: gaps.flatMap(({ differences }) => differences),
});
const differenceOf = (asset: string, total: Decimal, difference: Decimal): string =>
  `${asset}: the account holds ${total.toFixed()}, its trades make ${total.minus(difference).toFixed()}`;
/** Returns the difference of a part of a position. Lots of a side are written without a sign. */
function lotDifferenceOf(name: string, part: PositionPart, lots: Decimal, difference: Decimal): string {
  const [shown, expected] = [lots, lots.minus(difference)].map((amount) => (part === 'short' ? amount.negated() : amount).toFixed());
  return `${name}: the ${part === 'lots' ? '' : `${part} `}position is ${shown} lots, its trades make ${expected}`;
}

/** Returns the lots of each part, those of shorts below 0. The result has a fraction if a volume is finer than a lot. */
export function positionLotsOf(rows: readonly PositionRow[], { quantityDigits }: Instrument, parts: readonly PositionPart[]): PositionLots {
  const lots = new Map(parts.map((part) => [part, new Decimal(0)]));
  for (const { side, volume } of rows) {
    const part = positionPartOf(parts.length > 1, side === 'buy');
    const amount = new Decimal(volume).abs().times(Decimal.pow(10, quantityDigits));
    lots.set(part, lots.get(part)!.plus(side === 'buy' ? amount : amount.negated()));
  }
  return lots;
}
