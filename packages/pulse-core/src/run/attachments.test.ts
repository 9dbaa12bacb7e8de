import { expect, test } from "vitest";
import { aspect, attach, attachment, graph, mount, node, run } from "../index.ts";
import { eventLog } from "../testing/event-log.ts";
import { anyKey } from "../testing/keys.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

interface Client {
  ask(): string;
}
const client = attachment<Client>("client");
const tracer = attachment<string[]>("tracer");
const answer = anyKey("answer");

const asking = graph("asking", {
  outputs: [answer],
  nodes: [node("ask", { provides: [answer] }, (_values, context) => ({ answer: context.attachment(client).ask() }))],
});

test("CORE-51 a body gets the execution's attachment by its token, typed", async () => {
  const attached: Client = { ask: () => "yes" };
  expect((await run(asking, {}, { attachments: [attach(client, attached)] })).values.answer).toBe("yes");
});

test("CORE-51 aspects and child executions have the attachments too", async () => {
  const spans: string[] = [];
  const tracing = aspect("tracing", async (context, next) => {
    context.attachment(tracer).push(context.path);
    await next();
  });
  const outer = graph("outer", { outputs: [answer], nodes: [mount("child", asking)], aspects: [tracing] });
  const attachments = [attach(client, { ask: () => "deep" }), attach(tracer, spans)];
  const outcome = await run(outer, {}, { attachments, aspects: [tracing] });
  expect(outcome.values.answer).toBe("deep");
  expect(spans).toEqual(["child", "child", "child/ask"]);
});

test("CORE-51 an attachment that was not given is an error that names the token", async () => {
  const failed = await rejectionOf(run(asking, {}), "PULSE_EXECUTION_FAILED");
  expect(expectCode(failed.cause, "PULSE_USAGE").message).toContain('"client"');
});

test("CORE-51 tokens of one name are two tokens", async () => {
  const other = attachment<Client>("client");
  const failed = await rejectionOf(
    run(asking, {}, { attachments: [attach(other, { ask: () => "no" })] }),
    "PULSE_EXECUTION_FAILED",
  );
  expectCode(failed.cause, "PULSE_USAGE");
});

test("CORE-51 undefined and other empty values can be attached", async () => {
  const nothing = attachment<undefined>("nothing");
  const reading = graph("reading", {
    outputs: [answer],
    nodes: [node("read", { provides: [answer] }, (_values, context) => ({ answer: context.attachment(nothing) }))],
  });
  expect((await run(reading, {}, { attachments: [attach(nothing, undefined)] })).values.answer).toBeUndefined();
});

test("CORE-51 core looks into no attachment and shows it in no event", async () => {
  const touched: PropertyKey[] = [];
  const opaque = new Proxy({} as Client, {
    get: (_target, name) => (touched.push(name), undefined),
    has: (_target, name) => (touched.push(name), false),
    ownKeys: () => (touched.push("keys"), []),
  });
  const log = eventLog();
  const holding = graph("holding", {
    outputs: [answer],
    nodes: [
      node("hold", { provides: [answer] }, (_values, context) => ({ answer: [context.attachment(client) === opaque] })),
    ],
  });
  const outcome = await run(holding, {}, { attachments: [attach(client, opaque)], observers: [log.observer] });
  expect(outcome.values.answer).toEqual([true]);
  expect(touched).toEqual([]);
  expect(log.events.some((event) => Object.values(event).includes(opaque))).toBe(false);
});
