/** Tests each recording by itself: requests, data, walks, keys, types, and writes. */
import type { EntityDefinition } from '../definition/entity.ts'
import { isWriting } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { findOperation } from '../engine/call/operation.ts'
import type { Connection } from '../engine/connection.ts'
import { getAt, parsePath } from '../engine/json/paths.ts'
import { FerruleError } from '../errors.ts'
import { writeJson } from '../values/json/json.ts'
import { listMissing, show } from './compare.ts'
import type { FindingList } from './findings.ts'
import { listTypeProblems } from './record-types.ts'
import type { Recording } from './recording.ts'
import { loseAnswer, type Replay, replay } from './replay.ts'

type Values = Readonly<Record<string, unknown>>

const describeError = (error: unknown): string =>
  error instanceof FerruleError
    ? `${error.code}: ${error.message} ${error.errors.map(({ message }) => message).join(' ')}`.trim()
    : String(error)

/** Lists the records of a replay. */
export const listRecords = ({ data }: Pick<Replay, 'data'>): readonly Values[] => (Array.isArray(data) ? data : [data]).filter(isObject)

const readKeyPart = (record: Values, path: string, params: Values): unknown =>
  path.startsWith('param.') ? getAt(params, parsePath(path.slice('param.'.length))) : getAt(record, parsePath(path))

/** Lists records without a key, and keys that stand twice. */
function listKeyProblems({ key }: EntityDefinition, records: readonly Values[], params: Values): string[] {
  const seen = new Set<string>()
  return records.flatMap((record, index) => {
    const parts = key.map((path) => readKeyPart(record, path, params))
    const missing = key.filter((_path, part) => (parts[part] ?? null) === null)
    if (missing.length > 0) return [`record ${index + 1} has no ${missing.join(' and no ')}, which is the key`]
    const text = writeJson(parts)
    if (key.length > 0 && seen.has(text))
      return [`the key ${show(parts.length === 1 ? parts[0] : parts)} stands twice: record ${index + 1} has it again`]
    seen.add(text)
    return []
  })
}

const listTypes = ({ record = {} }: EntityDefinition, action: string, records: readonly Values[]): string[] =>
  records.flatMap((each, index) => listTypeProblems(record, each, action === 'list' ? `[${index}].` : ''))

/** Lists what is wrong with the end of a call. */
function listEndProblems({ error: expected, action, hasMore, data }: Recording, done: Replay): string[] {
  const code = done.error instanceof FerruleError ? done.error.code : undefined
  if (expected !== undefined)
    return code === expected
      ? []
      : [`ends with ${done.error === undefined ? 'data' : describeError(done.error)}, and ${expected} is written`]
  if (done.error !== undefined) return [`fails with ${describeError(done.error)}`]
  const isCut = hasMore && !done.hasMore && action === 'list'
  return [
    ...(isCut ? ['the walk ends with the last recorded page, and more is written'] : []),
    ...done.doubts.map((doubt) => `the walk ends although there may be more: ${doubt}`),
    ...(data === undefined ? [] : listMissing(data, done.data, 'data')),
  ]
}

/** Returns whether a call must say what it returns. */
const needsData = (connection: Connection, { entity, action, data, error }: Recording): boolean =>
  data === undefined && error === undefined && connection.kind.definition.entities[entity]?.[action as 'list']?.answers !== 'nothing'

/** Repeats a write whose answer is lost: it is sent once, or again with the key by which the vendor knows it. */
async function checkLostAnswer(connection: Connection, recording: Recording, findings: FindingList): Promise<void> {
  const { entity, action } = recording
  const { once } = findOperation(connection.kind, entity, action).operation
  const { sent, error } = await loseAnswer(connection, recording)
  if (once === undefined) {
    if (sent.length !== 1) findings.fail(recording, `a write whose answer is lost is sent ${sent.length} times`)
    const isUnknown = error instanceof FerruleError && error.code === 'outcome_unknown'
    if (!isUnknown) findings.fail(recording, `a write whose answer is lost ends with ${describeError(error)}, and not with outcome_unknown`)
    return
  }
  const keys = new Set(sent.map(({ headers }) => headers[once]))
  if (keys.size !== 1 || keys.has(undefined)) findings.fail(recording, `a repeated write has another ${once}`)
}

/**
 * Tests a recording.
 * @returns what it brought
 */
export async function checkCall(connection: Connection, recording: Recording, findings: FindingList): Promise<Replay | undefined> {
  const { entity: name, action, params } = recording
  const { entity, operation } = findOperation(connection.kind, name, action)
  if (action === 'download') {
    findings.fail(recording, 'a download has a file and no record: leave it out')
    return undefined
  }
  const done = await replay(connection, recording)
  findings.fail(recording, ...done.problems, ...listEndProblems(recording, done))
  if (recording.error !== undefined || done.error !== undefined) return undefined
  if (needsData(connection, recording)) findings.fail(recording, 'lacks data: what the call returns')
  if (recording.meta !== undefined) findings.fail(recording, ...listMissing(recording.meta, done.meta, 'meta'))
  const records = listRecords(done)
  const { answers = 'record' } = operation
  // A part of a record need not have its key.
  if (answers === 'record') findings.fail(recording, ...listKeyProblems(entity, records, params), ...listTypes(entity, action, records))
  if (isWriting(findOperation(connection.kind, name, action).action)) await checkLostAnswer(connection, recording, findings)
  return done
}
