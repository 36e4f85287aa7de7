/** Sentences of kind files from descriptions of documents, which have Markdown, HTML and many lines. */

/** Longest sentence of a field, in characters. */
const longest = 90

/** Makes words of a name: `created_at` → `Created at`. */
export function toWords(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase()
  return words === '' ? 'Value' : `${words[0]?.toUpperCase()}${words.slice(1)}`
}

/** Returns a description as plain words on one line. */
const toPlain = (text: string): string =>
  text
    .replaceAll(/<[^>]{0,200}>/g, ' ')
    .replaceAll(/!?\[([^\]]{0,200})\]\([^)]{0,400}\)/g, '$1')
    .replaceAll(/[*`_#>|]{2,}|[*`]/g, '')
    .replaceAll(/[^\P{Cc}]|[\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Cuts a text behind its first sentence, or behind a word. */
function cut(text: string, most: number): string {
  const first = /^.*?[.!?](?= [A-Z]|$)/.exec(text)?.[0] ?? text
  const sentence = first.replace(/[.:;]$/, '').trim()
  if (sentence.length <= most) return sentence
  return `${sentence.slice(0, most - 1).replace(/[\s,;:(]*\S*$/, '')}…`
}

/**
 * Writes a sentence about something.
 * @param name makes the sentence where the description says nothing
 */
export function writeSentence(description: string, name: string, most = longest): string {
  const text = cut(toPlain(description.slice(0, 2_000)), most)
  return text.length < 2 || text === '…' ? toWords(name) : `${text[0]?.toUpperCase()}${text.slice(1)}`
}
