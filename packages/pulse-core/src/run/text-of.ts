/** A text for whatever was thrown; never throws itself. */
export function textOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return "a value that cannot be shown";
  }
}
