/** Finds the vendor's own text of the rows of an answer. Rows that nothing changes need not be written again. */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { isObject } from '../../definition/object.ts'
import { readInnerJson, readJson } from '../../values/json/json.ts'
import { getAt, type Path, setAt } from './paths.ts'
import { RawRows } from './raw-rows.ts'

/** A body with its rows parsed, and the text of the same rows. */
export interface BodyWithRowText {
  readonly body: unknown
  readonly text: RawRows
}

/** Most characters around the rows: they are parsed twice when the rows turn out to end elsewhere. */
const longestRest = 16_384
/** Characters of the rows that are searched for spaces between the tokens: a vendor writes them everywhere or nowhere. */
const sampled = 512

const [newline, opensObject] = [0x0a, 0x7b]

/** Stands for the rows while the JSON around them is parsed. Random, so that no vendor's string contains it. */
const mark = randomUUID()

/** Returns whether a body is JSON without spaces, as this service writes it. No string of JSON contains a line break. */
const isDense = (bytes: Buffer): boolean => bytes[0] === opensObject && !bytes.includes(newline) && isUtf8(bytes)

/**
 * Parses a body and finds the text of its rows. The rows and what is around them are parsed one by one: so both are JSON, and the text is
 * exactly that of the rows. Numbers and escapes keep the vendor's form, such as `1.0`.
 * @param bytes the same body, which the caller gives away
 * @param at where the rows are
 * @returns undefined for a body of another form, and for one that is no JSON
 */
export function readRowText({ text, bytes }: { readonly text: string; readonly bytes: Buffer }, at: Path): BodyWithRowText | undefined {
  const name = at.at(-1)
  if (typeof name !== 'string' || !isDense(bytes)) return undefined
  const label = `${JSON.stringify(name)}:[`
  const start = text.indexOf(label) + label.length - 1
  const end = text.lastIndexOf(']') + 1
  if (start < label.length || end <= start || start + text.length - end > longestRest) return undefined
  if (text.slice(start, start + sampled).includes('": ')) return undefined
  const [before, after] = [text.slice(0, start), text.slice(end)]
  try {
    const body = readJson(`${before}"${mark}"${after}`)
    if (!isObject(body) || getAt(body, at) !== mark) return undefined
    const rows = readInnerJson(text.slice(start, end), at.length)
    if (!Array.isArray(rows)) return undefined
    setAt(body, at, rows)
    const raw = bytes.subarray(Buffer.byteLength(before), bytes.length - Buffer.byteLength(after))
    return { body, text: new RawRows(raw, rows.length, bytes.byteLength < bytes.buffer.byteLength) }
  } catch {
    return undefined // whoever parses the whole body says what is wrong
  }
}
