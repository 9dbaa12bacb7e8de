import { writeSync } from "node:fs";
import type { ChildEvent } from "./child-event.ts";

/** The pipe between a process under test and the one that started it. */
export const voiceDescriptor = 3;

/** Tells the starter of this process what happens. */
export type ChildVoice<Event = ChildEvent> = (event: Event) => void;

/** Each event is on its way when the call returns: a kill takes nothing of it back. */
export function childVoice<Event = ChildEvent>(): ChildVoice<Event> {
  return (event) => {
    const bytes = Buffer.from(`${JSON.stringify(event)}\n`);
    for (let done = 0; done < bytes.length;) done += writeSync(voiceDescriptor, bytes, done);
  };
}
