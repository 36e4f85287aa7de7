/** `kind`: files that describe kinds, what is printed of them, and their vendors on this machine. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createDeadline, defaultDeadlineMs } from '../../client/deadline.ts'
import type { ConnectorDefinition } from '../../definition/connector.ts'
import { dropAbsent } from '../../definition/object.ts'
import { fail } from '../../errors.ts'
import { DocumentError, type DocumentSort, documentSorts, type ImportedText, type ImportOptions, importText } from '../../import/index.ts'
import type { Mistake, ReadKind } from '../../kind-file/index.ts'
import { writeKindTemplate } from '../../values/kind-template.ts'
import { countNoun, isLoopback } from '../../values/texts.ts'
import { type CommandContext, readFlag, readNumber, readText, whenAborted } from '../context.ts'
import { failUsage, readCause } from '../failure.ts'
import { readBody } from '../read-body.ts'
import { nameVariable } from '../target/local.ts'
import { openRecordings } from './recordings.ts'

/** Largest document, in bytes. */
const largest = 32 * 1024 * 1024
/** Most lines about what was left out; the JSON output has all. */
const mostLines = 20

/** A document that the user names. */
interface Source {
  /** Option, without dashes. */
  readonly option: DocumentSort
  /** A file, or an address. */
  readonly source: string
}

/** Finds the document among the options. @returns undefined without one */
function findSource(options: CommandContext['options']): Source | undefined {
  const [found, another] = documentSorts.flatMap((option) => {
    const source = readText(options, option)
    return source === undefined ? [] : [{ option, source }]
  })
  if (another !== undefined) throw failUsage(`--${found?.option} and --${another.option} exclude each other.`, 'Give one document.')
  return found
}

const failSource = (source: string, reason: string): Error =>
  failUsage(`${source} cannot be read: ${reason}.`, 'Name a file, or an https address that answers with the document itself.')

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
    return (await readBody(response, largest, (reason) => failSource(source, reason))).toString()
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

async function importDocument(
  { option, source }: Source,
  options: ImportOptions,
  context: Pick<CommandContext, 'signal' | 'deadlineMs'>,
): Promise<ImportedText> {
  const text = /^https?:\/\//.test(source) ? await readAddress(source, context) : await readFromDisk(source)
  try {
    return await importText(text, { sort: option, ...options })
  } catch (thrown) {
    if (!(thrown instanceof DocumentError)) throw thrown
    throw failUsage(`${source} ${thrown.message}.`, `Correct the document, or give another one for --${option}.`)
  }
}

function noteImported({ unsure, leftOut }: ImportedText, file: string, note: CommandContext['note']): void {
  for (const { what, why } of leftOut.slice(0, mostLines)) note(`Left out: ${what}: ${why}`)
  if (leftOut.length > mostLines) note(`Left out: ${leftOut.length - mostLines} more. --format json has all of them.`)
  if (unsure > 0) note(`${unsure} parts of ${file} are unsure: ferrule kind check ${file} lists them.`)
}

const toRow = (is: 'mistake' | 'doubt' | 'unsure', { file, line, column, path, message, near, example }: Mistake) => ({
  file,
  line,
  column,
  is,
  path,
  message: near === undefined ? message : `${message}; did you mean ${near}?`,
  example: example ?? null,
})

/** Finds what the recordings beside a file show of it. Wrong recordings are for `kind test`. */
async function findRecordedDoubts({ file, definition, findPlace }: ReadKind & { readonly file: string }): Promise<readonly Mistake[]> {
  if (definition === undefined) return []
  const { findRecordingsPath, listRecordedDoubts, readRecordings } = await import('../../kind-recordings/index.ts')
  const path = findRecordingsPath(file)
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const given = text === undefined ? undefined : (await readRecordings(text, { name: basename(path) })).file
  return listRecordedDoubts({ definition, rules: {} }, { file: basename(file), findPlace }, given)
}

/** Prints the mistakes and doubts of kind files, and what is left unsure. @throws FerruleError `kind_invalid` if a file has a mistake */
export async function checkKinds({ args, output, note }: CommandContext): Promise<void> {
  const { readKind } = await import('../../kind-file/index.ts')
  const read = await Promise.all(
    args.map(async (file) => ({ file, ...(await readKind(await readFile(file, 'utf8'), { name: basename(file) })) })),
  )
  const mistakes = read.flatMap((each) => each.mistakes)
  const doubts = (await Promise.all(read.map(async (each) => [...each.doubts, ...(await findRecordedDoubts(each))]))).flat()
  const unsure = read.flatMap((each) => each.unsure)
  await output.rows([
    [
      ...mistakes.map((one) => toRow('mistake', one)),
      ...doubts.map((one) => toRow('doubt', one)),
      ...unsure.map((one) => toRow('unsure', one)),
    ],
  ])
  const found = countNoun(mistakes.length, 'mistake')
  if (mistakes.length > 0) throw fail('kind_invalid', { reason: `${found} in ${args.join(', ')}` })
  const left = unsure.length === 0 ? '' : `, ${unsure.length} unsure`
  note(`${args.join(', ')}: no mistakes, ${countNoun(doubts.length, 'doubt')}${left}.`)
}

async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((error: unknown) => {
    throw failUsage(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
      'Name a file that does not exist.',
    )
  })
}

async function writeImported(file: string, kind: string, source: Source, context: CommandContext): Promise<void> {
  const { options, output, note } = context
  const [title, api, only] = [readText(options, 'title'), readText(options, 'api'), readText(options, 'only')]
  const wanted = only?.split(',').map((name) => name.trim())
  const imported = await importDocument(source, dropAbsent({ kind, title, api, only: wanted }), context)
  const { text, entities, unsure, leftOut } = imported
  await writeNew(file, text)
  noteImported(imported, file, note)
  await output.value({ file, kind, entities, unsure, left_out: leftOut }, 'file,kind,entities,unsure')
}

/**
 * Writes a kind file for the author to change: one to begin with, or that of a document.
 * @throws FerruleError `validation_failed` for a name that is no slug, for a file that exists, for a document that cannot be read, and for an
 * address that no kind may have
 */
export async function createKind(context: CommandContext): Promise<void> {
  const { options, ask, output } = context
  const [file = ''] = context.args
  const kind = basename(file).replace(/(\.kind)?\.(ya?ml|json)$/, '')
  if (!/^[a-z][a-z0-9-]{1,39}$/.test(kind) || !/\.ya?ml$/.test(file))
    throw failUsage(
      `${file} is not the name of a kind file.`,
      'Write a slug of 2 to 40 small letters, digits and hyphens, and an ending, such as acme.kind.yaml.',
    )
  const source = findSource(options)
  if (source !== undefined) return writeImported(file, kind, source, context)
  const title = readText(options, 'title') ?? (await ask.text({ message: 'Name of the system', instead: '--title' }))
  const api = readText(options, 'api') ?? (await ask.text({ message: 'Address of its API', instead: '--api' }))
  const text = writeKindTemplate(kind, title, api)
  const { readKind } = await import('../../kind-file/index.ts')
  const [wrong] = (await readKind(text, { name: basename(file) })).mistakes.filter(({ path }) => path === 'api')
  if (wrong !== undefined) throw failUsage(`${wrong.message}.`, 'Give --api, such as https://api.example.com.')
  await writeNew(file, text)
  await output.value({ file, kind })
}

/**
 * Plays the vendor until a signal comes, or the time of `--timeout` is over.
 * @throws FerruleError `kind_invalid` with all mistakes; `validation_failed` without recordings; the listen error of Node
 */
export async function serveSandbox({ args: [path = ''], options, output, note, signal, deadlineMs }: CommandContext): Promise<void> {
  const [{ loadKind }, { findRecordingsPath, startStandIn }] = await Promise.all([
    import('../../kind-file/index.ts'),
    import('../../stand-in/index.ts'),
  ])
  const { definition } = await loadKind(path)
  const recordings = await openRecordings(findRecordingsPath(path))
  const { origin, close } = await startStandIn(definition, recordings, {
    port: readNumber(options, 'port') ?? 0,
    limits: readFlag(options, 'limits'),
  })
  await output.value({ kind: definition.kind, origin })
  note(`${nameVariable(definition.kind, 'origin')}=${origin} sends calls of this command here. Ctrl+C ends it.`)
  await (deadlineMs === undefined ? whenAborted(signal) : wait(deadlineMs, undefined, { signal }).catch(() => undefined))
  await close()
}

/** Reads a file. @returns the kind, and the command that prints it, without characters that could end a comment */
async function readNamed(file: string, what: 'types' | 'docs'): Promise<{ definition: ConnectorDefinition; by: string }> {
  const { parseKind } = await import('../../kind-file/index.ts')
  const name = basename(file)
  const { definition } = await parseKind<ConnectorDefinition>(await readFile(file, 'utf8'), { name })
  return { definition, by: `ferrule kind ${what} ${name.replaceAll(/[^\w.@-]+/g, '_')}` }
}

/** Prints TypeScript declarations of the kind of a file. @throws FerruleError `kind_invalid` with all mistakes */
export async function printKindTypes({ args: [file = ''], output }: CommandContext): Promise<void> {
  const { printTypes } = await import('../../document/print-types.ts')
  const { definition, by } = await readNamed(file, 'types')
  await output.bytes(Buffer.from(printTypes(definition, by)))
}

/** Prints the reference page of the kind of a file as Markdown. @throws FerruleError `kind_invalid` with all mistakes */
export async function printKindDocs({ args: [file = ''], output }: CommandContext): Promise<void> {
  const { printLonePage } = await import('../../document/kind-page.ts')
  const { definition, by } = await readNamed(file, 'docs')
  await output.bytes(Buffer.from(printLonePage({ definition, rules: {} }, by)))
}
