import { jobSubject } from "@pulse-ts/example-index-folder/testing";
import type { CrashSubject, NoteBody } from "@pulse-ts/store-testkit";

/** Which main job: the folder that it indexes, and what decides its faults. */
export interface JobInput {
  readonly folder: string;
  readonly seed: number;
}

const chunks = 6;
/** Likely enough that most runs try something again, and rare enough that none is out of tries. */
const faultProbability = 0.3;

export async function jobOf(input: string, note: NoteBody): Promise<CrashSubject> {
  // Written by whoever starts this process.
  const { folder, seed } = JSON.parse(input) as JobInput;
  return await jobSubject({
    folder,
    chunks,
    faults: { probability: faultProbability, seed },
    noteBody({ path, idempotencyKey, attempt }) {
      // One node of the job alone has a retry: the others are in their only try.
      const tries = path.endsWith("/read") ? [attempt] : [];
      note({ path, id: idempotencyKey, tries, place: `${path}(${tries.join(",")})` });
    },
  });
}
