import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Result } from "../values.ts";

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pulse-tail-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const statuses = [200, 200, 200, 301, 404, 500];

/** Lines of an access log: each stands once, a minute goes over after a few of them, and some are none. */
export function sampleLines(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, offset) => {
    const at = from + offset;
    if (at % 17 === 13) return `not a line of a log, the ${at}th`;
    // A line in eleven is late, and belongs to the minute before.
    const minutes = Math.floor(at / 5) - (at % 11 === 10 ? 1 : 0);
    const time = `${two(8 + Math.floor(minutes / 60))}:${two(((minutes % 60) + 60) % 60)}:07`;
    return `10.0.0.${at % 250} - - [01/Mar/2026:${time} +0000] "GET /page/${at} HTTP/1.1" ${statuses[at % statuses.length]} ${at}`;
  });
}

const two = (value: number): string => String(value).padStart(2, "0");

/** The same count, as plainly as can be: for files of {@link sampleLines}. */
export function plainCount(text: string): Result {
  const lines = text.split("\n").filter((line) => line !== "");
  const minutes: Record<string, Record<string, number>> = {};
  let unread = 0;
  for (const line of lines) {
    const found = /\[01\/Mar\/2026:(\d\d:\d\d):\d\d .* (\d{3}) \d+$/u.exec(line);
    if (found === null) unread += 1;
    else {
      const [, time = "", status = ""] = found;
      const counts = (minutes[`2026-03-01T${time}Z`] ??= {});
      counts[status] = (counts[status] ?? 0) + 1;
    }
  }
  return {
    lines: lines.length,
    unread,
    minutes: Object.keys(minutes)
      .toSorted()
      .map((minute) => ({ minute, counts: minutes[minute] ?? {} })),
  };
}
