/** What the plan of the house forbids in a tree of sources; each finding is a line that says who, what and why. */
export interface House {
  readonly files: number;
  readonly imports: number;
  readonly absent: readonly string[];
  readonly forbidden: readonly string[];
  readonly circlesOfRooms: readonly string[];
  /** Imports of types included. */
  readonly circlesOfFiles: readonly string[];
  readonly crowded: readonly string[];
}

export function lookAt(root: string): House;

/** Sets of nodes that reach each other by the edges (from, to), each as one line. */
export function circlesIn(edges: readonly (readonly [from: string, to: string])[]): readonly string[];
