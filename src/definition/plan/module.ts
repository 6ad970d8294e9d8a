// A user's module as data: which parts of a bot it rebinds, and with which factory. `composeModule` of isobar/compose creates it.

/** How a module rebinds one part of the bot. */
export interface ModuleBinding {
  /** Name of the part, a key of PARTS. */
  readonly part: string;
  /** True if the factory gets the previous binding as its first argument. */
  readonly isWrapping: boolean;
  /** Names of the parts that the factory gets after its standard arguments. */
  readonly needs: readonly string[];
  readonly make: (...given: never[]) => unknown;
}

/** The default export of a module file. */
export interface ComposeModule {
  readonly kind: 'module';
  /** Its name in messages. */
  readonly name: string;
  readonly bindings: readonly ModuleBinding[];
}

/** A module that is part of a run. */
export interface ModulePlan {
  readonly module: ComposeModule;
  /** Its place in the definition, for messages: `run.yaml:7 modules.0`. */
  readonly place: string;
}

/** Parts that modules extend but never replace, so several modules may name them. */
export const ADDED_PARTS: readonly string[] = ['rules', 'notifier'];
