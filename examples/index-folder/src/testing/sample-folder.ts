import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is gone when the test has ended. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "pulse-index-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder with these files. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** Files of several sizes and scripts, one of them binary and one no UTF-8. */
export const sampleFiles: Readonly<Record<string, string | Uint8Array>> = {
  "readme.md": "# The harbour\n\nShips wait for the tide; the pilot waits for the ships.\n",
  "guide/pilot.md": "# The pilot\n\nA pilot boards at the buoy. The pilot knows the shoals, the tide and the lights.\n",
  "guide/tide.txt": "High tide, low tide, slack water. The tide table hangs in the harbour office.\n",
  "guide/deep/lights.md": "Lights\n======\n\nRed to port, green to starboard. The lighthouse blinks twice.\n",
  "notes/港.md": "# 港\n\n船は港で潮を待つ。\n",
  "notes/empty.txt": "",
  'notes/<b>odd & "name".md': "# <script>alert(1)</script>\n\nShoals & shallows.\n",
  "notes/data.txt": Uint8Array.of(80, 75, 0, 4),
  "notes/latin.txt": Uint8Array.of(0x63, 0x61, 0x66, 0xe9),
  "picture.png": Uint8Array.of(0x89, 0x50),
};
