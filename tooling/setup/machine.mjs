// Runs before anything is installed: plain JavaScript, Node's own modules only, and syntax that an old Node can
// still parse, so that it gets the clear message instead of a syntax error.

/** The lowest Node that Pulse supports. */
export const lowestNode = "20.19.0";

/**
 * What to tell the owner of a Node that is too old, or undefined.
 * @param {string} version `process.versions.node`
 * @returns {string | undefined}
 */
export function nodeRefusal(version) {
  if (compare(version, lowestNode) >= 0) return undefined;
  return `Setting up Pulse needs Node ${lowestNode} or newer; this is Node ${version}. Install a newer Node and try again.`;
}

/**
 * The version in the `packageManager` field: `pnpm@12.4.2` or `pnpm@12.4.2+sha512…` -> `12.4.2`.
 * @param {string} field
 * @returns {string}
 */
export function pnpmVersion(field) {
  const match = /^pnpm@(\d+\.\d+\.\d+)(\+.*)?$/.exec(field);
  if (match === null || match[1] === undefined)
    throw new Error(
      `Setting up Pulse: the packageManager field of package.json is "${field}"; it must name a pnpm version`,
    );
  return match[1];
}

/**
 * What an installation depends on, as one line: native packages are built for one Node on one platform.
 * @param {{ lockfileHash: string, abi: string, platform: string, arch: string }} machine
 * @returns {string}
 */
export function stampOf({ lockfileHash, abi, platform, arch }) {
  return `${lockfileHash} node-abi-${abi} ${platform}-${arch}\n`;
}

/**
 * @param {string} left
 * @param {string} right
 */
function compare(left, right) {
  const [a, b] = [left, right].map((version) => version.split(".").map((part) => Number.parseInt(part, 10)));
  for (let index = 0; index < 3; index += 1) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
