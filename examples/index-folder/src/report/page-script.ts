/**
 * The search box, as the page runs it. It is text and no function of this program, so that the page's bytes do not depend
 * on how the program was compiled. `termsOf` does what `text/tokenise.ts` does; a test holds the two together.
 */
export const termsOfScript = `
function termsOf(text) {
  const plain = text.normalize("NFKC").toLowerCase().normalize("NFKC").replaceAll("\\u2019", "'");
  const terms = [];
  for (const [word] of plain.matchAll(/[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*(?:['\\u2019_]+[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*)*/gu)) {
    for (const [part] of word.matchAll(/[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}]+|[^\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}]+/gu)) {
      if (/^[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}]/u.test(part)) {
        const characters = [...part];
        if (characters.length === 1) terms.push(part);
        for (let at = 0; at + 1 < characters.length; at += 1) terms.push(characters[at] + characters[at + 1]);
      } else {
        const term = part.replace(/^['_]+|['_]+$/gu, "");
        if (term !== "" && term.length <= 64) terms.push(term);
      }
    }
  }
  return terms;
}
`;

export const pageScript = `
"use strict";
${termsOfScript}
const data = JSON.parse(document.getElementById("index").textContent);
const box = document.getElementById("query");
const note = document.getElementById("note");
const hits = document.getElementById("hits");
const expansionsMax = 40;
const hitsMax = 50;

/* Where a term stands or would stand: the terms are in order of their code units. */
function placeOf(term) {
  let low = 0;
  let high = data.terms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (data.terms[middle][0] < term) low = middle + 1; else high = middle;
  }
  return low;
}

/* A whole term, and beside it the terms that begin with what is typed. */
function entriesFor(term) {
  const found = [];
  for (let at = placeOf(term); at < data.terms.length && found.length < expansionsMax; at += 1) {
    if (!data.terms[at][0].startsWith(term)) break;
    found.push(data.terms[at]);
  }
  return found;
}

function search(query) {
  const wanted = [...new Set(termsOf(query))];
  const scores = new Map();
  for (const term of wanted) {
    const best = new Map();
    for (const [found, postings] of entriesFor(term)) {
      const rarity = (data.files.length < 2 ? 1 : Math.log(data.files.length / postings.length)) + 0.01;
      for (const [file, times] of postings) {
        const score = (1 + Math.log(times)) * rarity * (found === term ? 1 : 0.5);
        const before = best.get(file);
        const words = before === undefined ? [] : before.words;
        words.push([found, times]);
        best.set(file, { score: Math.max(score, before === undefined ? 0 : before.score), words });
      }
    }
    for (const [file, { score, words }] of best) {
      const sofar = scores.get(file) || { matched: 0, score: 0, words: [] };
      scores.set(file, { matched: sofar.matched + 1, score: sofar.score + score, words: sofar.words.concat(words) });
    }
  }
  const all = [...scores].filter(([, { matched }]) => matched === wanted.length);
  return { wanted, all: all.sort(([left, one], [right, other]) => other.score - one.score || left - right) };
}

function element(name, text) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
}

function show() {
  const { wanted, all } = search(box.value);
  hits.replaceChildren(...all.slice(0, hitsMax).map(([file, { words }]) => {
    const item = element("li");
    const [path, title] = data.files[file];
    item.append(element("strong", title));
    const times = words.reduce((sum, [, count]) => sum + count, 0);
    item.append(element("span", times + (times === 1 ? " time" : " times")));
    const where = element("small", path + " ");
    for (const [word] of words.slice(0, 6)) where.append(" ", element("mark", word));
    item.append(where);
    return item;
  }));
  if (wanted.length === 0) note.textContent = "All words are looked for, and words that begin with them.";
  else if (all.length === 0) note.textContent = "No file has " + wanted.map((term) => "\\u201c" + term + "\\u201d").join(" and ") + ".";
  else note.textContent = (all.length === 1 ? "One file" : all.length + " files") + (all.length > hitsMax ? ", the best " + hitsMax + " shown." : ".");
}

function fromAddress() {
  const match = /^#q=(.*)$/u.exec(location.hash);
  if (match === null) return;
  try { box.value = decodeURIComponent(match[1]); } catch { return; }
  show();
  box.scrollIntoView({ block: "center" });
}

box.addEventListener("input", show);
addEventListener("hashchange", fromAddress);
show();
fromAddress();
`;
