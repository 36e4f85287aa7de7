/** Finds similar names for hints. */

/** Maximum number of suggested names. */
const most = 5
/** Longest name for the edit distance, in UTF-16 code units. */
const longest = 64

/** Counts the edits between two strings: insertions, deletions, substitutions, and swaps of neighbours (optimal string alignment). */
export function countEdits(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const options = [(last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + cost]
      next.push(Math.min(...options, isSwap ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY))
    }
    before = last
    last = next
  }
  return last.at(-1) ?? 0
}

/** Returns the distance of two names: edits, or 0.5 where one contains the other; undefined for dissimilar names. */
function measureDistance(wanted: string, name: string): number | undefined {
  if (wanted === name) return 0
  if (Math.min(wanted.length, name.length) >= 3 && (wanted.includes(name) || name.includes(wanted))) return 0.5
  if (Math.max(wanted.length, name.length) > longest) return undefined
  const edits = countEdits(wanted, name)
  return edits <= Math.max(1, Math.floor(wanted.length / 3)) ? edits : undefined
}

/** Returns similar names, nearest first, ignoring case. */
export function findNearNames(wanted: string, names: readonly string[]): readonly string[] {
  const folded = wanted.toLowerCase()
  const near = names.flatMap((name) => {
    const distance = measureDistance(folded, name.toLowerCase())
    return distance === undefined ? [] : [{ name, distance }]
  })
  return near
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, most)
    .map(({ name }) => name)
}
