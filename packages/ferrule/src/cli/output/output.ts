/** Writes results to standard output in the wanted format. Rows are written as they arrive: a walk is never held in memory. */

import { isObject } from '../../definition/object.ts'
import { type FormulaMode, formatCsvText, isFormula } from '../../values/csv.ts'
import { formatJson, writeJson } from '../../values/json/json.ts'
import { buildProjection, type FieldPath, parseFields, readPath } from '../../values/projection.ts'
import { listSome } from '../../values/texts.ts'
import type { Jq } from './jq.ts'
import { formatCell, type Layout, listColumns } from './table.ts'
import { showControls, showInLine } from './terminal.ts'

/** Writes text to standard output in large pieces, at the speed of its reader. */

/** Characters that are collected before they are written. */
const pieceLength = 64 * 1024

/** Standard output. A reader that closes its end stops the command quietly. */
export class Sink {
  readonly #stream: NodeJS.WritableStream
  #pending: string[] = []
  #length = 0
  #isClosed = false

  /** @param stream where the text goes @param onClosed called when the reader closes its end, for example `head` */
  constructor(stream: NodeJS.WritableStream, onClosed: () => void) {
    this.#stream = stream
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') onClosed() // the process fails with any other error
    })
  }

  /** True: a write has failed, so what was given since was not written. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  async write(text: string): Promise<void> {
    this.#pending.push(text)
    this.#length += text.length
    if (this.#length >= pieceLength) await this.flush()
  }

  /** Writes what is collected, and waits while the reader is slow. */
  async flush(): Promise<void> {
    const text = this.#pending.join('')
    this.#pending = []
    this.#length = 0
    if (text !== '') await this.writeBytes(text)
  }

  /** Writes bytes or text, and waits until the reader's end has taken them, or is closed. */
  async writeBytes(bytes: Uint8Array | string): Promise<void> {
    if (this.#isClosed) return
    const taken = Promise.withResolvers<Error | null | undefined>()
    this.#stream.write(bytes, taken.resolve)
    this.#isClosed = Boolean(await taken.promise)
  }
}

/** Maximum number of names in the remark. */
const longestList = 40

/** Returns whether a value has a path; an array does when one of its elements does, and an empty one may. */
function hasPath(value: unknown, segments: readonly string[]): boolean {
  const [first, ...rest] = segments
  if (first === undefined) return true
  if (Array.isArray(value)) return value.length === 0 || value.some((element) => hasPath(element, segments))
  return isObject(value) && Object.hasOwn(value, first) && hasPath(value[first], rest)
}

class UnseenFields {
  #left: readonly FieldPath[]
  readonly #names = new Set<string>()

  constructor(fields: readonly FieldPath[] | undefined) {
    this.#left = fields ?? []
  }

  /** Looks at records. It costs nothing once every field was seen. */
  see(records: readonly unknown[]): void {
    if (this.#left.length === 0) return
    this.#left = this.#left.filter(({ segments }) => !records.some((record) => hasPath(record, segments)))
    for (const record of records) if (isObject(record)) for (const name of Object.keys(record)) this.#names.add(name)
  }

  /** Describes the fields that no record had; undefined without such fields, and without records. */
  describe(): string | undefined {
    if (this.#left.length === 0 || this.#names.size === 0) return undefined
    const listed = listSome([...this.#names], longestList)
    return `No record here has ${this.#left.map(({ name }) => name).join(', ')}. Fields: ${listed}.`
  }
}

const formatCsvHead = (columns: readonly FieldPath[], mode: FormulaMode): string =>
  `${columns.map(({ name }) => formatCsvText(name, mode)).join()}\r\n`

/** Formats a value. Numbers are never formulas. */
function formatCsvCell(value: unknown, mode: FormulaMode): string {
  if (value === undefined || value === null) return ''
  return formatCsvText(formatCell(value), typeof value === 'string' ? mode : 'keep')
}

const formatCsvLine = (record: unknown, columns: readonly FieldPath[], mode: FormulaMode): string =>
  `${columns.map(({ segments }) => formatCsvCell(readPath(record, segments), mode)).join()}\r\n`

const hasFormula = (record: unknown, columns: readonly FieldPath[]): boolean =>
  columns.some(({ segments }) => {
    const value = readPath(record, segments)
    return typeof value === 'string' && isFormula(value)
  })

/** Formats of the output. */
export const formatNames = ['table', 'json', 'ndjson', 'csv'] as const
/** Format of the output. */
export type FormatName = (typeof formatNames)[number]

/** What the output depends on. */
export interface OutputOptions {
  readonly format: FormatName
  readonly fields: readonly FieldPath[] | undefined
  /** What CSV does with text that a spreadsheet would run. */
  readonly formulas: FormulaMode
  readonly jq: string | undefined
  /** Cells of a line of the terminal. */
  readonly width: number
  readonly stream: NodeJS.WritableStream
  /** True: the output goes to a terminal. */
  readonly isTerminal: boolean
  /** Receives remarks, which go to standard error. */
  readonly note: (text: string) => void
}

/** Batches of rows, such as the pages of a list. */
export type Batches = AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>

interface Writer {
  batch(rows: readonly unknown[]): Promise<string> | string
  end(): string
}

const jsonWriter = (): Writer => {
  let isFirst = true
  const separate = (): string => {
    const text = isFirst ? '[\n' : ',\n'
    isFirst = false
    return text
  }
  return {
    batch: (rows) => rows.map((row) => separate() + writeJson(row)).join(''),
    end: () => (isFirst ? '[]\n' : '\n]\n'),
  }
}

const lineWriter = (): Writer => ({ batch: (rows) => rows.map((row) => `${writeJson(row)}\n`).join(''), end: () => '' })

/** Returns a function that remarks once on columns that a later record has and the head lacks. */
function watchColumns(columns: readonly FieldPath[], note: (text: string) => void): (rows: readonly unknown[]) => void {
  const known = new Set(columns.map(({ name }) => name))
  let isNoted = false
  return (rows) => {
    if (isNoted) return
    const late = listColumns(rows, undefined).filter(({ name }) => !known.has(name))
    if (late.length === 0) return
    isNoted = true
    note(`Later records have more columns (${late.map(({ name }) => name).join(', ')}): name the columns with --fields.`)
  }
}

/** Returns a function that remarks once on text that was marked. */
function watchFormulas({ formulas, note }: OutputOptions): (rows: readonly unknown[], columns: readonly FieldPath[]) => void {
  let isNoted = formulas === 'keep'
  return (rows, columns) => {
    if (isNoted || !rows.some((row) => hasFormula(row, columns))) return
    isNoted = true
    note(formulaNote)
  }
}

/** Says what was done to text in CSV. */
export const formulaNote =
  "Text that begins with =, +, - or @ has ' before it, so that no spreadsheet runs it: --formulas keep leaves it as it is."

function csvWriter(options: OutputOptions): Writer {
  const { fields, note, formulas } = options
  const watchMarks = watchFormulas(options)
  let columns: readonly FieldPath[] | undefined
  let watch: (rows: readonly unknown[]) => void = () => undefined
  return {
    batch: (rows) => {
      const isFirst = columns === undefined
      columns ??= listColumns(rows, fields)
      const chosen = columns
      if (isFirst) watch = fields === undefined ? watchColumns(chosen, note) : watch
      else watch(rows)
      watchMarks(rows, chosen)
      return (isFirst ? formatCsvHead(chosen, formulas) : '') + rows.map((row) => formatCsvLine(row, chosen, formulas)).join('')
    },
    end: () => '',
  }
}

function tableWriter({ fields, width, stream, note }: OutputOptions, preferred: readonly FieldPath[] | undefined): Writer {
  let layout: Layout | undefined
  const begin = async (rows: readonly unknown[]): Promise<Layout> => {
    const { layOut } = await import('./table.ts')
    const made = layOut(rows, fields ?? preferred ?? listColumns(rows, undefined), width)
    if (made.left.length > 0) note(`The terminal is too narrow for ${made.left.length} more columns: choose columns with --fields.`)
    return made
  }
  return {
    batch: async (rows) => {
      const { formatHead, formatLine } = await import('./table.ts')
      const isFirst = layout === undefined
      layout ??= await begin(rows)
      const chosen = layout
      return (isFirst ? formatHead(chosen, stream) : '') + rows.map((row) => formatLine(chosen, row)).join('')
    },
    end: () => '',
  }
}

/** The output of one command. */
export class Output {
  readonly options: OutputOptions
  readonly sink: Sink
  readonly #project: (value: unknown) => unknown
  readonly #unseen: UnseenFields
  readonly #decoder = new TextDecoder()
  #jq: Promise<Jq> | undefined

  constructor(options: OutputOptions, sink: Sink) {
    this.options = options
    this.sink = sink
    this.#project = buildProjection(options.fields)
    this.#unseen = new UnseenFields(options.fields)
  }

  /** Writes one value. @param columns names of the members that a table shows; left out: all */
  async value(value: unknown, columns?: string): Promise<void> {
    this.#unseen.see([value])
    await this.#write(await this.#formatValue(value, this.#project(value), columns === undefined ? undefined : parseFields(columns)))
    await this.sink.flush()
    this.noteUnseen()
  }

  /** Writes an answer with one record. JSON has the whole answer, with the fields of `data` chosen; other formats have the record. */
  async answer(answer: Readonly<Record<string, unknown>>): Promise<void> {
    const { format } = this.options
    const { data } = answer
    if (format !== 'json' && format !== 'ndjson') return this.value(data)
    this.#unseen.see([data])
    await this.#write(await this.#formatValue(answer, { ...answer, data: this.#project(data) }, undefined))
    await this.sink.flush()
    this.noteUnseen()
  }

  /** Remarks on chosen fields that nothing written so far has. */
  noteUnseen(): void {
    const remark = this.#unseen.describe()
    if (remark !== undefined) this.options.note(remark)
  }

  /**
   * Writes one page of a list. JSON has the whole answer, with its fields chosen; other formats have the rows.
   * @param answer the answer; `data` holds its rows
   * @param columns as `list`
   */
  async page(answer: Readonly<Record<string, unknown>>, rows: readonly unknown[], columns?: string): Promise<void> {
    if (this.options.format !== 'json' && this.options.jq === undefined) return this.list([rows], columns)
    const { fields, jq } = this.options
    this.#unseen.see(rows)
    const kept = fields === undefined ? answer : { ...answer, data: rows.map(this.#project) }
    await this.#write(jq === undefined ? `${formatJson(kept)}\n` : (await this.#loadJq(jq))([writeJson(kept)]))
    await this.sink.flush()
    this.noteUnseen()
  }

  /**
   * Writes the rows of a list. Jq gets them as one array, unless the format is ndjson.
   * @param columns names of the columns of a table; left out: all members of the first batch
   */
  async list(batches: Batches, columns?: string): Promise<void> {
    const { jq, format } = this.options
    if (jq === undefined || format === 'ndjson') {
      await this.rows(batches, columns)
      return this.noteUnseen()
    }
    const all: unknown[] = []
    for await (const rows of batches) {
      this.#unseen.see(rows)
      all.push(...rows.map(this.#project))
    }
    await this.#write((await this.#loadJq(jq))([writeJson(all)]))
    await this.sink.flush()
    this.noteUnseen()
  }

  /**
   * Writes sentences, which the columns of a table would cut. Other formats, and chosen fields, show the rows.
   * @param describe formats a row as lines; a terminal wraps them
   * @returns whether the sentences were written
   */
  async report<Row>(rows: readonly Row[], describe: (row: Row) => readonly string[]): Promise<boolean> {
    const { format, fields, jq } = this.options
    if (format !== 'table' || fields !== undefined || jq !== undefined) {
      await this.list([rows])
      return false
    }
    await this.sink.write(rows.flatMap(describe).reduce((text, line) => `${text}${showInLine(line)}\n`, ''))
    await this.sink.flush()
    return true
  }

  /**
   * Writes rows as they arrive, and gives each to jq. What is written is whole when the rows end early: a JSON array is closed.
   * @param columns names of the columns of a table; left out: all members of the first batch
   * @returns number of rows
   */
  async rows(batches: Batches, columns?: string): Promise<number> {
    const writer = await this.#openWriter(columns === undefined ? undefined : parseFields(columns))
    let count = 0
    let isWhole = false
    try {
      for await (const rows of batches) {
        if (rows.length === 0) continue
        this.#unseen.see(rows)
        await this.#write(await writer.batch(rows))
        count += rows.length
        await this.sink.flush()
      }
      isWhole = true
    } finally {
      if (isWhole || count > 0) await this.sink.write(writer.end())
      await this.sink.flush()
    }
    if (count === 0 && this.options.format === 'table') this.options.note('Nothing found.')
    return count
  }

  /** Writes the bytes of a file; a terminal is shown what it must not be sent. */
  async bytes(bytes: Uint8Array): Promise<void> {
    if (!this.options.isTerminal) return this.sink.writeBytes(bytes)
    await this.sink.writeBytes(showControls(this.#decoder.decode(bytes, { stream: true })))
  }

  /** Writes text. A table has styles of its own, and its cells are shown safely already. */
  async #write(text: string): Promise<void> {
    const { format, isTerminal, jq } = this.options
    await this.sink.write(isTerminal && (format !== 'table' || jq !== undefined) ? showControls(text) : text)
  }

  /** Formats a value. @param kept the value with its chosen fields */
  async #formatValue(value: unknown, kept: unknown, preferred: readonly FieldPath[] | undefined): Promise<string> {
    const { format, fields, formulas, jq, width } = this.options
    if (jq !== undefined) return (await this.#loadJq(jq))([writeJson(kept)])
    if (format === 'json') return `${formatJson(kept)}\n`
    if (format === 'ndjson') return `${writeJson(kept)}\n`
    const columns = fields ?? listColumns([kept], undefined)
    if (format === 'csv') {
      watchFormulas(this.options)([value], columns)
      return formatCsvHead(columns, formulas) + formatCsvLine(value, columns, formulas)
    }
    if (!isObject(kept)) return `${showInLine(formatCell(kept))}\n`
    const { formatRecord } = await import('./table.ts')
    return formatRecord(value, fields ?? preferred ?? columns, width)
  }

  async #openWriter(preferred: readonly FieldPath[] | undefined): Promise<Writer> {
    const { format, jq } = this.options
    if (jq !== undefined) {
      const run = await this.#loadJq(jq)
      return { batch: (rows) => run(rows.map((row) => writeJson(this.#project(row)))), end: () => '' }
    }
    if (format === 'csv') return csvWriter(this.options)
    if (format === 'table') return tableWriter(this.options, preferred)
    const { batch, end } = format === 'json' ? jsonWriter() : lineWriter()
    return { batch: (rows) => batch(rows.map(this.#project)), end }
  }

  async #loadJq(program: string): Promise<Jq> {
    const isCompact = this.options.format !== 'table' && this.options.format !== 'json'
    this.#jq ??= import('./jq.ts').then(({ loadJq }) => loadJq(program, isCompact))
    return this.#jq
  }
}
