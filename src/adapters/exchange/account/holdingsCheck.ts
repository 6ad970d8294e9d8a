// Compares what the account holds with what its trades add up to: asset totals on spot, net contracts on futures.

import { Decimal } from '../../../base/number/decimal.ts';
import { all, sleep, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { Gap } from '../order/expectedHoldings.ts';
import type { ExchangeContext } from '../order/context.ts';
import type { FundingWatch } from './funding.ts';
import type { PositionRow } from '../calls/rows.ts';
import type { TradesRead } from '../observe/tradeReader.ts';

export interface Verified {
  /** False if a read failed or there is no baseline to compare with yet. Then the check proves nothing. */
  readonly isWhole: boolean;
  /** One sentence for each difference. */
  readonly differences: readonly string[];
}

export interface HoldingsCheckDeps {
  readonly core: ExchangeContext;
  readonly funding: FundingWatch;
  readonly readTrades: (instrument: number, sinceMs: number, options: CallOptions) => Work<TradesRead>;
  /** Called when the holdings agree with the trades, so that the totals can be noted. */
  readonly agreed: () => void;
}

/** One read of the holdings. */
interface Snapshot {
  /** Equal for equal holdings. */
  readonly signature: string;
  /** False while there is no baseline to compare with. */
  readonly isComparable: boolean;
  /** Returns the difference from each state of the books that the read may show, newest first, given the trades known now. */
  gaps(): readonly Gap[];
  /** Returns one sentence for each asset or contract of a proven difference. */
  proved(gap: Gap): Verified['differences'];
  /** Makes this read the baseline. */
  adopt(): void;
}

const NOTHING: Verified = { isWhole: false, differences: [] };
const AGREED: Verified = { isWhole: true, differences: [] };
const MAX_TRIES = 6;
const LOOK_BACK_MS = 3_600_000;
/** How old a holdings read may be when it arrives, beyond twice the read lag. */
const OLDEST_MS = 10_000;

export class HoldingsCheck {
  readonly #parts: HoldingsCheckDeps;
  /** The difference that the latest comparison proved, on spot. */
  #assetGap: Gap | null = null;
  /** The differences that the latest comparison proved for contracts, by instrument. */
  readonly #lotGaps = new Map<number, Gap>();

  constructor(parts: HoldingsCheckDeps) {
    this.#parts = parts;
  }

  /**
   * Reads trades first, then holdings. Holdings must equal the books as they were after one of the latest trades: on a busy account trading
   * continues, so two reads need not be equal.
   * A difference may come from a trade that no list shows yet. It is proven only if it is the same again after the read lag, with all
   * trades read in between. The first baseline needs two equal reads.
   */
  *verify(instruments: readonly number[], options: CallOptions): Work<Verified> {
    const { own, lagMs, venueMs, parts } = this.#parts.core;
    let before: Snapshot | null = null;
    for (let number = 1; ; number++) {
      // A trade that became visible late was missed by the earlier reads. Read back far enough to find it.
      const sinceMs = number === 1 ? Infinity : venueMs() - LOOK_BACK_MS;
      const areTradesWhole = yield* this.#readTrades(number === 1 ? instruments : own, sinceMs, options);
      if (!areTradesWhole) return NOTHING;
      // Trades that arrived since may explain the previous read.
      if (before?.isComparable === true && before.gaps().some(isNone)) return this.#verifiedAt(instruments);
      const snapshot: Snapshot | null = yield* this.#read(instruments, options);
      if (snapshot === null) return NOTHING;
      const verified = this.#compare(snapshot, before, instruments);
      if (verified !== null) return verified;
      if (number === MAX_TRIES) return NOTHING;
      before = snapshot;
      yield* sleep(parts.scheduler, Math.ceil(lagMs()));
    }
  }

  /** The operator has explained the proven differences: they become part of what the account must hold. Other differences remain. */
  acceptDifferences(): void {
    const { holdings, positions, own } = this.#parts.core;
    if (this.#assetGap !== null) holdings.explain(this.#assetGap);
    for (const index of own) {
      const gap = this.#lotGaps.get(index);
      if (gap !== undefined) positions.explain(index, gap);
    }
    this.#forgetGaps();
  }

  /** Returns by how many lots the venue shows less than the books on the side that an order of `side` reduces. Usually 0. */
  lackingLots(index: number, side: Side): number {
    const { instruments, market } = this.#parts.core.parts;
    const { base, quantityDigits } = instruments[index]!;
    const gaps = market === 'spot' ? this.#assetGap : this.#lotGaps.get(index);
    const by = gaps?.by.find(([name]) => market === 'futures' || name === base)?.[1];
    if (by === undefined) return 0;
    const lots = market === 'spot' ? by.times(Decimal.pow(10, quantityDigits)) : by;
    const lacking = side === 'sell' ? lots.negated() : market === 'spot' ? new Decimal(0) : lots;
    return Math.max(0, lacking.ceil().toNumber());
  }

  #forgetGaps(): void {
    this.#assetGap = null;
    this.#lotGaps.clear();
  }

  /** Returns null if another read must decide. `before`: the read before this one. */
  #compare(snapshot: Snapshot, before: Snapshot | null, instruments: readonly number[]): Verified | null {
    if (!snapshot.isComparable) {
      if (snapshot.signature !== before?.signature) return null;
      snapshot.adopt();
      return this.#verifiedAt(instruments);
    }
    const gaps = snapshot.gaps();
    if (gaps.some(isNone)) return this.#verifiedAt(instruments);
    const known = new Set(before?.isComparable === true ? before.gaps().map(({ key }) => key) : []);
    const proved = gaps.find(({ key }) => known.has(key));
    return proved === undefined ? null : { isWhole: true, differences: snapshot.proved(proved) };
  }

  /** On spot, the assets of all instruments are compared at once. */
  #verifiedAt(instruments: readonly number[]): Verified {
    if (instruments.length === this.#parts.core.own.length) this.#forgetGaps();
    for (const index of instruments) this.#lotGaps.delete(index);
    this.#parts.agreed();
    return AGREED;
  }

  /** Returns true if no trade is missing or unattributed. */
  *#readTrades(instruments: readonly number[], sinceMs: number, options: CallOptions): Work<boolean> {
    const reads = yield* all(instruments.map((index) => this.#parts.readTrades(index, sinceMs, options)));
    return reads.every(({ isWhole, unattributed }) => isWhole && unattributed === 0);
  }
  /** True while an order may have had an effect that is not known yet. Holdings read now cannot be a baseline. */
  #isUnsure(): boolean {
    const { own, tracks } = this.#parts.core;
    return own.some((index) =>
      Array.from(tracks.openOf(index)).some(({ isSought, isOnWire, lifecycle }) => isSought || (isOnWire && lifecycle === 'sent')),
    );
  }

  #read(instruments: readonly number[], options: CallOptions): Work<Snapshot | null> {
    return this.#parts.core.parts.market === 'spot' ? this.#assets(instruments, options) : this.#contracts(instruments, options);
  }

  *#assets(instruments: readonly number[], options: CallOptions): Work<Snapshot | null> {
    const { venue, holdings, parts } = this.#parts.core;
    const assets = new Set(instruments.flatMap((index) => [parts.instruments[index]!.base, parts.instruments[index]!.quote]));
    const sinceMs = this.#oldestMs();
    const held = yield* venue.holdings(options);
    if (held === null || (!holdings.isSet && this.#isUnsure())) return null;
    const totalOf = (asset: string): Decimal => new Decimal(held.find((each) => each.asset === asset)?.total ?? 0);
    return {
      signature: held.map(({ asset, total }) => `${asset} ${total}`).join(' '),
      isComparable: holdings.isSet,
      gaps: () => Array.from(holdings.gaps(held, assets, sinceMs)),
      proved: (gap) => {
        this.#assetGap = gap;
        return gap.by.map(([asset, by]) => differenceOf(asset, totalOf(asset), by));
      },
      adopt: () => holdings.set(held),
    };
  }

  /** Returns the oldest state, in venue time, that a read requested now may show. */
  #oldestMs(): number {
    const { venueMs, lagMs } = this.#parts.core;
    return venueMs() - 2 * lagMs() - OLDEST_MS;
  }

  *#contracts(instruments: readonly number[], options: CallOptions): Work<Snapshot | null> {
    const { venue, positions, parts } = this.#parts.core;
    const nets: Net[] = [];
    for (const index of instruments) {
      const sinceMs = this.#oldestMs();
      const page = yield* venue.positions(parts.instruments[index]!, options);
      if (page === null || !page.isWhole || (positions.lotsOf(index) === null && this.#isUnsure())) return null;
      this.#parts.funding.take(index, page.rows);
      nets.push({ index, lots: netLots(page.rows, parts.instruments[index]!), sinceMs });
    }
    return this.#positionsOf(nets);
  }
  /** Each contract is compared by itself: it must equal the sum of its own trades at some time. */
  #positionsOf(nets: readonly Net[]): Snapshot {
    const { positions, parts } = this.#parts.core;
    const gapsOf = ({ index, lots, sinceMs }: Net): readonly Gap[] => Array.from(positions.gaps(index, lots, sinceMs));
    const nameOf = ({ index }: Net): string => parts.instruments[index]!.wireName;
    return {
      signature: nets.map(({ index, lots }) => `${index} ${lots.toFixed()}`).join(', '),
      isComparable: nets.every(({ index }) => positions.lotsOf(index) !== null),
      gaps() {
        const differing = nets.filter((net) => !gapsOf(net).some(isNone));
        if (differing.length === 0) return [NO_GAP];
        // For one contract all candidate differences; for several contracts only that with the newest state of each.
        const [only] = differing;
        if (differing.length === 1) return gapsOf(only!).map((gap) => nameGap(gap, nameOf(only!)));
        return [joinGaps(differing.map((net) => nameGap(gapsOf(net)[0]!, nameOf(net))))];
      },
      proved: (gap) => {
        for (const net of nets) {
          const by = gap.by.filter(([name]) => name.startsWith(`${nameOf(net)} `));
          if (by.length > 0) this.#lotGaps.set(net.index, { key: gap.key, by: by.map(([, each]) => ['lots', each] as const) });
        }
        return gap.by.map(([name, by]) => {
          const net = nets.find((each) => name === `${nameOf(each)} lots`)!;
          return `${nameOf(net)}: the position is ${net.lots.toFixed()} lots, its trades make ${net.lots.minus(by).toFixed()}`;
        });
      },
      adopt: () => nets.forEach(({ index, lots }) => positions.set(index, lots)),
    };
  }
}

/** One position as read. `sinceMs`: time of the oldest state that the read may show. */
interface Net {
  readonly index: number;
  readonly lots: Decimal;
  readonly sinceMs: number;
}

const NO_GAP: Gap = { key: '', by: [] };
const isNone = ({ by }: Gap): boolean => by.length === 0;
const nameGap = ({ by }: Gap, name: string): Gap => {
  const own = by.map(([what, each]) => [`${name} ${what}`, each] as const);
  return { key: own.map(([what, each]) => `${what} ${each.toFixed()}`).join(' '), by: own };
};
const joinGaps = (gaps: readonly Gap[]): Gap => ({ key: gaps.map(({ key }) => key).join(' '), by: gaps.flatMap(({ by }) => by) });
const differenceOf = (asset: string, total: Decimal, by: Decimal): string =>
  `${asset}: the account holds ${total.toFixed()}, its trades make ${total.minus(by).toFixed()}`;

/** Returns longs minus shorts, in lots. The result has a fraction if a volume is finer than a lot. */
export function netLots(rows: readonly PositionRow[], { quantityDigits }: Instrument): Decimal {
  let net = new Decimal(0);
  for (const { side, volume } of rows) {
    const lots = new Decimal(volume).abs().times(Decimal.pow(10, quantityDigits));
    net = side === 'buy' ? net.plus(lots) : net.minus(lots);
  }
  return net;
}
