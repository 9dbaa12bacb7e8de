/** Longer runs of letters are data rather than words: encoded bytes, digests. In UTF-16 code units. */
export const termLengthMax = 64;

/** Letters, marks and digits of any script; an apostrophe or underscore only between two of them. */
const wordPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’_]+[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*/gu;

/** Scripts that put no space between words. */
const hasUnspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;
const runsByScript = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]+|[^\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]+/gu;

/**
 * The terms of a text, in their order: compatibility forms unified, lower case, independent of the machine's language.
 * Chinese and Japanese runs become overlapping pairs of characters, as they have no spaces to part words by.
 * The page's search box does the same to what is typed (`report/page-script.ts`).
 */
export function* tokenise(text: string): Generator<string> {
  // Lower case can leave the normal form again, so it is restored.
  const plain = text.normalize("NFKC").toLowerCase().normalize("NFKC").replaceAll("’", "'");
  for (const [word] of plain.matchAll(wordPattern)) {
    if (!hasUnspaced.test(word)) {
      if (word.length <= termLengthMax) yield word;
      continue;
    }
    for (const [part] of word.matchAll(runsByScript)) {
      if (hasUnspaced.test(part)) yield* pairs([...part]);
      else {
        const term = part.replace(/^['_]+|['_]+$/gu, "");
        if (term !== "" && term.length <= termLengthMax) yield term;
      }
    }
  }
}

function* pairs(characters: readonly string[]): Generator<string> {
  if (characters.length === 1) yield characters.join("");
  for (let at = 0; at + 1 < characters.length; at += 1) yield `${characters[at]}${characters[at + 1]}`;
}
