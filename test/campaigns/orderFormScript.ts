// Draws the script of a case of the campaign orderForms: what a strategy does at the close of each row.

import { assertNever } from '../../src/base/assert.ts';
import { seededRng, type Rng } from '../../src/base/number/rng.ts';
import type { FormAct, NaiveRow, NaiveTarget, NaiveTrail } from '../fixtures/naiveForms.ts';

/** Tags of the orders, which name their decision slots. */
const TAGS = ['a', 'b', 'c', 'd'];

/** How often each kind of act is drawn, relative to the others. */
const ACT_WEIGHTS: readonly { readonly kind: FormAct['kind']; readonly weight: number }[] = [
  { kind: 'market', weight: 3 },
  { kind: 'limit', weight: 4 },
  { kind: 'stop', weight: 6 },
  { kind: 'reprice', weight: 3 },
  { kind: 'oco', weight: 2 },
  { kind: 'closeAt', weight: 2 },
  { kind: 'entry', weight: 6 },
  { kind: 'cancel', weight: 1 },
];
const TOTAL_WEIGHT = ACT_WEIGHTS.reduce((sum, { weight }) => sum + weight, 0);

/** A range of distances from the close of the row, in basis points; below 0: below the close. Both ends belong to it. */
type DistanceBp = readonly [min: number, max: number];
/** Stop-losses that only a long fall reaches. */
const FAR_STOP_BP: DistanceBp = [-900, -400];
/** Stop-losses of a stop entry. The next rows reach some. */
const ENTRY_STOP_BP: DistanceBp = [-900, -40];
const LIMIT_BP: DistanceBp = [-150, 30];
const REPRICED_LIMIT_BP: DistanceBp = [-120, 20];
/** Trigger prices of stop entries. */
const TRIGGER_BP: DistanceBp = [-5, 150];
/** Limits of stop entries. Some are below the trigger, so that the order rests. */
const ENTRY_LIMIT_BP: DistanceBp = [-30, 220];
/** Best prices from which a trailing stop begins. */
const TRAIL_START_BP: DistanceBp = [-20, 120];
/** A moved stop is at least this far above the close in one of eight draws, so that it acts at once. */
const [LOWEST_MOVED_STOP_BP, USUAL_MOVED_STOP_BP, HIGHEST_MOVED_STOP_BP] = [-300, -5, 60];
/** Targets of a stop entry begin above its highest trigger price, basis points above the close. */
const ENTRY_TARGETS_FROM_BP = 150;

/** Number of different sizes. It is a prime, so that steps through it meet each size once before any returns. */
const SIZES = 401;
const SIZE_STEP = 37;
/** The smallest size, lots of 0.001. */
const MIN_SIZE_LOTS = 20;

/** Order numbers of the acts lie among this many orders before the row. */
const RECENT_ORDERS = 4;

/** Returns the acts of a script for each row. The same seed draws the same script. */
export function orderFormScript(rows: readonly NaiveRow[], seed: number): readonly (readonly FormAct[])[] {
  const drawer = new FormActDrawer(seed);
  return rows.map((row, minute) => drawer.drawRow(row, minute));
}

/** The numbers of the orders that an act may name, and the tag of an order that it may place. */
interface DrawnTerms {
  readonly order: number;
  readonly tag: string;
}

/**
 * Draws acts row by row. No act cancels an order at the close at which it was sent. The cancel would leave with the acknowledgement, and
 * the order would live for a row (docs/strategies.md).
 */
class FormActDrawer {
  readonly #rng: Rng;
  #orderCount = 0;
  /** Number of orders that earlier rows have placed. */
  #ordersBefore = 0;
  #sizeIndex: number;
  #row!: NaiveRow;
  #minute = 0;
  /** Minutes at whose close an exit may come: only stops are moved there. */
  readonly #exitMinutes = new Set<number>();
  /** Orders that the current row has repriced. */
  readonly #repricedOrders = new Set<number>();

  constructor(seed: number) {
    this.#rng = seededRng(seed);
    this.#sizeIndex = this.#drawBelow(SIZES);
  }

  /** Draws up to two acts for the close of a row. */
  drawRow(row: NaiveRow, minute: number): readonly FormAct[] {
    this.#row = row;
    this.#minute = minute;
    this.#ordersBefore = this.#orderCount;
    this.#repricedOrders.clear();
    return Array.from({ length: this.#drawBelow(3) }, () => this.#drawAct());
  }

  #drawAct(): FormAct {
    const terms: DrawnTerms = { order: this.#drawOrder(), tag: TAGS[this.#drawBelow(TAGS.length)]! };
    const mayOnlyMoveStop = this.#exitMinutes.has(this.#minute) || this.#repricedOrders.has(terms.order);
    const kind = mayOnlyMoveStop ? 'stop' : this.#drawKind();
    switch (kind) {
      case 'market':
      case 'limit':
      case 'entry':
        return this.#drawPlacing(kind, terms);
      case 'stop':
        return this.#drawMovedStop(terms);
      case 'reprice':
        return this.#drawReprice(terms);
      case 'cancel':
        return { kind, order: terms.order };
      case 'oco':
        return { kind, order: terms.order, otherOrder: this.#drawOrder() };
      case 'closeAt':
        return this.#drawExit();
      default:
        return assertNever(kind);
    }
  }

  #drawKind(): FormAct['kind'] {
    let remaining = this.#drawBelow(TOTAL_WEIGHT);
    for (const { kind, weight } of ACT_WEIGHTS) {
      if (remaining < weight) return kind;
      remaining -= weight;
    }
    throw new Error('the weights do not add up');
  }

  // --- Acts

  /** Draws an act that places an order. */
  #drawPlacing(kind: 'market' | 'limit' | 'entry', { tag }: DrawnTerms): FormAct {
    // Draws come in the order of these lines, so that a seed keeps its script.
    const entryLimit = kind === 'entry' && this.#isHalf() ? this.#drawPrice(ENTRY_LIMIT_BP) : null;
    this.#orderCount++;
    const qty = this.#nextQty();
    if (kind === 'limit') {
      const limit = this.#drawPrice(LIMIT_BP);
      return { kind, tag, qty, limit, stop: this.#drawStopOrNull(FAR_STOP_BP), targets: this.#drawTargets() };
    }
    if (kind === 'market') {
      return { kind, tag, qty, stop: this.#drawStopOrNull(FAR_STOP_BP), trail: this.#drawTrail(), targets: this.#drawTargets() };
    }
    return {
      kind,
      tag,
      qty,
      at: this.#drawPrice(TRIGGER_BP),
      limit: entryLimit,
      stop: this.#drawStopOrNull(ENTRY_STOP_BP),
      trail: this.#drawTrail(),
      targets: this.#drawTargets(ENTRY_TARGETS_FROM_BP),
    };
  }

  #drawMovedStop({ order }: DrawnTerms): FormAct {
    const highestBp = this.#drawBelow(8) === 0 ? HIGHEST_MOVED_STOP_BP : USUAL_MOVED_STOP_BP;
    return { kind: 'stop', order, stop: this.#drawPrice([LOWEST_MOVED_STOP_BP, highestBp]) };
  }

  #drawReprice({ order }: DrawnTerms): FormAct {
    this.#repricedOrders.add(order);
    return {
      kind: 'reprice',
      order,
      limit: this.#drawPrice(REPRICED_LIMIT_BP),
      qty: this.#nextQty(),
      stop: this.#drawPrice(FAR_STOP_BP),
      targets: this.#drawTargets(),
    };
  }

  /** Draws an exit 2 to 13 minutes later, or in one of five draws the removal of the exit. */
  #drawExit(): FormAct {
    const exitMinute = this.#minute + 2 + this.#drawBelow(12);
    this.#exitMinutes.add(exitMinute - 1);
    return { kind: 'closeAt', minute: this.#drawBelow(5) === 0 ? null : exitMinute };
  }

  // --- Terms

  /** Draws a whole number from 0 to `count` - 1. */
  #drawBelow(count: number): number {
    return Math.floor(this.#rng.next() * count);
  }
  /** True in half of the draws. */
  #isHalf(): boolean {
    return this.#drawBelow(2) === 0;
  }
  /** Draws the number of an order that was placed before this row. */
  #drawOrder(): number {
    return Math.max(0, this.#ordersBefore - 1 - this.#drawBelow(RECENT_ORDERS));
  }
  /** Draws a price at a distance from the close, with two decimals. */
  #drawPrice([minBp, maxBp]: DistanceBp): string {
    const distanceBp = minBp + this.#drawBelow(maxBp - minBp + 1);
    return this.#row.close.times(1 + distanceBp / 10_000).toFixed(2);
  }
  /** Draws a stop-loss; null in a third of the draws. */
  #drawStopOrNull(distanceBp: DistanceBp): string | null {
    const stop = this.#drawPrice(distanceBp);
    return this.#drawBelow(3) === 0 ? null : stop;
  }
  /** All sizes differ. Otherwise the bot would send one of two equal orders one lot smaller, to distinguish them after a lost reply. */
  #nextQty(): string {
    this.#sizeIndex++;
    return (0.001 * (MIN_SIZE_LOTS + ((SIZE_STEP * this.#sizeIndex) % SIZES))).toFixed(3);
  }
  /** Draws a trailing stop by a distance or by a percentage, or none. */
  #drawTrail(): NaiveTrail | null {
    const choice = this.#drawBelow(3);
    if (choice === 0) return null;
    const start = this.#isHalf() ? {} : { from: this.#drawPrice(TRAIL_START_BP) };
    return choice === 1
      ? { distance: (0.2 + this.#drawBelow(300) / 100).toFixed(2), ...start }
      : { percent: (0.1 + this.#drawBelow(30_000) / 10_000).toFixed(4), ...start };
  }
  /**
   * Draws up to five targets, at least `fromBp` basis points above the close, or none. The last one may close the remainder, with a share or
   * without one.
   */
  #drawTargets(fromBp = 0): readonly NaiveTarget[] | null {
    if (this.#isHalf()) return null;
    const percents = Array.from({ length: 1 + this.#drawBelow(5) }, () => 1 + this.#drawBelow(20));
    const remainingPercent = 100 - percents.slice(0, -1).reduce((sum, percent) => sum + percent, 0);
    let distanceBp = fromBp + 5 + this.#drawBelow(120);
    return percents.map((percent, index) => {
      const isLast = index === percents.length - 1;
      const lastChoice = isLast ? this.#drawBelow(3) : 0;
      distanceBp += 5 + this.#drawBelow(60);
      const at = this.#drawPrice([distanceBp, distanceBp]);
      if (lastChoice === 1) return { at, share: null };
      const sharePercent = lastChoice === 2 ? remainingPercent : percent;
      return { at, share: String(sharePercent / 100) };
    });
  }
}
