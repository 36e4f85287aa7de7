/** Reads and replaces the file of a client. Links are refused: a folder that others wrote could lead anywhere. */
import { lstat, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { failSetting, readErrorCode } from '../failure.ts'
import { replaceFile } from '../replace-file.ts'
import type { Placement } from './clients.ts'
import { BrokenText, insertInJson } from './json-text.ts'
import { findPath, type Location, listPaths, type Machine } from './locations.ts'

/** Largest number of pairs of lines that are compared. Beyond it everything between the first and the last change is shown. */
const mostPairs = 4_000_000

const splitLines = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/))

/** A part that differs: lines from a line of either text. */
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

/** Maximum size of a file, in bytes: Claude Code keeps its history in the same file. */
const largestFile = 64 * 1024 * 1024

/** A file as it is. */
interface Content {
  readonly bytes: Buffer
  /** Undefined: there is no file. */
  readonly mode: number | undefined
}

/** A change of a file that is not made yet. */
export interface Change {
  readonly path: string
  /** Paths of the file's folders below its base, and its own. */
  readonly paths: readonly string[]
  readonly before: Content
  readonly after: string
  /** Unified diff of the lines that change, without their neighbours. */
  readonly difference: string
}

const byHand = 'Change the file by hand: with --print the command prints the entry only.'

/** Reads what is at a path without following a link; undefined: nothing. */
async function look(path: string) {
  try {
    return await lstat(path)
  } catch (thrown) {
    const code = readErrorCode(thrown)
    if (code === 'ENOENT') return undefined
    throw failSetting(`${path} cannot be read (${code ?? String(thrown)}).`, 'Correct its permissions, and run the command again.')
  }
}

/** Refuses links, and what is no file. */
async function readContent(paths: readonly string[]): Promise<Content> {
  for (const [index, path] of paths.entries()) {
    const found = await look(path)
    if (found === undefined) return { bytes: Buffer.alloc(0), mode: undefined }
    if (found.isSymbolicLink()) throw failSetting(`${path} is a link, and links are not followed.`, byHand)
    if (index < paths.length - 1) continue
    if (!found.isFile()) throw failSetting(`${path} is no file.`, byHand)
    if (found.size > largestFile) throw failSetting(`${path} has more than ${largestFile} bytes.`, byHand)
    return { bytes: await readFile(path), mode: found.mode & 0o777 }
  }
  throw new RangeError('A location has a name.')
}

const byteOrderMark = '\uFEFF'

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw failSetting(`The file ${path} is no text of UTF-8.`, byHand)
  }
}

/** Changes a text, and names the file when it is broken. */
function change(text: string, placements: readonly Placement[], path: string): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  try {
    return mark + insertInJson(text.slice(mark.length), placements)
  } catch (thrown) {
    if (!(thrown instanceof BrokenText)) throw thrown
    throw failSetting(
      `The file ${path} cannot be changed: ${thrown.message}.`,
      'Correct it there, and run the command again. Nothing was written.',
    )
  }
}

/**
 * Prepares the change of a file.
 * @returns undefined when the file already is as it should be
 * @throws FerruleError `setting_invalid` for a link, a broken file, or one that cannot be read
 */
export async function prepareChange(machine: Machine, location: Location, placements: readonly Placement[]): Promise<Change | undefined> {
  const paths = listPaths(machine, location)
  const path = findPath(machine, location)
  const before = await readContent(paths)
  const text = decode(before.bytes, path)
  const after = change(text, placements, path)
  return after === text ? undefined : { path, paths, before, after, difference: formatDifference(path, text, after) }
}

/** Mode of a new file: the file of a user can get secrets of other servers, that of a project is shared. */
const modes = { user: 0o600, project: 0o644 } as const

/**
 * Makes a change. The old content stays beside the file.
 * @returns path of the backup; undefined: there was no file
 * @throws FerruleError `setting_invalid` when the file changed since, or cannot be written
 */
export async function makeChange({ path, paths, before, after }: Change, scope: keyof typeof modes): Promise<string | undefined> {
  const now = await readContent(paths)
  if (now.mode !== before.mode || !now.bytes.equals(before.bytes))
    throw failSetting(`The file ${path} was changed by another program meanwhile.`, 'Run the command again. Nothing was written.')
  const backup = `${path}.ferrule-backup`
  try {
    await mkdir(dirname(path), { recursive: true })
    if (before.mode !== undefined) await replaceFile(backup, before.bytes, before.mode)
    await replaceFile(path, after, before.mode ?? modes[scope])
  } catch (thrown) {
    throw failSetting(
      `The file ${path} cannot be written (${readErrorCode(thrown) ?? String(thrown)}).`,
      'Correct the permissions of its folder, and run the command again.',
    )
  }
  return before.mode === undefined ? undefined : backup
}
