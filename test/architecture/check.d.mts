/** What the plan of the rooms forbids in a tree of sources. Each finding is a line with place and reason. */
export interface TreeFindings {
  /** Number of files and of imports that were read. */
  readonly files: number;
  readonly imports: number;
  /** Imports of files that do not exist. */
  readonly absent: readonly string[];
  readonly forbidden: readonly string[];
  readonly circlesOfRooms: readonly string[];
  /** Imports of types included. */
  readonly circlesOfFiles: readonly string[];
  readonly oversized: readonly string[];
}

/** Returns the findings about all files below `root`, without tests and declarations. */
export function checkTree(root: string): TreeFindings;

/** Returns the sets of nodes that reach each other by the edges (from, to), each as one line. */
export function circlesIn(edges: readonly (readonly [from: string, to: string])[]): readonly string[];
