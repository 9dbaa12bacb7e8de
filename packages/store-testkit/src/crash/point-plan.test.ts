import { expect, test } from "vitest";
import type { Disturbance } from "./crash-trial.ts";
import { seededRandom } from "./idle-host.ts";
import { PointPlan } from "./point-plan.ts";

const moment: Disturbance = { kind: "moment", events: 1, turns: 0 };
const pointOf = (kill: Disturbance): string => (kill.kind === "point" ? kill.point : kill.kind);

function planOf(killsPerPoint: number): PointPlan {
  return new PointPlan({ random: seededRandom(5), killsPerPoint, killsPerRunMax: 3 });
}

test("KIT-2 every point that a run reaches is killed at as often as asked, points that only a resume reaches too", () => {
  const plan = planOf(2);
  plan.learn({ a: 1, b: 4, c: 2 });
  const done: string[] = [];
  for (let kills = plan.next(() => moment); kills !== undefined; kills = plan.next(() => moment)) {
    done.push(...kills.map(pointOf));
    plan.landed(kills, kills);
    plan.learn({ a: 1, onResume: 1 });
  }
  expect(done.toSorted()).toEqual(["a", "a", "b", "b", "c", "c", "onResume", "onResume"]);
  expect(plan.missed()).toEqual([]);
});

test("KIT-2 a kill that met no living run is tried again by itself and in a resume, and told when nothing helps", () => {
  const plan = planOf(1);
  plan.learn({ a: 1 });
  const tried: (readonly string[])[] = [];
  for (let kills = plan.next(() => moment); kills !== undefined; kills = plan.next(() => moment)) {
    tried.push(kills.map(pointOf));
    plan.landed(kills, []);
  }
  expect(tried).toEqual([["a"], ["a"], ["moment", "a"], ["a"], ["moment", "a"]]);
  expect(plan.missed()).toEqual(["a"]);
});

test("KIT-2 the kills of one run come in the order in which a run comes to their points", () => {
  const plan = new PointPlan({ random: () => 0.99, killsPerPoint: 1, killsPerRunMax: 4 });
  plan.learn({ begin: 1, save: 5, fold: 2, close: 1 });
  expect(plan.next(() => moment)?.map(pointOf)).toEqual(["begin", "save", "fold", "close"]);
});
