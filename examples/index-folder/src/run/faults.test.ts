import { expect, test } from "vitest";
import { PassingFailure } from "../scan/read-text.ts";
import { failOnPurpose } from "./faults.ts";

const failures = (probability: number, seed: number): boolean[] =>
  Array.from({ length: 1_000 }, (_, at) => {
    try {
      failOnPurpose({ probability, seed }, { path: `chunk-${at}/read`, attempt: 1 });
      return false;
    } catch (error) {
      expect(error).toBeInstanceOf(PassingFailure);
      return true;
    }
  });

test("a try fails by seed, node and number, about as often as asked for", () => {
  const half = failures(0.5, 7);
  expect(failures(0.5, 7)).toEqual(half);
  expect(failures(0.5, 8)).not.toEqual(half);
  expect(Math.abs(half.filter(Boolean).length - 500)).toBeLessThan(100);
  expect([failures(0, 7).includes(true), failures(1, 7).includes(false)]).toEqual([false, false]);
});
