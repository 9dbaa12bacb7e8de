import type { AttemptRequest, CheckpointHooks } from "../checkpoint/hooks.ts";

/** Hooks that confirm at once, in memory, and keep what they were asked. */
export interface MemoryHooks extends CheckpointHooks {
  /** The calls as `hook path`, of a failed attempt as `failAttempt id`, in order. */
  readonly calls: readonly string[];
}

/** Hooks for tests of the engine; `replaced` puts others in the place of some, which are noted all the same. */
export function memoryHooks(replaced: Partial<CheckpointHooks> = {}): MemoryHooks {
  const calls: string[] = [];
  const failed = new Set<string>();
  const hooks: CheckpointHooks = {
    openAttempt: async (request) => openIn(failed, request),
    failAttempt: async (id) => void failed.add(id),
    openChild: async () => ({ nodes: [] }),
    commit: async ({ outputs }) =>
      outputs.map((output) => {
        const { name } = output.key;
        if (output.state === "stream") return { name, state: "stream", sourceId: output.stream.sourceId };
        if (output.state === "skipped") return { name, state: "skipped" };
        return { name, state: "ready", read: output.read ?? (() => output.value) };
      }),
    ...replaced,
  };
  return {
    calls,
    openAttempt: (request) => (
      calls.push(`openAttempt ${request.path}${boundaryOf(request)}`),
      hooks.openAttempt(request)
    ),
    failAttempt: (id, call) => (calls.push(`failAttempt ${id}`), hooks.failAttempt(id, call)),
    openChild: (request) => (calls.push(`openChild ${request.path}`), hooks.openChild(request)),
    commit: (request) => (calls.push(`commit ${request.path}`), hooks.commit(request)),
  };
}

const boundaryOf = ({ boundary }: AttemptRequest): string => (boundary === "" ? "" : `@${boundary}`);

/** The first index of the boundary that is not failed; an id says where it is: `root/n@0#2`. */
function openIn(failed: ReadonlySet<string>, request: AttemptRequest) {
  const place = `${request.parent}/${request.nodeId}${boundaryOf(request)}`;
  let index = 1;
  while (failed.has(`${place}#${index}`) && index < request.limit) index++;
  const id = `${place}#${index}`;
  return { id, index, exhausted: failed.has(id) };
}
