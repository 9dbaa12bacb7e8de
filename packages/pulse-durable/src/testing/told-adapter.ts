import type { OwnedRun, Save, StoreAdapter } from "../define-store/adapter.ts";
import { headerKey } from "../record/entry-key.ts";
import { entriesOf } from "../record/fold.ts";
import type { RunRecord } from "../record/format.ts";
import type { CallOptions, Session } from "../store.ts";
import { sampleRecord } from "./sample-record.ts";

/** An adapter that does what a test says, and notes what it was asked for. */
export interface ToldAdapter extends StoreAdapter {
  readonly asked: readonly string[];
  readonly saves: readonly Save[];
}

/** `owned`: what differs from a run that is never there and always saved. `rest`: what differs from no catalogue. */
export function toldAdapter(
  owned: Partial<OwnedRun> = {},
  rest: Partial<Omit<StoreAdapter, "own">> & { readonly own?: () => Promise<void> } = {},
): ToldAdapter {
  const asked: string[] = [];
  const saves: Save[] = [];
  return {
    medium: "the test's medium",
    ...rest,
    asked,
    saves,
    async own(runId) {
      asked.push(`own ${runId}`);
      await rest.own?.();
      return {
        ...owned,
        async load(call) {
          asked.push("load");
          return await owned.load?.(call);
        },
        async save(save, call) {
          asked.push(`save ${save.revision}`);
          saves.push(save);
          return (await owned.save?.(save, call)) ?? "saved";
        },
        async release(end) {
          asked.push(`release ${end.clean ? "clean" : "in doubt"}`);
          await owned.release?.(end);
        },
      };
    },
  };
}

/** The run of the tests at a revision. */
export const recordAt = (revision: number): RunRecord => sampleRecord({ header: { revision } });

/** Saves the revision after `expected`: everything at first, then the header alone. */
export async function saveAfter(session: Session, expected: number, call?: CallOptions): Promise<void> {
  const next = recordAt(expected + 1);
  const changes = entriesOf(next).filter(({ key }) => expected === 0 || key === headerKey);
  await session.save(next, expected, changes, call);
}

/** A promise that is settled from outside. */
export function gate<Result = void>(): {
  readonly opened: Promise<Result>;
  open(result: Result): void;
  fail(error: unknown): void;
} {
  let [open, fail]: [(result: Result) => void, (error: unknown) => void] = [() => {}, () => {}];
  const opened = new Promise<Result>((resolve, reject) => {
    [open, fail] = [resolve, reject];
  });
  return { opened, open, fail };
}
