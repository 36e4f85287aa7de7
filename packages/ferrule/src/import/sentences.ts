/** Sentences and names of kind files, from descriptions and names of documents: those have Markdown, HTML, many lines and any sign. */
import { refusedNames } from '../definition/object.ts'
import { toSentence } from '../kind-file/build-fields.ts'

/** Longest sentence of a field, in characters. */
const usualLongest = 120

/** Returns a description as plain words on one line, without signs that a terminal or a model could take for more than text. */
const toPlain = (text: string): string =>
  text
    .replaceAll(/<[^<>]{0,200}>/g, ' ')
    .replaceAll(/!?\[([^\]]{0,200})\]\([^)]{0,400}\)/g, '$1')
    .replaceAll(/[*`_#>|]{2,}|[*`]/g, '')
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()

/** Cuts a text behind its first sentence, or behind a word. The point of an abbreviation ends no sentence. */
function cut(text: string, most: number): string {
  const [first = ''] = /^.+?(?=(?<!\b(?:e\.g|i\.e|etc|vs))[.!?](?: \p{Lu}|$)|$)/u.exec(text) ?? []
  const sentence = first.replace(/[.:;]$/, '').trim()
  return sentence.length <= most ? sentence : `${sentence.slice(0, most - 1).replace(/[\s,;:(]*\S*$/, '')}…`
}

/**
 * Writes a sentence about something.
 * @param description of the document; anything but a text says nothing
 * @param name makes the sentence where the description says nothing
 * @param most longest sentence, in characters
 */
export function writeSentence(description: unknown, name: string, most = usualLongest): string {
  const text = typeof description === 'string' ? cut(toPlain(description.slice(0, 2_000)), most) : ''
  return /[\p{L}\p{N}]/u.test(text) ? `${text[0]?.toUpperCase()}${text.slice(1)}` : toSentence(name)
}

/** Splits a name into small words: `addFollowers` → `add`, `followers`. */
export const splitWords = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/** Writes a name as entities have it: `issueLabels` → `issue_labels`, `2fa` → `entity_2fa`. */
export function toEntityName(name: string): string {
  const made = splitWords(name).join('_').slice(0, 40)
  return /^[a-z]/.test(made) && !refusedNames.has(made) ? made : `entity_${made}`
}

/** Writes a name as slots have it: `issue-id` → `issue_id`, `2fa` → `value_2fa`. */
export function toSlotName(name: string): string {
  const made = name.replaceAll(/[^A-Za-z0-9_]+/g, '_')
  return (/^[A-Za-z_]/.test(made) && !refusedNames.has(made) ? made : `value_${made}`).slice(0, 64)
}
