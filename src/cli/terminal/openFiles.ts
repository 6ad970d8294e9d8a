// Recognises that the process may open no more files, and says what to do. It imports nothing, so that it is there before other modules load.

/** The message and its remedy, in two lines. */
export const TOO_MANY_FILES = 'isobar: too many files are open\n  raise the limit of open files: ulimit -n 1024';

/** True for a system error that the limit of open files caused, of the process or of the system. */
export function isTooManyFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}
