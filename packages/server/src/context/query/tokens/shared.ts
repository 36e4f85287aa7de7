/** Shared by all versions of the token rules. */

/** Returns whether a string is plain ASCII, which SQL can split alone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes them
export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

/** Splits plain ASCII into words. SQL splits such strings the same way (`cs_words`), so all versions must. */
export const splitAscii = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? []

/** Minimum length of a part of a word for a lookup in the term table, which uses trigrams. */
export const minSubstringLength = 3

/** Returns the allowed number of typing errors in a word, by its length in characters. */
export const findTolerance = (word: string): number => {
  const { length } = [...word]
  return length >= 8 ? 2 : length >= 4 ? 1 : 0
}
