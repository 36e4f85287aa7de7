/** Small readings of texts. Pure. */

/** The form of a UUID. */
export const uuid: RegExp = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Cuts newlines at the end of a secret: editors, `echo`, commands and mounted files add one. No secret ends with one. */
export const cutFinalNewline = (text: string): string => text.replace(/[\r\n]+$/, '')

/** Escapes a text, so that a regular expression takes it as it is. */
export const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Decodes a part of a URL; a part that is not encoded as it should be stays as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns whether a host is this machine only. @param host name or address; IPv6 with or without the brackets of an address */
export const isLoopback = (host: string): boolean => /^(localhost|::1|\[::1\]|127(\.\d+){3})$/.test(host)

/** Folds the name of a kind: ignores case, space, `_` and `-`. */
export const foldKindName = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '-')

/** Lists names with commas, and says that there are more. @param most how many are named */
export const listSome = (names: readonly string[], most: number): string =>
  names.slice(0, most).join(', ') + (names.length > most ? ' and more' : '')

/** Writes a number with a noun: `1 row`, `2 rows`. */
export const countNoun = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
