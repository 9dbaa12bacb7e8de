const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it may stand in HTML, between tags and inside a quoted attribute. Controls that HTML cannot hold become �. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/gu, (character) => entities[character] as string)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu, "\ufffd");
}

/** JSON as it may stand inside a script element: no `</script>`, no `<!--`, whatever the strings hold. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
