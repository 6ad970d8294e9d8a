// OCO groups (one cancels the other): the first fill of one order of a group cancels the other orders of that group.

import type { OrderId } from '../model/order.ts';

/** The groups of open orders. The first fill in a group cancels its other orders. */
export class OcoGroups {
  private groups: OrderId[][] = [];

  /** True when there is no group. */
  get isEmpty(): boolean {
    return this.groups.length === 0;
  }
  /** Forms a group. If an order is in a group already, the two groups become one. */
  add(ids: readonly OrderId[]): void {
    const mergedGroups = this.groups.filter((group) => group.some((id) => ids.includes(id)));
    this.groups = this.groups.filter((group) => !mergedGroups.includes(group));
    this.groups.push([...new Set([...mergedGroups.flat(), ...ids])]);
  }
  /** Puts the replacement of an order into its place in the group. */
  replace(id: OrderId, replacementId: OrderId): void {
    for (const group of this.groups) if (group.includes(id)) group[group.indexOf(id)] = replacementId;
  }
  /** Adds an order to the group of another one that it replaces and that may still fill too. */
  join(id: OrderId, replacementId: OrderId): void {
    for (const group of this.groups) if (group.includes(id)) group.push(replacementId);
  }
  /** Ends the group of an order that has filled. Returns the other orders of the group. */
  endGroupOf(id: OrderId): readonly OrderId[] {
    const group = this.groups.find((candidate) => candidate.includes(id));
    if (group === undefined) return [];
    this.groups.splice(this.groups.indexOf(group), 1);
    return group.filter((groupedId) => groupedId !== id);
  }
  /** Removes the groups in which at most one order can still fill. */
  forget(isOpen: (id: OrderId) => boolean): void {
    this.groups = this.groups.filter((group) => group.filter((id) => isOpen(id)).length > 1);
  }
}
