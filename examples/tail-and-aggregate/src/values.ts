import { z } from "zod";

/** What the steps send to each other. It passes through the run's record, so it is small. */

const count = z.int().nonnegative();

/** Whole lines that stood in the file one after the other. One portion is one message, one transaction and one save. */
export const portion = z.strictObject({
  lines: z.array(z.string()),
  /** Nothing comes after it. A handler is not told of a stream's end, so the source says so in its last message. */
  last: z.boolean(),
});
export type Portion = z.infer<typeof portion>;

/** Where the reading of the file stands: saved with each portion, so that the next process goes on from there. */
export const place = z.strictObject({
  /** How many bytes of the file have been sent. */
  bytes: count,
  /** SHA-256 of the bytes right before that place: whether the file is still the one that was read. */
  before: z.string(),
  /** The last portion was sent. */
  ended: z.boolean(),
});
export type Place = z.infer<typeof place>;

/** How often each status was answered. */
export const statusCounts = z.record(z.string(), count);
export type StatusCounts = z.infer<typeof statusCounts>;

/** A minute and what was counted in it. A late line may give a minute a second one: they add up. */
export const minuteCounts = z.strictObject({
  /** In UTC: `2026-03-01T09:30Z`. */
  minute: z.string(),
  counts: statusCounts,
});
export type MinuteCounts = z.infer<typeof minuteCounts>;

/** What the counting has to remember from one portion to the next: no more than one minute, however long the file is. */
export const tally = z.strictObject({
  open: minuteCounts.optional(),
  lines: count,
  /** Lines that are none of an access log. */
  unread: count,
});
export type Tally = z.infer<typeof tally>;

export const totals = z.strictObject({ lines: count, unread: count });

/** The result: what the file says, minute by minute. */
export const result = z.strictObject({
  ...totals.shape,
  /** Ascending. */
  minutes: z.array(minuteCounts),
});
export type Result = z.infer<typeof result>;
