import { fileURLToPath } from "node:url";
import type { Report } from "../source/report.ts";
import { bundle, sizeOf, type BundleSize } from "./bundle.ts";

/** What graph, run, retry and timeout are to weigh, minified and gzipped (CORE-39). Not reached yet: decision 0002. */
export const coreBytesAim: number = 8 * 1024;

/** What they weigh at most today: it goes down, never up. */
export const coreBytesMax: number = 16_480;

/** What a user of plain graphs imports. */
export const coreEntry = `export { graph, key, node, type, run, retry, timeout } from "@pulse-ts/core";`;

const here = fileURLToPath(new URL(".", import.meta.url));

/** Measures what the main names of core weigh in a user's bundle. */
export async function measureCore(): Promise<BundleSize> {
  return sizeOf(await bundle(coreEntry, here));
}

/** The size against its limit. */
export function sizeReport(size: BundleSize, bytesMax: number): Report {
  const over = size.gzip - bytesMax;
  return {
    name: "size",
    counted: { "bytes minified": size.minified, "bytes gzip": size.gzip, "bytes brotli": size.brotli },
    problems: over > 0 ? [`@pulse-ts/core: ${size.gzip} bytes gzipped are ${over} over the limit of ${bytesMax}`] : [],
    notes: [
      `${((100 * size.gzip) / bytesMax).toFixed(1)} % of the limit of ${bytesMax} bytes gzipped`,
      `${size.gzip - coreBytesAim} bytes above the aim of ${coreBytesAim} (CORE-39, decision 0002)`,
    ],
  };
}
