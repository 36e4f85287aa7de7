/** Writes values for a model: one line of JSON each, with every digit, and with the characters visible that could disguise a text. */
import { writeJson } from '../../values/json/json.ts'

/**
 * Characters that end lines, change the direction of a text or cannot be seen: those that JSON leaves as they are. A vendor's text cannot
 * begin a line of its own with them, nor hide words from the people who read along.
 */
const disguising = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g

const escapeUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

/** Matches whatever may be one of them; most lines have none. */
const beyondAscii = /[\u007f-\uffff]/

/** Writes a value on one line. What JSON cannot hold (`undefined`, a function) is null. */
export function writeLine(value: unknown): string {
  const json: string | undefined = writeJson(value)
  if (json === undefined) return 'null'
  return beyondAscii.test(json) ? json.replace(disguising, escapeUnits) : json
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controls = /[\u0000-\u001f]/g

/** Writes a sentence of ours on one line: it can quote a name that holds anything. */
export const toOneLine = (text: string): string => text.replace(controls, escapeUnits).replace(disguising, escapeUnits)
