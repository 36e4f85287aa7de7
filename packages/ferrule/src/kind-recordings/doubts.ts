/** Doubts about a kind that only answers show: paths that name nothing in the recorded ones, and keys that stand twice. */
import type { ConnectorDefinition, Kind } from '../definition/connector.ts'
import { liveActions, type Operation } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { everyRow } from '../definition/page.ts'
import { listWithin, type Path, parsePath } from '../engine/json/paths.ts'
import type { Mistake, Place } from '../kind-file/mistakes.ts'
import { countEdits, findNearNames } from '../values/near-names.ts'
import { listKeyProblems, listRecords } from './check-kind.ts'
import { nameRecording, type Recording, type Recordings } from './recording.ts'
import { replay } from './replay.ts'
import { createReplayConnection } from './replay-connection.ts'

/** The file that doubts are about. */
export interface DoubtedFile {
  readonly file: string
  /** Finds the place of a part of the file, or of what holds it. */
  findPlace(...steps: readonly string[]): Place
}

type Steps = readonly string[]
interface Doubt {
  readonly steps: Steps
  readonly message: string
  readonly near?: string
  readonly example?: string
}

interface AnswerPath {
  readonly steps: Steps
  readonly path: string
  /** Bodies of answers, or rows, that should have it. */
  readonly within: readonly unknown[]
  /** Words that can stand instead of a path. */
  readonly words?: readonly string[]
  /** No recorded answer has to have it, so only a near name is a doubt. */
  readonly isOptional?: boolean
}

/** Words instead of a position, and those that a colon follows. */
const positions = ['rows', 'pages', 'link', 'last:', 'header:', 'link:']

/** Where a path ends too early: the step that nothing has, and the names that stand there. */
interface Lost {
  readonly at: number
  readonly names: readonly string[]
}

/** Follows a path in several values at once. @returns undefined if one has it, or if a null or an empty list hides what it names */
function findLost(values: readonly unknown[], path: Path): Lost | undefined {
  let here = values
  for (const [at, step] of path.entries()) {
    const objects = here.filter(isObject)
    const next = here.flatMap((value): unknown[] => {
      if (typeof step === 'symbol') return Array.isArray(value) ? value : []
      if (typeof step === 'number') return Array.isArray(value) && step in value ? [value[step]] : []
      return isObject(value) && Object.hasOwn(value, step) ? [value[step]] : []
    })
    const isHidden = here.some((value) => value === null || (Array.isArray(value) && value.length === 0))
    if (next.length === 0) return isHidden ? undefined : { at, names: [...new Set(objects.flatMap(Object.keys))] }
    here = next
  }
  return undefined
}

/** Finds the nearest word, and else the nearest name of the answers. */
function findNear({ path, words = [] }: AnswerPath, { at, names }: Lost): string | undefined {
  const [prefix = path] = /^\w+:/.exec(path) ?? []
  const word = words.find((each) => countEdits(each, prefix) === 1)
  if (word !== undefined) return path.replace(prefix, word)
  const steps = path.split(/(?<!\\)\./)
  const [name] = findNearNames((steps[at] ?? '').replace(/\[.*/, ''), names)
  return name === undefined ? undefined : steps.with(at, name).join('.')
}

function doubtPath(given: AnswerPath): readonly Doubt[] {
  const { steps, path, within, isOptional = false } = given
  const lost = findLost(within, parsePath(path))
  if (lost === undefined) return []
  const near = findNear(given, lost)
  if (near === undefined && (isOptional || within.length === 0)) return []
  const message =
    within.length === 0
      ? `${path} is read as a path, and no recorded answer shows it`
      : `${path} names nothing in the ${within.length} recorded answers or records that it is for`
  return [{ steps, message, ...(near === undefined ? {} : { near, example: `${steps.at(-1)}: ${near}` }) }]
}

const readBodies = (exchanges: Recording['exchanges']): readonly unknown[] =>
  exchanges.flatMap(({ answer: { body } }) => (body === undefined ? [] : [body]))

const readRows = ({ at, keyed }: Operation, bodies: readonly unknown[]): readonly unknown[] => {
  const path = parsePath(at)
  const rows = bodies.flatMap((body) =>
    (listWithin(body, path) ?? []).flatMap(([found]): unknown[] => (Array.isArray(found) ? found : found === undefined ? [] : [found])),
  )
  return keyed === undefined ? rows : rows.flatMap((each) => (isObject(each) ? Object.values(each) : []))
}

interface Recorded {
  readonly recording: Recording
  readonly operation: Operation
}

/** Lists the paths of a way of paging. A block of pages can be missing on the last page, so those before count. */
function listPagePaths(name: string, { pages }: ConnectorDefinition, all: readonly Recorded[]): readonly AnswerPath[] {
  const page = pages[name]
  if (page?.shape !== 'next') return []
  const own = all.filter(({ operation, recording }) => operation.page === name && recording.error === undefined)
  const before = own.filter(({ recording: { exchanges, hasMore } }) => hasMore || exchanges.length > 1)
  const readAll = (from: readonly Recorded[]) => from.flatMap(({ recording }) => readBodies(recording.exchanges))
  const { position, more, total } = page
  const steps = ['pages', name]
  const [, source, path = position] = /^(header|link|last):(.*)$/.exec(position) ?? []
  const headers = before.flatMap(({ recording }) => recording.exchanges.map(({ answer }) => answer.headers))
  const rows = own.flatMap(({ operation, recording }) => readRows(operation, readBodies(recording.exchanges)))
  const within = source === undefined ? readAll(before) : source === 'last' ? rows : headers
  const next = source === 'link' ? 'link' : source === 'header' ? path.toLowerCase() : path
  return [
    ...(positions.includes(position)
      ? []
      : [
          {
            steps: [...steps, 'next'],
            path: next,
            within,
            isOptional: before.length === 0,
            ...(source === undefined ? { words: positions } : {}),
          },
        ]),
    ...(more === undefined || more === everyRow
      ? []
      : [{ steps: [...steps, 'more'], path: more.replace('!', ''), within: readAll(before), words: [everyRow] }]),
    ...(total === undefined ? [] : [{ steps: [...steps, 'total'], path: total, within: readAll(own) }]),
  ]
}

function listOperationPaths(
  { recording, operation }: Recorded,
  token: string | undefined,
  all: readonly Recorded[],
): readonly AnswerPath[] {
  const steps = ['entities', recording.entity, recording.action]
  const own = all.filter((each) => each.operation === operation && each.recording.error === undefined)
  const within = own.flatMap((each) => readBodies(each.recording.exchanges))
  const { rows } = operation
  const merged = typeof rows === 'object' ? rows.merge : []
  return [
    ...(operation.at === '' || operation.answers === 'nothing' ? [] : [{ steps: [...steps, 'at'], path: operation.at, within }]),
    ...merged.map((path) => ({ steps: [...steps, 'merge'], path, within: readRows(operation, within) })),
    ...(token === undefined || recording.action !== 'list'
      ? []
      : [{ steps: ['entities', recording.entity, 'sync', 'token', 'read'], path: token, within }]),
  ]
}

function listErrorPaths({ problem: { code, message, failed } }: ConnectorDefinition, all: readonly Recorded[]): readonly AnswerPath[] {
  const within = all.flatMap(({ recording }) =>
    readBodies(
      recording.error === undefined ? recording.exchanges.filter(({ answer }) => answer.status >= 400) : recording.exchanges.slice(-1),
    ),
  )
  const named = [...message, ''].find((path) => path === '' || findLost(within, parsePath(path)) === undefined)
  const first = named === '' ? message.slice(0, 1) : []
  return [
    ...first.map((path) => ({ steps: ['errors', 'message'], path, within })),
    ...(code === undefined ? [] : [{ steps: ['errors', 'code'], path: code, within }]),
    ...(failed === undefined ? [] : [{ steps: ['errors', 'failed'], path: failed.at, within }]),
  ]
}

/** Lists paths into records that the file need not name: lists within them, and what an event is about. */
function listRecordPaths({ entities }: ConnectorDefinition, all: readonly Recorded[]): readonly AnswerPath[] {
  const read = (entity: string) =>
    all.flatMap(({ recording, operation }) => (recording.entity === entity ? readRows(operation, readBodies(recording.exchanges)) : []))
  return Object.entries(entities).flatMap(([name, { sync: { within, changes } = {} }]) => [
    ...(within === undefined
      ? []
      : [{ steps: ['entities', name, 'sync', 'within', 'at'], path: within.at, within: read(within.entity), isOptional: true }]),
    ...(changes === undefined
      ? []
      : [{ steps: ['changes', 'record'], path: changes.record, within: read(changes.entity), isOptional: true }]),
  ])
}

/** Lists the paths of webhooks. No recording has an event, so only words are doubted. */
const listWebhookPaths = ({ webhooks }: ConnectorDefinition): readonly AnswerPath[] =>
  (['id', 'topic'] as const).flatMap((key) =>
    (webhooks?.[key] ?? []).map((path) => ({ steps: ['webhooks', key], path, within: [], words: ['header:'] })),
  )

async function doubtKeys(kind: Kind, { configuration }: Recordings, all: readonly Recorded[]): Promise<readonly Doubt[]> {
  const connection = createReplayConnection(kind, configuration)
  const doubts: Doubt[] = []
  for (const { recording } of all.filter(({ recording: { action, error } }) => action === 'list' && error === undefined)) {
    const { entity } = recording
    const [problem] = listKeyProblems(
      kind.definition.entities[entity] ?? { key: [] },
      listRecords(await replay(connection, recording)),
      recording.params,
    )
    if (problem !== undefined)
      doubts.push({ steps: ['entities', entity, 'key'], message: `${problem}, in the recording ${nameRecording(recording)}` })
  }
  return doubts
}

/**
 * Lists doubts about a kind in the order of its file.
 * @param given undefined without recordings: then only words are doubted that are nearly right
 */
export async function listRecordedDoubts(kind: Kind, { file, findPlace }: DoubtedFile, given?: Recordings): Promise<readonly Mistake[]> {
  const { definition } = kind
  const all = (given?.recordings ?? []).flatMap((recording): Recorded[] => {
    const action = liveActions.find((each) => each === recording.action)
    const operation = action === undefined ? undefined : definition.entities[recording.entity]?.[action]
    return operation === undefined ? [] : [{ recording, operation }]
  })
  const once = all.filter(({ operation }, index) => all.findIndex((each) => each.operation === operation) === index)
  const paths = [
    ...Object.keys(definition.pages).flatMap((name) => listPagePaths(name, definition, all)),
    ...once.flatMap((each) => listOperationPaths(each, definition.entities[each.recording.entity]?.sync?.token?.read, all)),
    ...listErrorPaths(definition, all),
    ...listRecordPaths(definition, all),
    ...listWebhookPaths(definition),
  ]
  const doubts = [...paths.flatMap(doubtPath), ...(given === undefined ? [] : await doubtKeys(kind, given, all))]
  const seen = new Set(doubts.map(({ steps, message }) => `${steps.join('.')} ${message}`))
  return doubts
    .filter(({ steps, message }) => seen.delete(`${steps.join('.')} ${message}`))
    .map(({ steps, ...said }): Mistake => ({ file, ...findPlace(...steps), path: steps.join('.'), ...said }))
    .toSorted((one, other) => one.line - other.line || one.column - other.column)
}
