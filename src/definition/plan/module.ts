// The modules of users, as data: the parts of a bot that they rebind, with their factories. `composeModule` of isobar/compose creates them.

/** One part of the bot that a module rebinds. */
export interface ModuleBinding {
  /** Name of the part, a key of PARTS. */
  readonly part: string;
  /** True if the factory gets the previous binding as its first argument. */
  readonly isWrapping: boolean;
  /** Names of the parts that the factory gets after its standard arguments. */
  readonly needs: readonly string[];
  readonly make: (...inputs: never[]) => unknown;
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

/** Parts that modules extend and do not replace, so that several modules may name them. */
export const ADDED_PARTS: readonly string[] = ['rules', 'notifier'];
