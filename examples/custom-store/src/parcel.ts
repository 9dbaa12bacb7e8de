import { attachment, graph, key, node } from "@pulse-ts/core";
import { z } from "zod";

/** What the steps say and wait for. It is no value of the graph and in no record. */
export interface Outside {
  say(text: string): void;
  /** Called in the middle of the second step. */
  midway(): Promise<void>;
}

export const outside = attachment<Outside>("outside");

const order = key("order", z.string());
const weight = key("weight", z.int());
const label = key("label", z.string());
const receipt = key("receipt", z.string());

const weigh = node("weigh", { requires: [order], provides: [weight] }, ({ order }, context) => {
  context.attachment(outside).say(`weigh: ${order}`);
  return { weight: 1200 };
});

const print = node("print", { requires: [order, weight], provides: [label] }, async ({ order, weight }, context) => {
  context.attachment(outside).say(`print: a label for ${weight} g`);
  await context.attachment(outside).midway();
  return { label: `${order}, ${weight} g` };
});

const send = node("send", { requires: [label], provides: [receipt] }, ({ label }, context) => {
  context.attachment(outside).say("send: on its way");
  return { receipt: `sent: ${label}` };
});

/** Weigh, print, send: each is confirmed before the next begins. */
export const parcel = graph("parcel", { inputs: [order], outputs: [receipt], nodes: [weigh, print, send] });
