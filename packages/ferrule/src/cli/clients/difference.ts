/** Shows what changes in a file: a unified diff without context, because the neighbours of an entry can hold secrets. */

/** Largest number of pairs of lines that are compared. Beyond it everything between the first and the last change is shown. */
const mostPairs = 4_000_000

const splitLines = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/))

/** A part that differs: lines from a place in either text. */
interface Hunk {
  readonly before: { readonly from: number; readonly lines: readonly string[] }
  readonly after: { readonly from: number; readonly lines: readonly string[] }
}

/** Returns lengths of longest common subsequences of the ends of two lists. */
function measureCommon(one: readonly string[], other: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1))
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0
  for (let row = one.length - 1; row >= 0; row -= 1)
    for (let column = other.length - 1; column >= 0; column -= 1)
      lengths[row]?.fill(
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1)),
        column,
        column + 1,
      )
  return lengths
}

/** Finds the parts between lines that both lists have. */
function findHunks(one: readonly string[], other: readonly string[], offset: number): readonly Hunk[] {
  const isLarge = one.length * other.length > mostPairs
  const lengths = isLarge ? [] : measureCommon(one, other)
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0
  const hunks: Hunk[] = []
  let [row, column, fromRow, fromColumn] = [0, 0, 0, 0]
  const close = (): void => {
    if (fromRow < row || fromColumn < column)
      hunks.push({
        before: { from: offset + fromRow, lines: one.slice(fromRow, row) },
        after: { from: offset + fromColumn, lines: other.slice(fromColumn, column) },
      })
  }
  while (row < one.length || column < other.length) {
    if (!isLarge && row < one.length && one[row] === other[column]) {
      close()
      row += 1
      column += 1
      fromRow = row
      fromColumn = column
    } else if (column >= other.length || (row < one.length && at(row + 1, column) >= at(row, column + 1))) row += 1
    else column += 1
  }
  close()
  return hunks
}

/** Names lines of a text: a part without lines is named by the line before it. */
const formatRange = ({ from, lines }: Hunk['before']): string =>
  lines.length === 1 ? `${from + 1}` : `${lines.length === 0 ? from : from + 1},${lines.length}`

/** Keeps control characters of a file from the terminal. */
const clean = (line: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
  line.replace(/\r?\n$/, '').replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '?')

const formatLines = (sign: string, lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => [`${sign}${clean(line)}`, ...(line.endsWith('\n') ? [] : ['\\ No newline at end of file'])])

/**
 * Formats the difference of two texts.
 * @param path of the file, for the head
 */
export function formatDifference(path: string, before: string, after: string): string {
  const [one, other] = [splitLines(before), splitLines(after)]
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start += 1
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  const hunks = findHunks(one.slice(start, one.length - end), other.slice(start, other.length - end), start)
  return [
    `--- ${before === '' ? '/dev/null' : path}`,
    `+++ ${path}`,
    ...hunks.flatMap((hunk) => [
      `@@ -${formatRange(hunk.before)} +${formatRange(hunk.after)} @@`,
      ...formatLines('-', hunk.before.lines),
      ...formatLines('+', hunk.after.lines),
    ]),
  ].join('\n')
}
