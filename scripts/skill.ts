/** Prints the skill for coding agents out of the page about kinds: the text stands there only. */

/** The section of the page that the skill is. */
const title = "From the vendor's pages to a kind"
/** What the section says about the skill itself, which is of no use in it. */
const aboutSkill = 'skills/writing-kinds'

/** Finds a section of a page, without its heading. @throws when the page has no such section */
export function findSection(page: string, heading: string): string {
  const [, rest] = page.split(`\n## ${heading}\n`)
  if (rest === undefined) throw new Error(`docs/writing-kinds.md has no section ${heading}`)
  return (rest.split('\n## ')[0] ?? '').trim()
}

/** Prints the skill. @param page the Markdown of docs/writing-kinds.md */
export function printSkill(page: string): string {
  const paragraphs = findSection(page, title)
    .split('\n\n')
    .filter((paragraph) => !paragraph.includes(aboutSkill))
  const text = paragraphs.join('\n\n').replaceAll(/\[([^\]]+)\]\(#[^)]*\)/g, '$1 of the page')
  return `---
name: writing-kinds
description: Writes a kind of Ferrule, the one file that describes a vendor's API, and tries it until nothing is unsure. For vendors that have no kind yet.
---

# ${title}

${text}

What a file can say: the words with their sentences stand in \`kind.schema.json\` and \`recordings.schema.json\` of the package \`ferrule\`. The page
with examples is \`/docs/writing-kinds\` of a service, which \`/llms.txt\` lists.
`
}
