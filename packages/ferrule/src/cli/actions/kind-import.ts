/** `kind new` with a document: reads it, has it imported, and writes the file. */
import { readFile, stat } from 'node:fs/promises'
import { createDeadline, defaultDeadlineMs } from '../../client/deadline.ts'
import { DocumentError, type DocumentSort, documentSorts, type ImportedText, type ImportOptions, importText } from '../../import/index.ts'
import { isLoopback } from '../../values/texts.ts'
import { type CommandContext, readText } from '../context.ts'
import { failUsage, readCause } from '../failure.ts'

/** Largest document, in bytes. */
const largest = 32 * 1024 * 1024
/** Most lines about what was left out; the JSON output has all. */
const mostLines = 20

/** A document that the user names. */
export interface Source {
  /** Option, without dashes. */
  readonly option: DocumentSort
  /** A file, or an address. */
  readonly source: string
}

/**
 * Finds the document among the options.
 * @returns undefined without one
 * @throws FerruleError `validation_failed` for several
 */
export function findSource(options: CommandContext['options']): Source | undefined {
  const [found, another] = documentSorts.flatMap((option) => {
    const source = readText(options, option)
    return source === undefined ? [] : [{ option, source }]
  })
  if (another !== undefined) throw failUsage(`--${found?.option} and --${another.option} exclude each other.`, 'Give one document.')
  return found
}

const failSource = (source: string, reason: string): Error =>
  failUsage(`${source} cannot be read: ${reason}.`, 'Name a file, or an https address that answers with the document itself.')

async function readBody(response: Response, source: string): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    // Leaving the loop closes the connection.
    if (length > largest) throw failSource(source, `it is larger than ${largest} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Reads an address. Redirects are not followed: they could lead to this machine. No credentials are sent. */
async function readAddress(source: string, { signal, deadlineMs }: Pick<CommandContext, 'signal' | 'deadlineMs'>): Promise<string> {
  const url = new URL(source)
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) throw failSource(source, 'its address is not https')
  const deadline = createDeadline(deadlineMs ?? defaultDeadlineMs, signal)
  try {
    const response = await fetch(url, { redirect: 'manual', signal: deadline.signal })
    const to = response.headers.get('location')
    if (to !== null) throw failSource(source, `it leads to ${to}`)
    if (!response.ok) throw failSource(source, `it answers with status ${response.status}`)
    return await readBody(response, source)
  } catch (thrown) {
    deadline.signal.throwIfAborted()
    throw thrown instanceof TypeError ? failSource(source, readCause(thrown)) : thrown
  } finally {
    deadline.release()
  }
}

async function readFromDisk(source: string): Promise<string> {
  try {
    const { size } = await stat(source)
    if (size > largest) throw new Error(`it is larger than ${largest} bytes`)
    return await readFile(source, 'utf8')
  } catch (thrown) {
    throw failSource(source, readCause(thrown))
  }
}

/**
 * Reads a document, and has it imported.
 * @throws FerruleError `validation_failed` for a document that cannot be read, or that is of another sort
 */
export async function importDocument(
  { option, source }: Source,
  options: ImportOptions,
  context: Pick<CommandContext, 'signal' | 'deadlineMs'>,
): Promise<ImportedText> {
  const text = /^https?:\/\//.test(source) ? await readAddress(source, context) : await readFromDisk(source)
  try {
    return await importText(text, { sort: option, ...options })
  } catch (thrown) {
    if (!(thrown instanceof DocumentError)) throw thrown
    throw failUsage(`${source} ${thrown.message}.`, `Give a document for --${option}.`)
  }
}

/** Says what was imported, and what was left out. */
export function noteImported({ unsure, leftOut }: ImportedText, file: string, note: CommandContext['note']): void {
  for (const { what, why } of leftOut.slice(0, mostLines)) note(`Left out: ${what}: ${why}`)
  if (leftOut.length > mostLines) note(`Left out: ${leftOut.length - mostLines} more. --format json has all of them.`)
  if (unsure > 0) note(`${unsure} parts of ${file} are unsure: ferrule kind check ${file} lists them.`)
}
