/** Shared by all versions of the token rules. */

/** Characters up to which a look at each takes less than a call of the runtime. */
const longestLooked = 100

/** Returns whether a string is plain ASCII, which SQL can split alone. */
export function isAscii(text: string): boolean {
  if (text.length > longestLooked) return Buffer.byteLength(text) === text.length
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false
  return true
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isSmallLetter = (code: number): boolean => code >= 0x61 && code <= 0x7a
const isCapital = (code: number): boolean => code >= 0x41 && code <= 0x5a

/**
 * Splits plain ASCII into words. SQL splits such strings the same way (`cs_words`), so all versions must.
 * @returns undefined when the text is not plain ASCII
 */
export function splitAscii(text: string): readonly string[] | undefined {
  const words: string[] = []
  let begin = -1
  let hasCapital = false
  for (let index = 0; index <= text.length; index += 1) {
    const code = index < text.length ? text.charCodeAt(index) : 0
    if (code > 0x7f) return undefined
    const isUpper = isCapital(code)
    if (isUpper || isSmallLetter(code) || isDigit(code)) {
      if (begin < 0) begin = index
      hasCapital ||= isUpper
    } else if (begin >= 0) {
      const word = text.slice(begin, index)
      words.push(hasCapital ? word.toLowerCase() : word)
      begin = -1
      hasCapital = false
    }
  }
  return words
}

/** Minimum length of a part of a word for a lookup in the term table, which uses trigrams. */
export const minSubstringLength = 3

/** Returns the allowed number of typing errors in a word, by its length in characters. */
export const findTolerance = (word: string): number => {
  const { length } = [...word]
  return length >= 8 ? 2 : length >= 4 ? 1 : 0
}
