/** Tests that an incremental sync moves: the times of records can be read, and a later one makes another request. */
import { findSyncedOperation } from '../definition/check-sync.ts'
import type { EntityDefinition } from '../definition/entity.ts'
import type { Since } from '../definition/sync.ts'
import type { Connection } from '../engine/connection.ts'
import type { HttpRequest } from '../engine/http/http.ts'
import { copyJson, setAt } from '../engine/json/paths.ts'
import { buildStart, buildTimeReader, toParamPath } from '../engine/json/vendor-times.ts'
import { FerruleError } from '../errors.ts'
import { catchRequest } from './replay.ts'

type Values = Readonly<Record<string, unknown>>

/** A list that was replayed. */
export interface WalkedList {
  readonly params: Values
  readonly records: readonly Values[]
}

const writeRequest = ({ method, url, body = '' }: HttpRequest): string => `${method} ${url.href} ${body}`

/** The entity whose sync is tested. */
interface SyncedEntity {
  readonly name: string
  readonly definition: EntityDefinition
  readonly since: Since
}

/** Lists what is wrong with the requests for two times. */
async function listRequestProblems(
  connection: Connection,
  { name, definition, since }: SyncedEntity,
  { params, times }: { readonly params: Values; readonly times: readonly number[] },
): Promise<string[]> {
  const ask = async (time: number): Promise<string> => {
    const given: Record<string, unknown> = copyJson(params)
    setAt(given, toParamPath(definition, since.param), buildStart(since, new Date(time).toISOString()))
    return writeRequest(await catchRequest(connection, { entity: name, action: 'list', params: given }))
  }
  try {
    const [first, last] = [await ask(Math.min(...times)), await ask(Math.max(...times))]
    return first === last ? [`a sync cannot move: ${since.param} does not change the request`] : []
  } catch (thrown) {
    if (!(thrown instanceof FerruleError)) throw thrown
    return [`a sync cannot ask for changes: ${thrown.message} ${thrown.errors.map(({ message }) => message).join(' ')}`.trim()]
  }
}

/** Lists why the sync of an entity would not move. */
export async function listSinceProblems(
  connection: Connection,
  { name, definition }: { readonly name: string; readonly definition: EntityDefinition },
  lists: readonly WalkedList[],
): Promise<string[]> {
  const { since, newest } = definition.sync ?? {}
  const field = since?.field ?? newest
  if (field === undefined || findSyncedOperation(definition) !== definition.list) return []
  const records = lists.flatMap((list) => list.records)
  const read = buildTimeReader(definition, field)
  const times = records.map(read)
  const unread = times.filter(Number.isNaN).length
  if (unread > 0) return [`a sync cannot move: ${unread} of ${times.length} records have no ${field} that is a time`]
  const day = 86_400_000
  const [first] = times
  const [list] = lists
  if (since === undefined || first === undefined || list === undefined) return []
  const same = times.every((time) => time === first)
  return listRequestProblems(
    connection,
    { name, definition, since },
    { params: list.params, times: same ? [first, first + 2 * day] : times },
  )
}
