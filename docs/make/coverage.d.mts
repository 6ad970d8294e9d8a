// Types of what the test of the coverage page imports.

export declare const NAMED_FILES: readonly string[];
export declare function coveragePage(tables: unknown): string;
export declare function tablesOf(modules: unknown): unknown;
