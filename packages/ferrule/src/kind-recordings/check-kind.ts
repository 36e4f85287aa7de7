/** Tests a kind against its recordings, without a network. All findings come at once. */
import type { Kind } from '../definition/connector.ts'
import { listLiveActions, liveActions, type Operation } from '../definition/entity.ts'
import type { Connection } from '../engine/connection.ts'
import { asFerruleError } from '../errors.ts'
import { findNearNames } from '../values/near-names.ts'
import { checkCall, listRecords } from './check-calls.ts'
import { listSinceProblems, type WalkedList } from './check-since.ts'
import { createReplayConnection, listSecretHeaders, listSecretQuery } from './connection.ts'
import { type Finding, FindingList, type TestedFiles } from './findings.ts'
import { listLeaks } from './leaks.ts'
import { SeenFields } from './record-types.ts'
import type { Recording, Recordings } from './recording.ts'

/** What a test says. */
export interface TestReport {
  /** In the order of the files. */
  readonly findings: readonly Finding[]
  readonly calls: number
  readonly requests: number
  /** Calls whose answers are the vendor's own. */
  readonly live: number
}

/** What all recordings of an entity brought. */
interface Walked {
  readonly lists: WalkedList[]
  readonly fields: SeenFields
  isSeen: boolean
  mostPages: number
}

/** Returns whether a recording names an operation of the kind; says so if not. */
function isKnown({ definition }: Kind, recording: Recording, findings: FindingList): boolean {
  const entity = Object.hasOwn(definition.entities, recording.entity) ? definition.entities[recording.entity] : undefined
  const known = entity === undefined ? Object.keys(definition.entities) : listLiveActions(entity)
  if (entity !== undefined && known.some((action) => action === recording.action)) return true
  const wrong = entity === undefined ? recording.entity : recording.action
  const [near] = findNearNames(wrong, known)
  const more = near === undefined ? `; known: ${known.join(', ')}` : `; did you mean ${near}?`
  findings.fail(recording, `${recording.entity}.${recording.action} is not an operation of the kind${more}`)
  return false
}

/** Refuses names that carry the credentials of this kind. */
function checkSecrets({ definition }: Kind, recording: Recording, findings: FindingList): void {
  const headers = listSecretHeaders(definition)
  const query = listSecretQuery(definition)
  for (const { request, answer } of recording.exchanges) {
    const named = [...Object.keys(request.headers), ...Object.keys(answer.headers)].filter((name) => headers.has(name))
    const asked = request.query.map(([name]) => name).filter((name) => query.has(name))
    for (const name of new Set([...named, ...asked]))
      findings.fail(recording, `${name} carries credentials, which no recording holds: leave it out`)
  }
  findings.fail(recording, ...listLeaks(recording))
}

/** One entity with its recordings. */
interface Tested {
  readonly name: string
  readonly own: readonly Recording[]
  readonly walked: Walked
}

/** Says of the list of an entity whether recordings show its pages and its end. */
function checkList({ name, own, walked }: Tested, { onePage }: Operation, findings: FindingList): void {
  const place = { entity: name, action: 'list' }
  const [first] = own
  const isSaid = onePage !== undefined || own.some((recording) => recording.onePage !== undefined)
  if (first === undefined) findings.addOfKind('failure', place, 'is not recorded: a list has a recording with two pages')
  else if (walked.mostPages < 2 && !isSaid) findings.fail(first, 'has one page: record two, or say in one_page why there is no second one')
  else if (own.every(({ hasMore, error }) => hasMore || error !== undefined))
    findings.addOfKind('note', place, 'no recording shows the end of this list')
}

/** Says of the operations of an entity whether they are recorded. */
function checkCoverage(tested: Tested, { definition }: Kind, findings: FindingList): void {
  const { name, own } = tested
  for (const action of liveActions) {
    const operation = definition.entities[name]?.[action]
    const ofAction = own.filter((recording) => recording.action === action)
    if (operation === undefined || action === 'download') continue
    if (action === 'list') checkList({ ...tested, own: ofAction }, operation, findings)
    else if (ofAction.length === 0) findings.addOfKind('note', { entity: name, action }, 'is not recorded')
  }
}

/** Lists fields that the kind does not know, and fields that no record has. */
function checkFields({ name, walked: { fields, isSeen } }: Tested, { definition }: Kind, findings: FindingList): void {
  const { record } = definition.entities[name] ?? {}
  if (!isSeen || record === undefined) return
  const [unknown, missing] = [fields.unknown, fields.listMissing(record)]
  if (unknown.length > 0)
    findings.addOfKind('note', { entity: name }, `records have fields that the kind does not name: ${unknown.join(', ')}`)
  if (missing.length > 0) findings.addOfKind('note', { entity: name }, `no recorded record has these fields: ${missing.join(', ')}`)
}

/** Runs the recordings of one entity. */
async function checkRecordings(connection: Connection, { own, walked }: Tested, findings: FindingList): Promise<void> {
  for (const recording of own) {
    const done = await checkCall(connection, recording, findings)
    const entity = connection.kind.definition.entities[recording.entity]
    if (done === undefined || entity === undefined) continue
    const records = listRecords(done)
    for (const record of records) walked.fields.add(entity.record ?? {}, record)
    walked.isSeen ||= records.length > 0
    if (recording.action === 'list') walked.lists.push({ params: recording.params, records })
    walked.mostPages = Math.max(walked.mostPages, done.pages)
  }
}

async function checkEntity(connection: Connection, tested: Tested, findings: FindingList): Promise<void> {
  const { kind } = connection
  await checkRecordings(connection, tested, findings)
  checkCoverage(tested, kind, findings)
  checkFields(tested, kind, findings)
  const definition = kind.definition.entities[tested.name]
  if (definition === undefined || tested.walked.lists.length === 0) return
  for (const problem of await listSinceProblems(connection, { name: tested.name, definition }, tested.walked.lists))
    findings.addOfKind('failure', { entity: tested.name, action: 'list' }, problem)
}

/** Makes the connection of a test. @returns undefined for a configuration that the kind does not take, which is a finding */
function connect(kind: Kind, { configuration, recordings }: Recordings, findings: FindingList): Connection | undefined {
  try {
    return createReplayConnection(kind, configuration)
  } catch (thrown) {
    const { message, errors } = asFerruleError(thrown)
    const [first] = recordings
    if (first !== undefined) findings.fail(first, `config: ${[message, ...errors.map((each) => each.message)].join(' ')}`)
    return undefined
  }
}

/**
 * Tests a kind.
 * @param files names of the files, for findings
 */
export async function testKind(kind: Kind, given: Recordings, files: TestedFiles): Promise<TestReport> {
  const findings = new FindingList(files)
  const { recordings } = given
  const known = recordings.filter((recording) => isKnown(kind, recording, findings))
  for (const recording of recordings) checkSecrets(kind, recording, findings)
  const [first] = recordings
  const { kind: slug } = kind.definition
  if (given.kind !== slug && first !== undefined) findings.fail(first, `these are recordings of ${given.kind}, and the kind is ${slug}`)
  const connection = connect(kind, given, findings)
  for (const name of connection === undefined ? [] : Object.keys(kind.definition.entities)) {
    const own = known.filter((recording) => recording.entity === name)
    const walked: Walked = { lists: [], fields: new SeenFields(), isSeen: false, mostPages: 0 }
    if (connection !== undefined) await checkEntity(connection, { name, own, walked }, findings)
  }
  const place = ({ file, line, column }: Finding): string => `${file}:${String(line).padStart(7, '0')}:${String(column).padStart(7, '0')}`
  return {
    findings: findings.all.toSorted((one, other) => place(one).localeCompare(place(other))),
    calls: recordings.length,
    requests: recordings.reduce((sum, { exchanges }) => sum + exchanges.length, 0),
    live: recordings.filter(({ source }) => source === 'live').length,
  }
}
