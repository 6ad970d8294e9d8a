// One cancels the other: groups of a strategy's orders. The first fill of one order cancels the rest of its group.

import type { OrderId } from '../model/order.ts';

export class OcoGroups {
  private groups: OrderId[][] = [];

  get isEmpty(): boolean {
    return this.groups.length === 0;
  }
  /** Forms a group. An order that is in one already takes that group along. */
  add(ids: readonly OrderId[]): void {
    const joined = this.groups.filter((group) => group.some((id) => ids.includes(id)));
    this.groups = this.groups.filter((group) => !joined.includes(group));
    this.groups.push([...new Set([...joined.flat(), ...ids])]);
  }
  /** An order has been replaced by another one. */
  replace(id: OrderId, next: OrderId): void {
    for (const group of this.groups) if (group.includes(id)) group[group.indexOf(id)] = next;
  }
  /** An order may fill in the place of another one, which may still fill too. */
  join(id: OrderId, next: OrderId): void {
    for (const group of this.groups) if (group.includes(id)) group.push(next);
  }
  /** An order has filled: ends its group, and returns the others of it. */
  take(id: OrderId): readonly OrderId[] {
    const group = this.groups.find((each) => each.includes(id));
    if (group === undefined) return [];
    this.groups.splice(this.groups.indexOf(group), 1);
    return group.filter((other) => other !== id);
  }
  /** Forgets groups in which at most one order can still fill. */
  forget(isOpen: (id: OrderId) => boolean): void {
    this.groups = this.groups.filter((group) => group.filter((id) => isOpen(id)).length > 1);
  }
}
