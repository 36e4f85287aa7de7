/** The mechanical rules of Plain English (CONTRIBUTING.md), over documents and comments. */

/** One broken rule. */
export interface Finding {
  /** Line of the file, from 1. */
  readonly line: number
  readonly message: string
}

/** Longest sentence of a document, in words. */
export const longestSentence = 25

/** What not to write, and what to write instead. Code in backticks is exempt. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\btruth values?\b/i, 'boolean'],
  [/\bmoments?\b/i, 'timestamp, time'],
  [/\b(?:is|are|was|were|be) gone\b/i, 'is deleted, has ended, no longer exists'],
  [/\b(?:go|goes|going|gone|went) on\b/i, 'resume, continue'],
  [/\banew\b/i, 'again'],
  [/\btells\b/i, 'says, reports, returns'],
  [/\b(?:tell|told) of\b/i, 'report'],
  [/\bof those that\b/i, 'the noun itself'],
  [/\b(?:is|are|was|were) none\b/i, 'does not exist, is missing'],
  [/\bof before\b/i, 'earlier, previous'],
  [/\bfor ever\b/i, 'forever'],
  [/\bin (?:the )?place of\b/i, 'instead of'],
  [/\bat one time\b/i, 'at the same time, concurrently'],
  [/\bworked out\b/i, 'computed'],
  [/\bby purpose\b/i, 'on purpose'],
]

const functionLine =
  /^\s*(?:export\s+)?(?:(?:async\s+)?function\b|const\s+\w+\s*=\s*(?:async\s*)?(?:<[^=]*>\s*)?\([^=]*(?:=>|$)|(?:(?:public|static|async)\s+)*#?\w+\??(?:<[^(]*>)?\([^)]*(?:\)\s*[:{]|$))/

/** Finds what breaks the rules in a document: words of the list, and long sentences outside of code, tables and headings. */
export function checkDocument(text: string): Finding[] {
  const lines = withoutCode(text).split('\n')
  return [...lines.flatMap(findPhrases), ...paragraphs(lines).flatMap(findLongSentences)].toSorted((a, b) => a.line - b.line)
}

/** Finds what breaks the rules in the comments of a source: words of the list, and a function's comment that starts with no verb. */
export function checkComments(source: string): Finding[] {
  const lines = source.split('\n')
  const comments = commentLines(lines)
  const words = comments.flatMap((comment, index) => findPhrases(comment.replaceAll(/`[^`]*`/g, ''), index))
  return [...words, ...findOpenings(lines, comments)].toSorted((a, b) => a.line - b.line)
}

/** Finds the words of the list in one line. */
function findPhrases(line: string, index: number): Finding[] {
  return phrases.flatMap(([phrase, instead]) => {
    const found = phrase.exec(line)
    return found === null ? [] : [{ line: index + 1, message: `"${found[0]}": write ${instead}` }]
  })
}

/** Blanks code blocks, inline code and addresses, and keeps the lines. */
function withoutCode(text: string): string {
  const blank = (code: string) => code.replaceAll(/[^\n]+/g, '')
  return text
    .replaceAll(/^(\s*)```[\s\S]*?^\s*```/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/`[^`\n]*`/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/https?:\/\/\S+/g, 'address')
}

/** A paragraph or an item of a list: the line where it begins, and its words. */
interface Paragraph {
  readonly line: number
  readonly text: string
}

/** Joins the lines of each paragraph and each item; tables and headings are left out. */
function paragraphs(lines: readonly string[]): Paragraph[] {
  const found: { line: number; text: string }[] = []
  let open: { line: number; text: string } | undefined
  for (const [index, line] of lines.entries()) {
    const isProse = /\S/.test(line) && !/^\s*(?:\||#)/.test(line)
    const begins = /^\s*(?:[-*]|\d+\.)\s/.test(line)
    if (!isProse || begins) open = undefined
    if (!isProse) continue
    if (open === undefined) {
      open = { line: index + 1, text: '' }
      found.push(open)
    }
    open.text += ` ${line.replace(/^\s*(?:[-*]|\d+\.)\s+/, '').trim()}`
  }
  return found
}

/** Finds sentences of more than `longestSentence` words. A colon ends a sentence. */
function findLongSentences({ line, text }: Paragraph): Finding[] {
  return text.split(/(?<=[.!?:]["')*]*)\s+/).flatMap((sentence) => {
    const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
    if (words.length <= longestSentence) return []
    return [{ line, message: `a sentence of ${words.length} words, ${longestSentence} at most: "${words.slice(0, 6).join(' ')} …"` }]
  })
}

/** Returns the comment on each line of a source, and an empty string where there is no comment. */
function commentLines(lines: readonly string[]): string[] {
  let isInside = false
  return lines.map((line) => {
    const begins = !isInside && /^\s*\/\*/.test(line)
    if (isInside || begins) {
      isInside = !line.includes('*/')
      return line
    }
    // Strings are masked: an address in one is no comment.
    const masked = line.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, (text) => ' '.repeat(text.length))
    const start = masked.search(/(?:^|\s)\/\/\s/)
    return start === -1 ? '' : line.slice(start)
  })
}

/** Finds doc comments of functions that start with "What", "Whether" or "How" instead of a verb. */
function findOpenings(lines: readonly string[], comments: readonly string[]): Finding[] {
  return lines.flatMap((line, index) => {
    if (!/^\s*\/\*\*/.test(line) || comments[index] === '') return []
    const end = lines.findIndex((each, at) => at >= index && each.includes('*/'))
    const opening = /^\s*\/?\*+\s*(What|Whether|How)\b/.exec(lines.slice(index, end + 1).find((each) => /[A-Za-z]/.test(each)) ?? '')
    if (opening === null || !functionLine.test(lines[end + 1] ?? '')) return []
    return [{ line: index + 1, message: `a function's comment starts with a verb, not with "${opening[1]}"` }]
  })
}
