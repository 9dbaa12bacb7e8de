import type { CodecView } from "./definition-view.ts";
import type { RecordProblem } from "./problem.ts";

/** A recorded value that the definition's codec did not write (REC-9, DUR-4); nothing when it did. */
export function codecProblem(
  entryKey: string,
  field: string,
  recorded: CodecView & { readonly name: string },
  definition: CodecView,
): RecordProblem | undefined {
  if (recorded.codec === definition.codec && recorded.codecVersion === definition.codecVersion) return undefined;
  const [expected, found] = [shown(recorded), shown(definition)];
  return {
    kind: "codec",
    where: `${entryKey} ${field} codec`,
    problem: `is ${expected}, that of the definition ${found}`,
    expected,
    found,
    key: recorded.name,
  };
}

function shown({ codec, codecVersion }: CodecView): string {
  return `${codec} version ${codecVersion}`;
}
