/** Signs that texts of strangers may not hold: people and agents would read something else than what stands there. */
import { isObject } from '../../definition/object.ts'
import type { Findings } from '../check-tree.ts'
import { listWithin } from './visit.ts'

/** Control characters but tabs and ends of lines, marks of direction, signs without a width, tags, and halves of signs. */
const hidden =
  /[^\P{Cc}\t\n\r]|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Cs}/u

const message = 'holds a sign that is not seen, or that turns the direction of the text: leave it out'

/** Notes hidden signs in names and texts. */
export function checkTexts(file: unknown, found: Findings): void {
  for (const { steps, value } of listWithin(file)) {
    if (typeof value === 'string' && hidden.test(value)) found.note(steps, { message })
    if (!isObject(value)) continue
    for (const name of Object.keys(value)) if (hidden.test(name)) found.note([...steps, name], { message }, 'key')
  }
}

/** Longest message and path of a mistake, in characters: they quote the file. */
const longest = 500

/** Makes a quotation of the file fit to be shown. */
export const showSafely = (text: string): string => {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text
  return shown.replaceAll(new RegExp(hidden, 'gu'), '\ufffd')
}
