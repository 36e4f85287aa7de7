/** Parts of the token rules that SQL has too, and limits. */

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

/** Limits of a joined word: pieces, and characters without the joining ones. */
export const joinedLimits = { mostPieces: 6, mostCharacters: 40 } as const

/** Returns whether pieces give a joined word. */
export const isJoinable = (pieces: number, characters: number): boolean =>
  pieces > 1 && pieces <= joinedLimits.mostPieces && characters <= joinedLimits.mostCharacters

const isWordPart = (code: number): boolean => isSmallLetter(code) || isDigit(code) || isCapital(code)
const isJoiner = (code: number): boolean => code === 0x2d || code === 0x2e || code === 0x27 || code === 0x2f
const [plus, hash] = [0x2b, 0x23]

function readSign(text: string, at: number): string {
  const code = text.charCodeAt(at)
  if (code === hash) return '#'
  if (code !== plus) return ''
  return text.charCodeAt(at + 1) === plus ? '++' : '+'
}

/**
 * Splits plain ASCII of a record into words: the pieces, the joined words, then the words with a sign. SQL splits such strings the same way
 * (`cs_split`).
 * @returns undefined when the text is not plain ASCII
 */
export function splitAscii(text: string): readonly string[] | undefined {
  const words: string[] = []
  const joined: string[] = []
  const signed: string[] = []
  let begin = -1
  let hasCapital = false
  let hasDigit = false
  let chain = ''
  let pieces = 0
  for (let index = 0; index <= text.length; index += 1) {
    const code = index < text.length ? text.charCodeAt(index) : 0
    if (code > 0x7f) return undefined
    if (isWordPart(code)) {
      if (begin < 0) begin = index
      hasCapital ||= isCapital(code)
      hasDigit ||= isDigit(code)
    } else if (begin >= 0) {
      const slice = text.slice(begin, index)
      const word = hasCapital ? slice.toLowerCase() : slice
      words.push(word)
      const sign = hasDigit ? '' : readSign(text, index)
      if (sign !== '') signed.push(word + sign)
      const goesOn = isJoiner(code) && isWordPart(text.charCodeAt(index + 1))
      if (goesOn || pieces > 0) {
        chain += word
        pieces += 1
      }
      if (!goesOn && pieces > 0) {
        if (isJoinable(pieces, chain.length)) joined.push(chain)
        chain = ''
        pieces = 0
      }
      begin = -1
      hasCapital = false
      hasDigit = false
    }
  }
  return joined.length + signed.length === 0 ? words : [...words, ...joined, ...signed]
}

/** Minimum length of a part of a word for a lookup in the term table, which uses trigrams. */
export const minSubstringLength = 3

/** Returns the allowed number of typing errors in a word, by its length in characters. */
export const findTolerance = (word: string): number => {
  const { length } = [...word]
  return length >= 8 ? 2 : length >= 4 ? 1 : 0
}
