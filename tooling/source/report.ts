/** What a check found. A check that counted nothing has looked in the wrong place and fails. */
export interface Report {
  /** `layers`, `rules`, … */
  readonly name: string;
  /** What was looked at: `{ files: 120, edges: 300 }`. Each figure must be above zero. */
  readonly counted: Readonly<Record<string, number>>;
  /** One line each, with the place and what helps. */
  readonly problems: readonly string[];
  /** Printed after the figures and never a failure. */
  readonly notes?: readonly string[];
}

/** The lines to print, and whether the check passed. */
export function judge(report: Report): { readonly passed: boolean; readonly lines: readonly string[] } {
  const empty = Object.entries(report.counted)
    .filter(([, count]) => count === 0)
    .map(([what]) => `no ${what} found: the check looks in the wrong place`);
  const problems = [...empty, ...report.problems];
  const figures = Object.entries(report.counted)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");
  const verdict = problems.length === 0 ? "no problem" : `${problems.length} problem(s)`;
  return {
    passed: problems.length === 0,
    lines: [
      ...(report.notes ?? []),
      ...problems.map((problem) => `  ${problem}`),
      `${report.name}: ${figures}; ${verdict}`,
    ],
  };
}

/** Prints a report and sets the exit code. */
export function finish(report: Report): void {
  const { passed, lines } = judge(report);
  console.log(lines.join("\n"));
  if (!passed) process.exitCode = 1;
}
