import type { Disturbance } from "./crash-trial.ts";

type PointKill = Extract<Disturbance, { readonly kind: "point" }>;

/** How often a kill is tried again that found its run ended, or its point not reached. */
const triesMax = 5;

export interface PointPlanOptions {
  readonly random: () => number;
  readonly killsPerPoint: number;
  readonly killsPerRunMax: number;
}

/** Which fault points are still to kill a run, and how those are put together to the kills of one run. */
export class PointPlan {
  readonly #options: PointPlanOptions;
  /** How often an undisturbed run, or the last process of another, has reached each point; in the order of their first times. */
  readonly #counts = new Map<string, number>();
  /** Points still to do, each as often as it is to kill; a new one at the end. */
  #left: { readonly point: string; readonly first: boolean; readonly tries: number }[] = [];
  readonly #missed = new Set<string>();

  constructor(options: PointPlanOptions) {
    this.#options = options;
  }

  /** Takes in which points a process has reached, in the order in which it came to each. */
  learn(counts: Readonly<Record<string, number>>): void {
    for (const [point, count] of Object.entries(counts)) {
      const known = this.#counts.get(point) ?? 0;
      this.#counts.set(point, Math.max(known, count));
      if (known > 0) continue;
      const { killsPerPoint } = this.#options;
      for (let kill = 0; kill < killsPerPoint; kill += 1) this.#put({ point, first: kill === 0, tries: 0 });
    }
  }

  /** The kills of the next run; `undefined` when all is done. `moment` makes one from outside. */
  next(moment: () => Disturbance): readonly Disturbance[] | undefined {
    const { random, killsPerRunMax } = this.#options;
    const [head] = this.#left;
    if (head === undefined) return undefined;
    // What did not meet its point before is tried as a run's only kill, and then after another one, in a resume.
    if (head.tries > 0) {
      const kill: PointKill = { kind: "point", point: head.point, nth: 1 };
      return head.tries % 2 === 1 ? [kill] : [moment(), kill];
    }
    // In the order in which an undisturbed run comes to them: who is killed there has little behind it, and the process
    // after it comes to the next one as a run comes to it for the first time.
    const order = [...this.#counts.keys()];
    const fresh = this.#left.filter(({ tries }) => tries === 0).slice(0, 1 + Math.floor(random() * killsPerRunMax));
    const kills = fresh.toSorted((one, other) => order.indexOf(one.point) - order.indexOf(other.point));
    return kills.map(({ point, first }, at) => {
      const count = this.#counts.get(point) ?? 1;
      // Its first time, or a later one: a run has then more behind it. Later processes find less to do.
      const nth = first && random() < 0.5 ? 1 : 1 + Math.floor((random() * count) / (at + 1));
      return { kind: "point", point, nth };
    });
  }

  /** Takes in which of the kills of the last run met it. */
  landed(planned: readonly Disturbance[], landed: readonly Disturbance[]): void {
    for (const kill of planned) {
      if (kill.kind !== "point") continue;
      const at = this.#left.findIndex(({ point }) => point === kill.point);
      const item = this.#left[at];
      if (item === undefined) continue;
      this.#left.splice(at, 1);
      if (landed.includes(kill)) continue;
      if (item.tries + 1 < triesMax) this.#left.push({ ...item, tries: item.tries + 1 });
      else this.#missed.add(item.point);
    }
  }

  /** Points at which no kill could be placed. */
  missed(): readonly string[] {
    return [...this.#missed].toSorted();
  }

  #put(item: { readonly point: string; readonly first: boolean; readonly tries: number }): void {
    const at = Math.floor(this.#options.random() * (this.#left.length + 1));
    this.#left.splice(at, 0, item);
  }
}
