/** Something that the person at the terminal can mend. The program shows its text alone and ends with its code. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly exitCode: 1 | 2;

  constructor(message: string, options: { readonly exitCode?: 1 | 2; readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.exitCode = options.exitCode ?? 1;
  }
}

/** The system's own code of an error, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
