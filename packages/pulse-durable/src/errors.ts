/** The codes that durable execution and stores add to Pulse's errors (DUR-12). */

/** What the host can do next about an error. */
export type NextStep =
  | "later"
  | "start"
  | "resume"
  | "new-run-id"
  | "same-definition"
  | "raise-max-resumes"
  | "newer-package"
  | "mend-store"
  | "restore-backup";

/** Every durable error names its run and what the host can do next (DUR-12). */
export interface RunErrorDetails {
  readonly runId: string;
  readonly next: NextStep;
}

declare module "@pulse-ts/core/errors" {
  interface PulseErrorDetails {
    PULSE_RUN_FAILED: RunErrorDetails & {
      readonly path?: string;
      readonly others: readonly unknown[];
      readonly abandoned: readonly string[];
    };
    PULSE_BUSY: RunErrorDetails & { /** Who owns the run, as the store knows it. */ readonly holder?: string };
    PULSE_NOT_FOUND: RunErrorDetails & { readonly what?: string };
    PULSE_INCOMPATIBLE: RunErrorDetails & {
      /** What disagrees. */
      readonly what:
        | "version"
        | "definition"
        | "inputs"
        | "codec"
        | "encryption key"
        | "overrides"
        | "scope"
        | "stream"
        | "record";
      readonly expected?: unknown;
      readonly found?: unknown;
      /** What was added, removed or changed, one line each. */
      readonly differences?: readonly string[];
      readonly scope?: string;
      readonly path?: string;
      readonly key?: string;
    };
    PULSE_CORRUPT: RunErrorDetails & {
      /** Where: an entry key and field, or file and line. */
      readonly where: string;
      readonly problems?: readonly string[];
    };
    PULSE_OWNERSHIP_LOST: RunErrorDetails & { readonly epoch?: number };
    PULSE_RESUME_LIMIT: RunErrorDetails & { readonly resumes: number; readonly maxResumes: number };
    PULSE_NEWER_FORMAT: RunErrorDetails & { readonly found: number; readonly supported: number };
    PULSE_STORE: RunErrorDetails & {
      /** The folder, file or address that failed. */
      readonly medium: string;
      /** The system's own code, such as `ENOSPC`. */
      readonly systemCode?: string;
    };
  }
}
