/** `kind test`: kinds against their recordings. `kind try`: a call that can become a recording. */

import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Kind } from '../../definition/connector.ts'
import type { KindDocument } from '../../document/kind-document.ts'
import type { Connection } from '../../engine/connection.ts'
import type { ConnectOptions } from '../../engine/local.ts'
import { fail } from '../../errors.ts'
import type { BuiltRecording, MadeCall, PastedVendor, Recordings, TestReport } from '../../kind-recordings/index.ts'
import { countNoun } from '../../values/texts.ts'
import { type CommandContext, readFlag, readNumber, readText } from '../context.ts'
import { failUsage, readErrorCode } from '../failure.ts'
import { readParams } from '../params.ts'
import { findFolder } from '../profiles.ts'
import { readPresent, replaceFile } from '../replace-file.ts'
import { findAction } from '../target/kinds.ts'
import { readLocalOptions } from '../target/local.ts'

/** Reads the recordings of a kind. @throws FerruleError `validation_failed` without a file; `kind_invalid` with its mistakes */
export async function openRecordings(path: string): Promise<Recordings> {
  const { loadRecordings } = await import('../../kind-recordings/index.ts')
  return loadRecordings(path).catch((thrown: unknown) => {
    if (readErrorCode(thrown) !== 'ENOENT') throw thrown
    throw failUsage(
      `There is no file ${path}.`,
      'Write recordings by hand, as docs/writing-kinds.md says, or run ferrule kind try with --record.',
    )
  })
}

function describeReport({ calls, requests, live }: TestReport, failures: number, notes: number): string {
  return [
    `${countNoun(calls, 'call')} with ${countNoun(requests, 'request')}, ${live} of them live: ${countNoun(failures, 'failure')}, ${countNoun(notes, 'note')}.`,
    'Equal requests count as regression only: the kind does what it did, and nobody asked the vendor.',
  ].join('\n')
}

/** Prints what is wrong with a kind or its recordings. @throws FerruleError `kind_invalid` if there are failures */
export async function testRecordings({ args: [path = ''], output, note }: CommandContext): Promise<void> {
  const [{ readKind }, { failMistakes }] = await Promise.all([import('../../kind-file/index.ts'), import('../../kind-file/mistakes.ts')])
  const { findRecordingsPath, testKind } = await import('../../kind-recordings/index.ts')
  const { definition, mistakes, findPlace } = await readKind(await readFile(path, 'utf8'), { name: basename(path) })
  if (definition === undefined) throw failMistakes(mistakes)
  const beside = findRecordingsPath(path)
  const files = { kind: basename(path), recordings: basename(beside), findPlace }
  const report = await testKind({ definition, rules: {} }, await openRecordings(beside), files)
  const failures = report.findings.filter(({ is }) => is === 'failure').length
  await output.rows([report.findings.map(({ file, line, column, is, call, message }) => ({ file, line, column, is, call, message }))])
  note(describeReport(report, failures, report.findings.length - failures))
  if (failures > 0) throw fail('kind_invalid', { reason: `${countNoun(failures, 'failure')} in ${path}` })
}

type Credentials = readonly (readonly [name: string, value: string])[]

interface Tried {
  readonly entity: string
  readonly action: string
  readonly params: Readonly<Record<string, unknown>>
}

interface RecordingConnection {
  readonly connection: Connection
  /** A file that answers; undefined: the vendor. */
  readonly from?: PastedVendor
  /** All values of credentials until now: renewals add some. */
  readonly listSecrets: () => Credentials
}

async function openVendor(kind: Kind, document: KindDocument, env: CommandContext['env']): Promise<RecordingConnection> {
  const { openConnection } = await import('../../engine/local.ts')
  const options = readLocalOptions(document, env)
  const listTexts = (values: object): Credentials => Object.entries(values).map(([name, value]) => [name, String(value)] as const)
  const secrets = [...listTexts(options.credentials)]
  const onCredentials = (next: object): void => void secrets.push(...listTexts(next))
  // The engine checks the values against the definition: no compiler knows a file.
  const connection = openConnection(kind, { ...options, onCredentials } as ConnectOptions<Kind['definition']>)
  return { connection, listSecrets: () => secrets }
}

/** Takes answers from a file: nothing is sent. */
async function openPasted(kind: Kind, path: string, { entity, action, params }: Tried): Promise<RecordingConnection> {
  const { catchRequest, createReplayConnection, listSecretHeaders, listSecretQuery, PastedVendor } = await import(
    '../../kind-recordings/index.ts'
  )
  const from = new PastedVendor(await readFile(path, 'utf8'), listSecretQuery(kind.definition))
  const invented = createReplayConnection(kind, {})
  const api = from.findOrigin(await catchRequest(invented, { entity, action, params }))
  const secrets = from.listSecrets(listSecretHeaders(kind.definition))
  return { connection: api === undefined ? invented : { ...invented, origin: { api } }, from, listSecrets: () => secrets }
}

interface RecordingFile {
  readonly path: string
  /** Undefined for a new file. */
  readonly text: string | undefined
  readonly recordings: Recordings | undefined
}

/** Opens the file of `--record`, before anything is sent. @throws FerruleError `validation_failed` for a name that stands there */
async function openFile(
  path: string,
  call: { readonly entity: string; readonly action: string; readonly name?: string | undefined },
): Promise<RecordingFile> {
  const text = (await readPresent(path))?.toString()
  if (text === undefined) return { path, text, recordings: undefined }
  const recordings = await openRecordings(path)
  const { entity, action, name } = call
  if (recordings.recordings.some((each) => each.entity === entity && each.action === action && each.name === name))
    throw failUsage(`${path} has a recording of ${entity}.${action} with this name.`, 'Give --name, or delete that recording first.')
  return { path, text, recordings }
}

function describeReplaced({ replaced }: BuiltRecording): string {
  const changed = replaced.flatMap(({ path, as }) => (as === undefined ? [] : [`  ${path}: ${as}`]))
  const same = replaced.flatMap(({ path, as }) => (as === undefined ? [path] : []))
  return [
    changed.length === 0 ? 'Nothing is replaced.' : 'Replaced, with one example each:',
    ...changed,
    `Texts that stay: ${same.length === 0 ? 'none' : same.join(', ')}.`,
  ].join('\n')
}

/** Returns where the identities of a file are kept, apart from it. */
const findIdentitiesFile = (path: string, env: CommandContext['env']): string =>
  join(findFolder(env), 'recordings', `${createHash('sha256').update(resolve(path)).digest('hex').slice(0, 32)}.json`)

/** Saves a recording, after the list of what it replaces was shown. */
async function saveRecording(
  { path, text, recordings }: RecordingFile,
  made: MadeCall,
  context: CommandContext,
  opened: RecordingConnection,
): Promise<void> {
  const { addRecording, buildRecording, Identities, readRecordings } = await import('../../kind-recordings/index.ts')
  const { kind } = opened.connection.kind.definition
  if (made.sent.length === 0) throw made.walked.error
  const name = readText(context.options, 'name')
  const kept = findIdentitiesFile(path, context.env)
  const identities = new Identities(text === undefined ? undefined : await readFile(kept, 'utf8').catch(() => undefined), text ?? '')
  const built = await buildRecording(opened.connection, made, {
    name,
    page: readText(context.options, 'page'),
    configuration: recordings?.configuration,
    secrets: opened.listSecrets(),
    identities,
  })
  const whole = await addRecording(text, { kind, ...built })
  const { mistakes } = await readRecordings(whole, { name: basename(path) })
  const problems = [...built.problems, ...mistakes.map(({ message }) => message)]
  if (problems.length > 0) {
    const reason = `The call cannot be recorded: ${[...new Set(problems)].join('; ')}.`
    const { error } = made.walked
    if (error === undefined) throw failUsage(reason, 'Nothing is saved. Write this recording by hand, as docs/writing-kinds.md says.')
    context.note(`${reason} Nothing is saved.`)
    throw error // what the vendor did counts more than its recording
  }
  context.note(describeReplaced(built))
  await context.ask.confirm(`Save the recording in ${path}`, readFlag(context.options, 'yes'))
  await replaceFile(path, whole, 0o644)
  await mkdir(dirname(kept), { recursive: true, mode: 0o700 })
  await replaceFile(kept, identities.toText(), 0o600)
  context.note(`Wrote ${path}: ${made.entity}.${made.action}. Read it before you share it.`)
}

async function describeSent({ sent }: MadeCall, opened: RecordingConnection): Promise<string> {
  const { createSecretRemover } = await import('../../kind-recordings/replacer.ts')
  const remove = createSecretRemover(opened.listSecrets())
  return sent
    .map(({ request, answer }) => `${request.method} ${remove(request.url.pathname + request.url.search)}: ${answer.status}`)
    .join('\n')
}

function checkPage({ isHar }: PastedVendor, page: string | undefined): void {
  if (!isHar && page === undefined) throw failUsage('A pasted answer needs the page that shows it.', 'Give --page with its address.')
}

async function runTried(
  kind: Kind,
  document: KindDocument,
  context: CommandContext,
): Promise<{ readonly opened: RecordingConnection; readonly made: MadeCall }> {
  const { args, options, signal, deadlineMs, env } = context
  const [, entity = '', action = ''] = args
  const tried = { entity, action, params: await readParams(context, { entity, action }, async () => document) }
  const answers = readText(options, 'answers')
  const opened = answers === undefined ? await openVendor(kind, document, env) : await openPasted(kind, answers, tried)
  const { from } = opened
  if (from !== undefined) checkPage(from, readText(options, 'page'))
  const mostPages = from?.isHar === false ? 1 : (readNumber(options, 'pages', 1) ?? 2)
  const { makeCall } = await import('../../kind-recordings/index.ts')
  return { opened, made: await makeCall(opened.connection, tried, { mostPages, from, signal, deadlineMs }) }
}

/**
 * Makes a call with credentials of the environment, or with answers of a file, and records it.
 * @throws FerruleError of the call; `validation_failed` for a recording that would not do what the call did
 */
export async function tryKind(context: CommandContext): Promise<void> {
  const { args, options, output, note, signal } = context
  const [path = '', entity = '', action = ''] = args
  const [{ loadKind }, { buildKindDocument }] = await Promise.all([
    import('../../kind-file/index.ts'),
    import('../../document/build-documents.ts'),
  ])
  const { definition } = await loadKind(path)
  const document = buildKindDocument(definition)
  findAction(document, entity, action)
  if (action === 'download') throw failUsage('A file is no record.', `Run: ferrule download --local ${path}.`)
  const record = readText(options, 'record')
  const file = record === undefined ? undefined : await openFile(record, { entity, action, name: readText(options, 'name') })
  const { opened, made } = await runTried({ definition, rules: {} }, document, context)
  signal.throwIfAborted()
  note(await describeSent(made, opened))
  const { walked } = made
  if (walked.error === undefined && action === 'list') await output.rows([walked.rows])
  else if (walked.error === undefined) await output.value(walked.record)
  if (file !== undefined) await saveRecording(file, made, context, opened)
  if (walked.error !== undefined) throw walked.error
  if (walked.hasMore) note('There are more pages: --pages reads more of them.')
}
