/** What all versions of the token rules share. */

/** Whether SQL can split a text alone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes them
export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

/** The words of plain ASCII. SQL splits such texts alike (`cs_words`), so all versions must. */
export const wordsOfAscii = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/** Shortest part of a word that is looked up among the listed ones: trigrams. */
export const shortestPart = 3

/** Typing errors that are allowed in a word, by its characters. */
export const toleranceOf = (word: string): number => {
  const { length } = [...word]
  return length >= 8 ? 2 : length >= 4 ? 1 : 0
}
