/** Writes an answer with rows, as lines or as a table: within the budget, with what is left and how to continue. */
import { countNoun } from '../../values/texts.ts'
import { isObject } from '../../definition/object.ts'
import { handleTokens } from '../handles.ts'
import { findFitting } from './bounds.ts'
import { writeLine } from './json.ts'
import { chooseLeftOut, type KnownFields, leaveOut, type Shortened, shorten } from './leave-out.ts'
import { closing, closingTokens, describeLost, goOn, joinLines, opening, writeFieldHints } from './sentences.ts'
import { estimateTokens } from './token-count.ts'

/** Where reading continues. */
export interface RowOffset {
  /** Number of the first row, from 0. */
  readonly at: number
  /** Character of that row's JSON, for a row that is read in pieces; undefined: rows are read whole. */
  readonly character?: number | undefined
}

/** Rows to answer. */
export interface RowsToWrite {
  /** What was called, for example `gong users.list of "Calls"`. */
  readonly subject: string
  readonly title: string
  readonly rows: readonly unknown[]
  /** True: the rows are one record. */
  readonly isSingle: boolean
  readonly facts: Readonly<Record<string, unknown>>
  readonly offset: RowOffset
  readonly maxTokens: number
  /** True: more follows behind the last row. */
  readonly hasNext: boolean
  /** True: the call that gave the rows can be sent again for fewer fields. */
  readonly canNarrow: boolean
  /** True: the caller named the fields, so that none is left out. */
  readonly isChosen: boolean
  /** What the definition names of the rows. */
  readonly known: KnownFields
  /** Makes the handle of an offset in these rows, or of what follows behind them; undefined: it cannot be read on from there. */
  readonly writeHandle: (offset: RowOffset | 'next') => Promise<string | undefined>
}

/** Maximum lengths of texts, tried one after the other until enough rows fit. */
const textLengths = [2_000, 500, 200, 80]
/** Maximum length of texts where fields are left out. */
const projectedLength = 200
const enoughRows = 10

/** Fits rows; shortens their texts when few would fit, and only as far as that helps. @param whole rows that fitted as they are */
function fitBest(rows: readonly unknown[], whole: Fitted, { layout, maxTokens }: Omit<Fit, 'mostCharacters'>): Fitted {
  let best = cutRows(whole, maxTokens)
  for (const mostCharacters of textLengths) {
    if (best.lines.length >= Math.min(rows.length, enoughRows)) break
    const fitted = fitRows(rows, { layout, maxTokens, mostCharacters })
    if (fitted.lines.length > best.lines.length) best = fitted
  }
  return best
}

/** Returns whether a record has nothing but the one text that does not fit. */
const isOneField = (row: unknown): boolean => !isObject(row) || Object.keys(row).length <= 1

/** Writes the facts that fit into an eighth of the budget. */
function writeFacts(facts: RowsToWrite['facts'], maxTokens: number): string {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(facts)) {
    if (estimateTokens(writeLine({ ...kept, [name]: value })) <= maxTokens / 8) kept[name] = value
  }
  return Object.keys(kept).length === 0 ? '' : `Beside the rows: ${writeLine(kept)}`
}

function describeRange({ subject, rows, offset, isSingle, hasNext }: RowsToWrite, shown: number): string {
  if (isSingle) return `${subject}: one record.`
  if (rows.length === 0) return hasNext ? `${subject}: no rows here, more follow.` : `${subject}: no rows.`
  const follows = hasNext ? '; more follow behind them' : ''
  if (offset.at >= rows.length) return `${subject}: no rows behind row ${rows.length}${follows}.`
  if (shown === rows.length) return `${subject}: ${countNoun(rows.length, 'row')}${follows}.`
  return `${subject}: rows ${offset.at + 1} to ${offset.at + shown} of ${rows.length}${follows}.`
}

/** Finds where reading continues behind a piece. */
function findBehind({ rows, offset, hasNext }: RowsToWrite, end: number, length: number): RowOffset | 'next' | undefined {
  if (end < length) return { at: offset.at, character: end }
  if (offset.at + 1 < rows.length) return { at: offset.at + 1 }
  return hasNext ? 'next' : undefined
}

function describePiece({ subject, rows, offset, isSingle }: RowsToWrite, [from, end, length]: readonly [number, number, number]): string {
  const which = isSingle ? 'the record' : `row ${offset.at + 1} of ${rows.length}`
  return `${subject}: characters ${from + 1} to ${end} of ${length} of the JSON of ${which}, which is too large for one answer.`
}

/**
 * Writes a piece of a row that does not fit as a whole. An ellipsis stands where it was cut, so that no line begins with words of a vendor.
 */
async function writePiece(wanted: RowsToWrite): Promise<string> {
  const { rows, offset, title, maxTokens, canNarrow } = wanted
  const json = writeLine(rows[offset.at])
  const from = Math.min(offset.character ?? 0, json.length)
  const { largest } = writeFieldHints({ shortened: new Map(), leftOut: [] }, canNarrow && from === 0 ? [rows[offset.at]] : [])
  const frame = [describePiece(wanted, [json.length, json.length, json.length]), opening(title), '……', closing, goOn(''), largest]
  const budget = maxTokens - frame.reduce((sum, text) => sum + estimateTokens(text) + 1, 0) - handleTokens
  const end = findFitting(json, from, budget)
  const following = findBehind(wanted, end, json.length)
  const handle = following === undefined ? undefined : await wanted.writeHandle(following)
  return joinLines([
    describePiece(wanted, [from, end, json.length]),
    opening(title),
    `${from > 0 ? '…' : ''}${json.slice(from, end)}${end < json.length ? '…' : ''}`,
    closing,
    handle === undefined ? (following === undefined ? '' : describeLost(false)) : goOn(handle),
    largest,
  ])
}

/** Estimates our own sentences around the rows, without handles. */
function estimateFrame(wanted: RowsToWrite, facts: string, columns: string): number {
  const { rows, title } = wanted
  const texts = [describeRange(wanted, Math.max(0, rows.length - 1)), facts, opening(title), columns, closing]
  return texts.reduce((sum, text) => sum + estimateTokens(text) + 1, 0) + closingTokens
}

/** Finds where reading continues behind the rows that fit. */
function findFollowing({ rows, offset, hasNext, isSingle }: RowsToWrite, fitted: Fitted): RowOffset | 'next' | undefined {
  const end = offset.at + fitted.lines.length
  if (end < rows.length) return { at: end }
  // A shortened record can be read in full, in pieces.
  if (isSingle && fitted.shortened.size > 0) return { at: offset.at, character: 0 }
  return hasNext ? 'next' : undefined
}

/** Says how a row is read in full: its number goes with the handle of any offset in the same rows. */
async function writeRowHint({ writeHandle, offset, isSingle }: RowsToWrite, following: RowOffset | 'next' | undefined, isCut: boolean) {
  if (isSingle || !isCut) return undefined
  if (following !== undefined && following !== 'next') return 'For one row in full, add its number: "row":1.'
  const handle = await writeHandle({ at: offset.at })
  return handle === undefined ? undefined : `For one row in full: read_more {"handle":"${handle}","row":1}`
}

/** Writes what stands behind the data. */
async function writeClosing(wanted: RowsToWrite, { fitted, leftOut }: Written, left: readonly unknown[]): Promise<string> {
  const { canNarrow } = wanted
  const following = findFollowing(wanted, fitted)
  const handle = following === undefined ? undefined : await wanted.writeHandle(following)
  const isCut = fitted.shortened.size > 0 || leftOut.length > 0
  const isLess = isCut || fitted.lines.length < left.length
  const hints = writeFieldHints({ shortened: fitted.shortened, leftOut }, isLess && canNarrow ? left : [])
  return joinLines([
    hints.leftOut,
    hints.shortened,
    handle === undefined ? undefined : goOn(handle),
    await writeRowHint(wanted, following, isCut),
    following !== undefined && handle === undefined ? describeLost(canNarrow) : undefined,
    hints.largest,
  ])
}

/** Estimates the handles of an answer: to an offset in the rows, and to what follows behind them. */
function estimateHandles({ hasNext }: RowsToWrite, isWhole: boolean): number {
  const one = estimateTokens(goOn('')) + handleTokens
  return (isWhole ? 0 : one) + (hasNext ? one : 0)
}

/** Rows in a form: the tokens around them, and those that are left for them. */
interface Form {
  readonly layout: Layout
  readonly columns: string
  /** Tokens for rows that all fit, and for rows that do not. */
  readonly whole: number
  readonly part: number
}

function buildForm(wanted: RowsToWrite, rows: readonly unknown[], facts: string): Form {
  const layout = chooseLayout(rows)
  const columns = writeColumns(layout)
  const left = wanted.maxTokens - estimateFrame(wanted, facts, columns)
  return { layout, columns, whole: left - estimateHandles(wanted, true), part: left - estimateHandles(wanted, false) }
}

interface Written {
  readonly columns: string
  readonly fitted: Fitted
  readonly leftOut: readonly string[]
}

/** Leaves fields of wide rows out, where more rows fit then. @param written the rows with all fields */
function leaveFieldsOut(wanted: RowsToWrite, left: readonly unknown[], { facts, written }: { facts: string; written: Written }): Written {
  const enough = Math.min(left.length, enoughRows)
  if (wanted.isSingle || wanted.isChosen || written.fitted.lines.length >= enough) return written
  const { part: room } = buildForm(wanted, [], facts)
  const paths = chooseLeftOut(left, { rowTokens: room / enough, mostCharacters: projectedLength, known: wanted.known })
  if (paths.length === 0) return written
  const rows = leaveOut(left, paths)
  const leftOut = paths.map((path) => path.join('.'))
  const { layout, columns, part: maxTokens } = buildForm(wanted, rows, facts)
  const whole = fitRows(rows, { layout, maxTokens, mostCharacters: Number.POSITIVE_INFINITY })
  const fitted = fitBest(rows, whole, { layout, maxTokens })
  return fitted.lines.length > written.fitted.lines.length ? { columns, fitted, leftOut } : written
}

/** Writes rows as an answer. @returns the text: its estimate is at most `maxTokens` */
export async function writeRows(wanted: RowsToWrite): Promise<string> {
  const { rows, offset, title, maxTokens, isSingle } = wanted
  if (offset.character !== undefined) return writePiece(wanted)
  const left = offset.at === 0 ? rows : rows.slice(offset.at)
  const facts = offset.at === 0 ? writeFacts(wanted.facts, maxTokens) : ''
  const { layout, columns, whole: largest, part } = buildForm(wanted, left, facts)
  const write = async (written: Written): Promise<string> => {
    const inner = [facts, written.columns, ...written.fitted.lines].filter((line) => line !== '')
    const data = inner.length === 0 ? [] : [opening(title), ...inner, closing]
    return joinLines([describeRange(wanted, written.fitted.lines.length), ...data, await writeClosing(wanted, written, left)])
  }
  const whole = fitRows(left, { layout, maxTokens: largest, mostCharacters: Number.POSITIVE_INFINITY })
  if (whole.lines.length === left.length) return write({ columns, fitted: whole, leftOut: [] })
  const every: Written = { columns, fitted: fitBest(left, whole, { layout, maxTokens: part }), leftOut: [] }
  const written = leaveFieldsOut(wanted, left, { facts, written: every })
  const { lines, shortened } = written.fitted
  const isStuck = lines.length === 0 || (isSingle && shortened.size > 0 && isOneField(rows[0]))
  return isStuck ? writePiece({ ...wanted, offset: { at: offset.at, character: 0 } }) : write(written)
}

const sampleRows = 10
/** Rows whose fields become columns. A row behind them with another field ends the table, and is read on as an object. */
const namedRows = 100
/** Maximum number of columns of a table. */
const mostColumns = 200

interface Layout {
  /** Names of the columns; undefined: each row is written as an object. */
  readonly columns: readonly string[] | undefined
  /** The same names. */
  readonly known: ReadonlySet<string>
}

const byObjects: Layout = { columns: undefined, known: new Set() }

type Row = Readonly<Record<string, unknown>>

function listNames(rows: readonly Row[]): readonly string[] {
  const names = new Set<string>()
  for (const row of rows) for (const name of Object.keys(row)) names.add(name)
  return [...names]
}

const writeCells = (row: Row, columns: readonly string[]): string =>
  writeLine(columns.map((name) => (Object.hasOwn(row, name) ? row[name] : null)))

/** Writes the header of a table; empty where rows are objects. */
const writeColumns = ({ columns }: Layout): string => (columns === undefined ? '' : `Columns: ${writeLine(columns)}`)

/** Chooses the form of rows by their first ones. */
function chooseLayout(rows: readonly unknown[]): Layout {
  const sample = rows.slice(0, sampleRows).filter(isObject)
  if (sample.length < 2 || sample.length < Math.min(rows.length, sampleRows)) return byObjects
  const first = listNames(sample)
  const header = writeLine(first).length
  const cells = sample.reduce((sum, row) => sum + writeCells(row, first).length, header)
  const names = sample.reduce((sum, row) => sum + Object.keys(row).reduce((own, name) => own + name.length + 3, 0), 0)
  if (cells * 3 > (cells - header + names) * 2) return byObjects
  const columns = listNames(rows.slice(0, namedRows).filter(isObject))
  return columns.length === 0 || columns.length > mostColumns ? byObjects : { columns, known: new Set(columns) }
}

/** Lines that fit, and what became of the rows. */
interface Fitted {
  readonly lines: readonly string[]
  /** Tokens of each line with its end. */
  readonly costs: readonly number[]
  readonly shortened: Shortened
}

/** Writes a row; undefined for one that the table has no columns for. */
function writeRow(row: unknown, { columns, known }: Layout): string | undefined {
  if (columns === undefined) return writeLine(row)
  return isObject(row) && Object.keys(row).every((name) => known.has(name)) ? writeCells(row, columns) : undefined
}

interface Fit {
  readonly layout: Layout
  readonly maxTokens: number
  /** Maximum number of characters of a text. */
  readonly mostCharacters: number
}

function fitRows(rows: readonly unknown[], { layout, maxTokens, mostCharacters }: Fit): Fitted {
  const lines: string[] = []
  const costs: number[] = []
  const shortened: Shortened = new Map()
  let tokens = 0
  for (const row of rows) {
    const own: Shortened = new Map()
    const line = writeRow(shorten(row, mostCharacters, own), layout)
    if (line === undefined) break
    const cost = estimateTokens(line) + 1
    if (tokens + cost > maxTokens) break
    tokens += cost
    costs.push(cost)
    lines.push(line)
    for (const [path, length] of own) shortened.set(path, Math.max(shortened.get(path) ?? 0, length))
  }
  return { lines, costs, shortened }
}

/** Returns the lines that fit into a smaller budget, of rows whose texts are whole. */
function cutRows({ lines, costs, shortened }: Fitted, maxTokens: number): Fitted {
  let left = maxTokens
  const tooMany = costs.findIndex((cost) => {
    left -= cost
    return left < 0
  })
  return tooMany < 0 ? { lines, costs, shortened } : { lines: lines.slice(0, tooMany), costs: costs.slice(0, tooMany), shortened }
}
