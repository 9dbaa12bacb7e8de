/** What one line of an access log says. */
export interface AccessLine {
  /** In UTC: `2026-03-01T09:30Z`. */
  readonly minute: string;
  readonly path: string;
  readonly status: string;
}

/** The common log format, and those that add something at its end: `host - - [time] "GET /path HTTP/1.1" 200 …`. */
const linePattern =
  /^\S+ \S+ \S+ \[(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):\d{2} ([+-])(\d{2})(\d{2})\] "(?:[A-Z]+ )?(\S+)[^"]*" (\d{3})(?: |$)/u;

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Reads a line; `undefined` when it is none of an access log. */
export function readAccessLine(line: string): AccessLine | undefined {
  const found = linePattern.exec(line);
  if (found === null) return undefined;
  const [, day, month = "", year, hour, minute, sign, zoneHours, zoneMinutes, path = "", status = ""] = found;
  const monthAt = months.indexOf(month);
  if (monthAt < 0) return undefined;
  const east = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === "-" ? -1 : 1);
  const time = new Date(Date.UTC(Number(year), monthAt, Number(day), Number(hour), Number(minute) - east));
  return { minute: `${time.toISOString().slice(0, 16)}Z`, path, status };
}
