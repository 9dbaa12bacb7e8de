import { attachment, graph, key, node } from "@pulse-ts/core";
import { z } from "zod";
import type { Outside } from "./outside.ts";

/** The world is attached to each execution: it is no value of the graph and in no record. */
export const outside = attachment<Outside>("outside");

const order = key("order", z.object({ item: z.string(), cents: z.int() }));
const reservation = key("reservation", z.string());
const payment = key("payment", z.string());
const receipt = key("receipt", z.string());

const reserve = node("reserve", { requires: [order], provides: [reservation] }, ({ order }, context) => {
  context.attachment(outside).say(`reserve: one ${order.item}`);
  return { reservation: `reserved: ${order.item}` };
});

const charge = node("charge", { requires: [order, reservation], provides: [payment] }, ({ order }, context) => {
  const { pay, crashOnce, say } = context.attachment(outside);
  say(`charge: ${order.cents} cents`);
  const payment = pay(context.idempotencyKey, order.cents);
  // The worst moment: the money is taken, and nothing in the record says so.
  crashOnce();
  return { payment };
});

const ship = node(
  "ship",
  { requires: [reservation, payment], provides: [receipt] },
  ({ reservation, payment }, context) => {
    context.attachment(outside).say("ship: on its way");
    return { receipt: `${reservation}, paid with ${payment}` };
  },
);

/** Reserve, charge, ship: each is confirmed before the next begins. */
export const ordering = graph("ordering", { inputs: [order], outputs: [receipt], nodes: [reserve, charge, ship] });
