import type { AnyGraph } from "@pulse-ts/core";
import type { RunOptions, Store } from "@pulse-ts/durable";
import type { BodyStart, MessageStart } from "./child-event.ts";

/** A graph to crash, and what it is run with. The same in every process that is given the same input. */
export interface CrashSubject {
  readonly graph: AnyGraph;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly version: string;
  readonly options?: Omit<RunOptions, "runId" | "version" | "host" | "beforeStart" | "signal">;
}

/** Called by bodies before anything else they do, in the step in which they start. */
export type NoteBody = (start: BodyStart) => void;

/** Called by handlers of messages in the same way, once for each try of a message. */
export type NoteMessage = (start: MessageStart) => void;

/**
 * Makes the subject that `input` names, out of `input` alone. What its bodies do depends on their values, their path and
 * their tries, never on chance or time: a run that was killed must end as one that was not.
 */
export type MakeSubject = (
  input: string,
  note: NoteBody,
  noteMessage: NoteMessage,
) => CrashSubject | Promise<CrashSubject>;

/** Stops where the store touches its medium. */
export type AtStorePoint = (point: string) => void | Promise<void>;

/** A store of a process under test; calls `at` with the name of each fault point that it has, before it goes on. */
export type OpenStore = (place: string, at: AtStorePoint) => Store | Promise<Store>;

/** What a program under test can run: subjects and stores by name. */
export interface CrashParts {
  readonly subjects: Readonly<Record<string, MakeSubject>>;
  readonly stores: Readonly<Record<string, OpenStore>>;
}
