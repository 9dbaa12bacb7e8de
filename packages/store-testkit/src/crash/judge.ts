import type { BodyStart, ChildEvent, RunEnd } from "./child-event.ts";
import { isVoid, judgeBody, scopeOf } from "./judge-bodies.ts";
import { judgeMessage, judgeMessageTries } from "./judge-messages.ts";
import { judgeStreams } from "./judge-streams.ts";
import { Mirror } from "./mirror.ts";
import { sameEnd } from "./run-end.ts";
import type { ChildReport } from "./start-child.ts";
import type { Violation } from "./violation.ts";

/** What an undisturbed run ended with: what every other run of the subject is held against. */
export interface Reference {
  readonly end: RunEnd;
  readonly budgets: readonly string[];
  /** Where bodies ran, in words that are the same in every run; empty for a run that failed (it depends on time there). */
  readonly places: readonly string[];
  /** How often each fault point was reached. */
  readonly points: Readonly<Record<string, number>>;
  /** How much the process told. */
  readonly events: number;
}

/** What the processes of one run did, judged. */
export interface Judgement {
  readonly violations: readonly Violation[];
  /** Absent when the run did not end. */
  readonly found?: Reference;
}

/** Reads what the processes of one run told, in order, and finds whatever must not happen. Pure. */
export function judge(reports: readonly ChildReport[], reference?: Reference): Judgement {
  const history = new History();
  for (const [process, report] of reports.entries()) {
    history.begin(process);
    for (const event of report.events) history.see(event, report.order.runId);
    if (report.problem !== undefined) history.blame("process-broke", "DUR-8", report.problem);
  }
  const { ended } = history;
  if (ended === undefined) {
    if (!history.violations.some(({ kind }) => kind === "process-broke")) {
      history.blame("no-end", "DUR-8", `the run had not ended after ${reports.length} processes`);
    }
    return { violations: history.violations };
  }
  const found: Reference = {
    ...ended,
    places: history.places(),
    points: history.points,
    events: reports.reduce((sum, { events }) => sum + events.length, 0),
  };
  if (reference !== undefined) compare(found, reference, history);
  return { violations: history.violations, found };
}

function compare(found: Reference, reference: Reference, history: History): void {
  if (!sameEnd(found.end, reference.end)) {
    history.blame("end-differs", "DUR-8", `${shown(found.end)} instead of ${shown(reference.end)}`);
    return;
  }
  const budgets = difference(found.budgets, reference.budgets);
  if (budgets !== undefined) history.blame("budgets-differ", "CKPT-19", budgets);
  const places = difference(found.places, reference.places);
  if (places !== undefined) history.blame("tries-differ", "CKPT-19", places);
}

/** The processes of one run, one event after the other, beside the record as confirmed saves have made it. */
class History {
  readonly violations: Violation[] = [];
  readonly points: Record<string, number> = {};
  ended: { readonly end: RunEnd; readonly budgets: readonly string[] } | undefined;
  #process = 0;
  #confirmed = new Mirror();
  /** The record with the save that is on its way: a kill may come before it, or after it (DUR-21). */
  #perhaps: Mirror | undefined;
  readonly #bodies: { readonly body: BodyStart; readonly scope: string | undefined }[] = [];

  begin(process: number): void {
    this.#process = process;
  }

  blame(kind: Violation["kind"], rule: string, message: string): void {
    this.violations.push({ kind, rule, message, process: this.#process });
  }

  see(event: ChildEvent, runId: string): void {
    switch (event.kind) {
      case "absent":
        if (this.#confirmed.revision > 0) this.#blameLoss("the run is not there");
        return;
      case "loaded":
        this.#load(event);
        return;
      case "saving":
        if (this.ended !== undefined)
          this.blame("ended-run-changed", "DUR-3", "a resume of the ended run saved something");
        if (event.revision !== this.#confirmed.revision + 1) {
          const message = `revision ${event.revision} is saved after ${this.#confirmed.revision}`;
          this.blame("save-out-of-order", "STORE-3", message);
        }
        this.#perhaps = this.#confirmed.with(event.revision, event.changes);
        this.#blameAll(judgeStreams(this.#confirmed, this.#perhaps, { resumed: this.#resuming }));
        this.#blameAll(judgeMessageTries(this.#confirmed, this.#perhaps));
        return;
      case "saved":
        if (this.#perhaps?.revision === event.revision) this.#confirmed = this.#perhaps;
        this.#resuming = false;
        this.#perhaps = undefined;
        return;
      case "body":
        this.#body(event, runId);
        return;
      case "message":
        if (this.ended !== undefined)
          this.blame("ended-run-changed", "DUR-3", `"${event.path}" handled a message after the run had ended`);
        this.#blameAll(judgeMessage(event, this.#confirmed, runId));
        return;
      case "ended":
        this.ended = { end: event.end, budgets: event.budgets };
        return;
      case "ended-again":
        if (this.ended !== undefined && !sameEnd(event.end, this.ended.end)) {
          this.blame("ended-run-changed", "DUR-3", `${shown(event.end)} after ${shown(this.ended.end)}`);
        }
        return;
      case "points":
        for (const [point, count] of Object.entries(event.counts))
          this.points[point] = (this.points[point] ?? 0) + count;
        return;
      case "killing":
      case "interrupted":
      case "store-lost":
      case "broken":
    }
  }

  /** The places of the bodies of a completed run, each once; without those in void scopes, which depend on time. */
  places(): readonly string[] {
    if (this.ended?.end.kind !== "completed") return [];
    const valid = this.#bodies.filter(({ scope }) => scope !== undefined && !isVoid(scope, this.#confirmed));
    return [...new Set(valid.flatMap(({ body }) => (body.place === undefined ? [] : [body.place])))].toSorted();
  }

  /** A record was loaded, and nothing saved since. */
  #resuming = false;

  #load({ revision, entries }: Extract<ChildEvent, { kind: "loaded" }>): void {
    const known = [this.#confirmed, ...(this.#perhaps === undefined ? [] : [this.#perhaps])];
    const same = known.find((mirror) => mirror.revision === revision);
    if (revision < this.#confirmed.revision) {
      this.#blameLoss(`revision ${revision} is loaded after revision ${this.#confirmed.revision} was confirmed`);
    } else if (same === undefined) {
      const message = `revision ${revision} is loaded; ${known.map((mirror) => mirror.revision).join(" or ")} was to be there`;
      this.blame("record-differs", "DUR-21", message);
    } else {
      const keys = same.differences(entries);
      const message = `at revision ${revision} these entries are not as they were saved: ${keys.slice(0, 5).join(", ")}`;
      const lost = keys.some((key) => same.entries.has(key) && !entries.some(([there]) => there === key));
      if (keys.length > 0) this.blame(lost ? "acknowledged-lost" : "record-differs", "REC-25", message);
    }
    // From here on what is there counts: one loss is told once.
    this.#confirmed = new Mirror().with(revision, entries);
    this.#perhaps = undefined;
    this.#resuming = true;
  }

  #body(body: BodyStart, runId: string): void {
    if (this.ended !== undefined) {
      this.blame("ended-run-changed", "DUR-3", `the body of "${body.path}" ran after the run had ended`);
    }
    const scope = scopeOf(body, this.#confirmed, runId);
    this.#bodies.push({ body, scope });
    this.#blameAll(judgeBody(body, scope, this.#confirmed));
  }

  #blameAll(findings: readonly Omit<Violation, "process">[]): void {
    for (const { kind, rule, message } of findings) this.blame(kind, rule, message);
  }

  #blameLoss(message: string): void {
    this.blame("acknowledged-lost", "STORE-5", message);
  }
}

function shown(end: RunEnd): string {
  if (end.kind === "completed") return `completed with ${end.outputs.slice(0, 300)}`;
  return `failed with ${end.code}${end.path === undefined ? "" : ` at "${end.path}"`}`;
}

function difference(found: readonly string[], wanted: readonly string[]): string | undefined {
  const missing = wanted.filter((line) => !found.includes(line));
  const added = found.filter((line) => !wanted.includes(line));
  if (missing.length + added.length === 0) return undefined;
  const some = (lines: readonly string[]): string => lines.slice(0, 4).join("; ") || "nothing";
  return `missing: ${some(missing)}; not in the undisturbed run: ${some(added)}`;
}
