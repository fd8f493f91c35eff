/** What the book's chapter on complementarity problems says of each solver: the rows of its table. */

import chapter from "../../docs/src/lcp.md?raw";

interface Said {
  idea: string;
  use: string;
}

const plain = (cell: string) => cell.replaceAll("`", "").trim();

const rows = new Map<string, Said>();
for (const line of chapter.split("\n")) {
  const cells = line.split("|").slice(1, -1);
  // | `name`, `another` | idea | take it for | source |
  if (cells.length !== 4 || !cells[0].trim().startsWith("`")) continue;
  for (const name of cells[0].matchAll(/`([^`]+)`/g)) rows.set(name[1], { idea: plain(cells[1]), use: plain(cells[2]) });
}

export const chapterOf = (solver: string): Said | undefined => rows.get(solver);

/** Shows the links to the chapter where the page lies in the book. */
export async function findBook(): Promise<void> {
  try {
    const found = await fetch("../lcp.html");
    // servers of single pages answer anything with their own page
    if (found.ok && (await found.text()).includes("Complementarity problems")) document.documentElement.classList.add("has-book");
  } catch {
    // no book
  }
}
