import { expect, test } from "vitest";
import { EntryPlaces } from "./places.ts";

const place = (revision: number, weight: number) => ({ epoch: 1, revision, weight });

test("FILE-4 REC-24 the weight is that of the entries there are, whatever was replaced or deleted", () => {
  const places = new EntryPlaces();
  places.put("a", place(1, 10));
  places.put("b", place(1, 5));
  places.put("a", place(2, 3));
  expect(places.weight).toBe(8);
  places.delete("b");
  places.delete("never");
  expect(places.weight).toBe(3);
});

test("FILE-4 frozen places stay as they were, through changes, deletions and new entries, until the next are frozen", () => {
  const places = new EntryPlaces();
  places.put("kept", place(1, 1));
  places.put("changed", place(1, 1));
  places.put("deleted", place(1, 1));
  const first = places.freeze();
  places.put("changed", place(2, 2));
  places.put("changed", place(3, 3));
  places.delete("deleted");
  places.put("new", place(2, 4));
  const revisions = (frozen: ReturnType<EntryPlaces["freeze"]>) =>
    ["kept", "changed", "deleted", "new"].map((key) => frozen.get(key)?.revision);
  expect([revisions(first), first.size]).toEqual([[1, 1, 1, undefined], 3]);
  first.release();
  const second = places.freeze();
  places.put("kept", place(4, 9));
  expect([revisions(second), second.size]).toEqual([[1, 3, undefined, 2], 3]);
});
