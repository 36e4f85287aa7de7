/** Names and sentences of kind files, made from those of a manifest. */
import { refusedNames } from '../../definition/object.ts'
import { toSentence } from '../../kind-file/build-fields.ts'

const longest = { name: 64, sentence: 300 }

/** Makes a name of small letters, digits and underscores, as entities have it. */
export const toEntityName = (text: string): string => {
  const name = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return (/^[a-z]/.test(name) && !refusedNames.has(name) ? name : `stream_${name}`).slice(0, 40)
}

/** Makes a name for a slot: letters, digits and underscores. */
export const toSlotName = (text: string): string => {
  const name = text.replace(/[^A-Za-z0-9_]+/g, '_')
  return (/^[A-Za-z_]/.test(name) && !refusedNames.has(name) ? name : `value_${name}`).slice(0, longest.name)
}

/** Returns whether a name of the vendor's can stand in a kind file as a field or a parameter. */
export const isName = (name: string): boolean =>
  /^[^\s{}"\\$+][^\s{}"\\]*$/.test(name) && name.length <= longest.name && !refusedNames.has(name)

/** Returns whether a request can carry a name. */
export const isWireName = (name: string): boolean => isName(name.trim().replace(/^\$/, ''))

/** Returns whether a name is one step of a path. */
export const isStep = (name: string): boolean => isName(name) && /^[^.[\]:!]+$/.test(name)

/** Makes one sentence that fits, without signs that a terminal or a model could take for more than text. */
export function toLine(text: unknown, otherwise: string): string {
  const line =
    typeof text === 'string'
      ? text
          .replace(/<[^<>]*>|[`*_]{2,}|\p{Cc}|\p{Cf}|\s/gu, ' ')
          .replace(/ {2,}/g, ' ')
          .trim()
      : ''
  const [sentence = ''] = /^.*?[.!?](?= |$)/.exec(line) ?? [line]
  const cut = (sentence.length > 20 ? sentence : line).replace(/\.$/, '')
  const short = cut.length > 160 ? `${cut.slice(0, 150).replace(/ \S*$/, '')}…` : cut
  return /[\p{L}\p{N}]/u.test(short) ? short : toSentence(otherwise)
}

/** Makes names that do not stand twice. */
export class UniqueNames {
  readonly #taken = new Set<string>()

  /** Returns the name, or the name with a number behind it. */
  take(name: string): string {
    let made = name
    for (let count = 2; this.#taken.has(made); count += 1) made = `${name}_${count}`
    this.#taken.add(made)
    return made
  }
}
