import { graph, key, mount, node, retry, type } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { fakeHost } from "../fake-host.ts";
import type { AttemptInspection, ScopeInspection } from "../inspect.ts";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { countingCodec, crashGraph, numberKey } from "../testing/graphs.ts";
import { turn, worker } from "../testing/worker.ts";

const call = { runId: "run", version: "1" };
const made = numberKey("made");

/** The paths that a record has confirmed and that nothing above has voided. */
function confirmedPaths(scope: ScopeInspection): string[] {
  const inside = ({ state, child, attempts }: AttemptInspection): string[] =>
    state === "failed" ? [] : [...(child === undefined ? [] : confirmedPaths(child)), ...attempts.flatMap(inside)];
  return scope.nodes.flatMap(({ path, state, attempts }) => [
    ...(state === "completed" || state === "skipped" ? [path] : []),
    ...attempts.flatMap(inside),
  ]);
}

test("DUR-8 D3 a crash at any save, then a resume: no confirmed node runs again, budgets hold, outputs are the same", async () => {
  const undisturbed = worker();
  const calls: string[] = [];
  const graphOf = (called: (path: string) => void) => crashGraph(called);
  const expected = await undisturbed.pulse.run(
    graphOf((path) => calls.push(path)),
    { start: 5 },
    call,
  );
  const saves = undisturbed.store.saves.length;
  expect(saves).toBeGreaterThan(8);
  for (let revision = 2; revision <= saves; revision += 1) {
    for (const when of ["before", "after"] as const) {
      const memory = memoryStore();
      const dying = worker(memory);
      const dead = dying.diesAt(revision, when);
      const before: string[] = [];
      void dying.pulse
        .run(
          graphOf((path) => before.push(path)),
          { start: 5 },
          call,
        )
        .catch(() => {});
      await dead;
      await turn();
      const confirmed = confirmedPaths((await dying.pulse.inspect("run")).root);
      const after: string[] = [];
      const outcome = await worker(memory).pulse.resume(
        graphOf((path) => after.push(path)),
        { start: 5 },
        call,
      );
      expect(outcome.outputs).toEqual(expected.outputs);
      expect(after.filter((path) => confirmed.includes(path))).toEqual([]);
      // Each body runs as often as undisturbed, and once more at most: the try that was active.
      for (const path of new Set(calls)) {
        const times = (list: readonly string[]): number => list.filter((called) => called === path).length;
        expect(times(before) + times(after)).toBeLessThanOrEqual(times(calls) + 1);
      }
    }
  }
});

test("DUR-8 DUR-28 one crash after another, at seeded saves and in seeded orders, ends in the same outputs", async () => {
  const expected = await worker().pulse.run(
    crashGraph(() => {}),
    { start: 5 },
    call,
  );
  for (let seed = 1; seed <= 25; seed += 1) {
    const memory = memoryStore();
    const { random } = fakeHost({ seed });
    let revision = 0;
    let crashes = 0;
    for (let left = 6; ; left -= 1) {
      const host = fakeHost({ seed: seed * 100 + left, shuffled: true });
      const living = worker(memory, { host });
      // The first save may be lost as well: then there is no run, and it is started anew.
      const dead =
        left === 0
          ? new Promise<never>(() => {})
          : living.diesAt(revision + 1 + Math.floor(random() * 3), random() < 0.5 ? "before" : "after");
      const running = living.pulse.runOrResume(
        crashGraph(() => {}),
        { start: 5 },
        call,
      );
      const outcome = await Promise.race([dead.then(() => undefined), running]);
      if (outcome !== undefined) {
        expect(outcome.outputs, `seed ${seed}`).toEqual(expected.outputs);
        break;
      }
      await turn();
      crashes += 1;
      revision = (await memory.catalog.count()) === 0 ? 0 : (await memory.catalog.read("run")).header.revision;
    }
    expect((await memory.catalog.read("run")).header.resumes, `seed ${seed}`).toBeLessThanOrEqual(crashes);
  }
});

test("DUR-8 DUR-21 a save that errs at any point, then a resume, gives the same outputs", async () => {
  const undisturbed = worker();
  const expected = await undisturbed.pulse.run(
    crashGraph(() => {}),
    { start: 5 },
    call,
  );
  for (let revision = 2; revision <= undisturbed.store.saves.length; revision += 1) {
    for (const when of ["before", "after"] as const) {
      const memory = memoryStore();
      const { pulse, store } = worker(memory);
      store.faults[when] = (save) => {
        if (save.revision === revision) throw new Error("the disk is full");
      };
      await rejectionOf(
        "PULSE_CHECKPOINT",
        pulse.run(
          crashGraph(() => {}),
          { start: 5 },
          call,
        ),
      );
      const outcome = await worker(memory).pulse.resume(
        crashGraph(() => {}),
        { start: 5 },
        call,
      );
      expect(outcome.outputs).toEqual(expected.outputs);
    }
  }
});

test("D6 CKPT-19 CKPT-32 the retry budget is in the record: after two failed tries of three and a crash, one is left", async () => {
  const memory = memoryStore();
  const tries: number[] = [];
  const flaky = graph("flaky", {
    nodes: [
      node("flaky", { aspects: [retry({ limit: 3 })] }, (_values, { attempt }) => {
        tries.push(attempt);
        throw new Error("never");
      }),
    ],
  });
  const dying = worker(memory);
  // Opened, first failure, second failure, third failure.
  const dead = dying.diesAt(4, "before");
  void dying.pulse.run(flaky, {}, call).catch(() => {});
  await dead;
  expect(tries).toEqual([1, 2, 3]);
  await rejectionOf("PULSE_RUN_FAILED", worker(memory).pulse.resume(flaky, {}, call));
  // The third was not confirmed: it is tried again, and no fourth.
  expect(tries).toEqual([1, 2, 3, 3]);
});

test("CKPT-32 a budget whose last try has failed makes no try, and the node fails", async () => {
  const memory = memoryStore();
  const tries: number[] = [];
  const flaky = graph("flaky", {
    nodes: [
      node("flaky", { aspects: [retry({ limit: 2 })] }, (_values, { attempt }) => {
        tries.push(attempt);
        throw new Error("never");
      }),
    ],
  });
  const dying = worker(memory);
  const dead = dying.diesAt(3, "after");
  void dying.pulse.run(flaky, {}, call).catch(() => {});
  await dead;
  await rejectionOf("PULSE_RUN_FAILED", worker(memory).pulse.resume(flaky, {}, call));
  expect(tries).toEqual([1, 2]);
});

test("CKPT-13 a child scope that has finally failed runs nothing again, and the mount's retry goes on with its budget", async () => {
  const memory = memoryStore();
  const tries: string[] = [];
  const make = () => {
    const child = graph("child", {
      outputs: [made],
      nodes: [
        node("make", { provides: [made] }, (_values, { path }) => {
          tries.push(path);
          if (tries.length === 1) throw new Error("once");
          return { made: tries.length };
        }),
      ],
    });
    return graph("outer", { outputs: [made], nodes: [mount("child", child, { aspects: [retry({ limit: 2 })] })] });
  };
  const dying = worker(memory);
  // Opened, child scope, the child's node failed: not yet the mount's try.
  const dead = dying.diesAt(3, "after");
  void dying.pulse.run(make(), {}, call).catch(() => {});
  await dead;
  const later = worker(memory);
  expect((await later.pulse.resume(make(), {}, call)).values.made).toBe(2);
  expect(tries).toHaveLength(2);
  const [attempt] = (await later.pulse.inspect("run")).root.nodes[0]?.attempts ?? [];
  expect(attempt?.attempts.map(({ index, state }) => [index, state])).toEqual([
    [1, "failed"],
    [2, "active"],
  ]);
});

test("DUR-25 the idempotency key is the same over crashes, resumes and inner retries, and differs by node and run", async () => {
  const memory = memoryStore();
  const keys: Record<string, Set<string>> = { outer: new Set(), "child/inner": new Set() };
  const seen = (path: string, idempotencyKey: string): void => void keys[path]?.add(idempotencyKey);
  const make = () => {
    const child = graph("child", {
      nodes: [node("inner", {}, (_values, { path, idempotencyKey }) => seen(path, idempotencyKey))],
    });
    return graph("keys", {
      nodes: [
        node("outer", { aspects: [retry({ limit: 2 })] }, (_values, { path, attempt, idempotencyKey }) => {
          seen(path, idempotencyKey);
          if (attempt === 1) throw new Error("again");
        }),
        mount("child", child),
      ],
    });
  };
  for (let revision = 2; revision <= 5; revision += 1) {
    const dying = worker(memory);
    const dead = dying.diesAt(revision, "before");
    void dying.pulse.runOrResume(make(), {}, call).catch(() => {});
    await dead;
  }
  await worker(memory).pulse.resume(make(), {}, call);
  expect([keys["outer"]?.size, keys["child/inner"]?.size]).toEqual([1, 1]);
  await worker(memory).pulse.run(make(), {}, { ...call, runId: "other" });
  expect([keys["outer"]?.size, keys["child/inner"]?.size]).toEqual([2, 2]);
  expect(new Set([...(keys["outer"] ?? []), ...(keys["child/inner"] ?? [])]).size).toBe(4);
});

test("DUR-25 REC-1 a crash before the first node is confirmed loses nothing that its idempotency key is made of", async () => {
  const memory = memoryStore();
  const keys = new Set<string>();
  const one = graph("one", {
    nodes: [node("only", {}, (_values, { idempotencyKey }) => void keys.add(idempotencyKey))],
  });
  const dying = worker(memory);
  const dead = dying.diesAt(2, "before");
  void dying.pulse.run(one, {}, call).catch(() => {});
  await dead;
  expect(keys.size).toBe(1);
  await worker(memory).pulse.runOrResume(one, {}, call);
  expect(keys.size).toBe(1);
});

test("DUR-15 a resume of the last of N confirmed nodes decodes only what that node needs", async () => {
  const counted = type<number>("counted");
  const { codecs, counts } = countingCodec(counted);
  const length = 500;
  const links = Array.from({ length }, (_, at) => key(`link${at}`, counted));
  const nodes = links.map((link, at) => {
    const before = links[at - 1];
    return before === undefined
      ? node("node0", { provides: [link] }, () => ({ [link.name]: 0 }))
      : node(`node${at}`, { requires: [before], provides: [link] }, (values) => ({
          [link.name]: ((values as Record<string, number>)[before.name] ?? Number.NaN) + 1,
        }));
  });
  const chain = graph("chain", { outputs: links.slice(-1), nodes });
  const memory = memoryStore();
  const dying = worker(memory, { codecs });
  const dead = dying.diesAt(length + 1, "before");
  void dying.pulse.run(chain, {}, call).catch(() => {});
  await dead;
  counts.decoded = 0;
  counts.encoded = 0;
  const outcome = await worker(memory, { codecs }).pulse.resume(chain, {}, call);
  expect(Object.values(outcome.values)).toEqual([length - 1]);
  // What the last node reads, and the output.
  expect(counts).toEqual({ decoded: 2, encoded: 1 });
  await worker(memory, { codecs }).pulse.resume(chain, {}, { ...call, verify: "all" });
  expect(counts.decoded).toBe(2 + length + 1);
});

test("REC-9 a confirmed value that cannot be decoded stops the run with PULSE_CORRUPT as its cause; verify finds it first", async () => {
  const strict = type<number>("strict");
  const { codecs, codec } = countingCodec(strict);
  const value = key("value", strict);
  const calls: string[] = [];
  const pair = graph("pair", {
    outputs: [made],
    nodes: [
      node("first", { provides: [value] }, () => ({ value: 1 })),
      node("unrelated", {}, () => void calls.push("unrelated")),
      node("last", { requires: [value], provides: [made], aspects: [retry({ limit: 3 })] }, ({ value }) => ({
        made: value,
      })),
    ],
  });
  const memory = memoryStore();
  const dying = worker(memory, { codecs });
  const nodeSaved = new Promise<void>((resolve) => {
    dying.store.faults.before = async ({ changes }) => {
      if (!changes.some(({ key: entry }) => entry.endsWith("/last"))) return;
      await dying.store.crash();
      resolve();
      await new Promise(() => {});
    };
  });
  void dying.pulse.run(pair, {}, call).catch(() => {});
  await nodeSaved;

  const broken = countingCodec(strict).codecs;
  const brokenCodecs = {
    register: broken.register.bind(broken),
    forType: (...args: Parameters<typeof broken.forType>) => {
      const found = broken.forType(...args);
      if (found.id !== codec.id) return found;
      return {
        ...found,
        decode: () => {
          throw new Error("bit rot");
        },
      };
    },
  };
  const error = await rejectionOf(
    "PULSE_CHECKPOINT",
    worker(memory, { codecs: brokenCodecs }).pulse.resume(pair, {}, call),
  );
  expect(error.cause).toMatchObject({ code: "PULSE_CORRUPT" });
  expect(error.details).toMatchObject({ runId: "run", next: "restore-backup" });

  const verifying = worker(memory, { codecs: brokenCodecs });
  const early = await rejectionOf("PULSE_CORRUPT", verifying.pulse.resume(pair, {}, { ...call, verify: "all" }));
  expect(early.details.where).toContain('output "value"');
  expect(verifying.store.saves).toEqual([]);
  // Nothing of it was decided: with the right codec the run goes on.
  expect((await worker(memory, { codecs }).pulse.resume(pair, {}, call)).values.made).toBe(1);
});

test("CORE-46 a delay before the next try begins anew after a resume, and a timeout of the host interrupts", async () => {
  const memory = memoryStore();
  const host = fakeHost();
  const tries: number[] = [];
  const slow = graph("slow", {
    nodes: [
      node("slow", { aspects: [retry({ limit: 2, delay: 1_000 })] }, (_values, { attempt }) => {
        tries.push(attempt);
        if (attempt === 1) throw new Error("again");
      }),
    ],
  });
  const options = { ...call, host };
  const running = rejectionOf(
    "PULSE_INTERRUPTED",
    worker(memory, { host }).pulse.run(slow, {}, { ...options, timeout: 600 }),
  );
  await host.advance(600);
  expect((await running).cause).toMatchObject({ code: "PULSE_TIMEOUT" });
  const resumed = worker(memory, { host }).pulse.resume(slow, {}, options);
  await host.runAll();
  await resumed;
  expect(tries).toEqual([1, 2]);
});
