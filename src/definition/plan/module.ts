// A module of an author as data: which parts of a bot it rebinds, and by which factory. `composeModule` of isobar/compose makes it.

/** What a module says of one part of the bot. */
export interface ModuleBinding {
  /** Name of the part, a key of PARTS. */
  readonly part: string;
  /** The factory gets what was bound before as its first argument. */
  readonly isWrapping: boolean;
  /** Names of the parts that the factory is given behind what every factory gets. */
  readonly needs: readonly string[];
  readonly make: (...given: never[]) => unknown;
}

/** The default export of a module file. */
export interface ComposeModule {
  readonly kind: 'module';
  /** How messages name it. */
  readonly name: string;
  readonly bindings: readonly ModuleBinding[];
}

/** A module that takes part in a run. */
export interface ModulePlan {
  readonly module: ComposeModule;
  /** Where the definition names it, for messages: `run.yaml:7 modules.0`. */
  readonly place: string;
}

/** Parts that modules add to and never replace: several modules may name them. */
export const ADDED_PARTS: readonly string[] = ['rules', 'notifier'];
