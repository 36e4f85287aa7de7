/** Records that were found, as clients see them. */
import { parseJson } from 'ferrule/engine'
import { fillLink, findTitle, isObject, readRecordText, readSlug } from 'ferrule/internal'
import type { SearchHit } from 'ferrule/wire'
import { iso } from '../../values/ids.ts'
import type { EntityRef } from '../entity-ref.ts'
import { parseKeyValue } from '../search/keys.ts'
import type { SearchQuery } from '../search/tree.ts'
import type { SearchedConnector } from '../sync-types.ts'
import type { PlacedCopy } from './places.ts'
import type { EntityPlan } from './plan.ts'
import { cutText, findSnippet, listSoughtFields } from './snippet.ts'

/** A copy that is searched. */
export interface SoughtCopy extends PlacedCopy {
  readonly of: SearchedConnector
  readonly ref: EntityRef
  readonly syncedAt: number
  readonly plan: EntityPlan
}

/** Describes a connector in a hit. */
export const describeConnector = ({ ref, name, kind }: SearchedConnector): SearchHit['connector'] => ({
  id: ref.connectorId,
  name,
  kind: readSlug(kind.definition.kind),
})

/** Makes the function that describes records of a copy. */
export function createDescriber({ of, entity, plan, syncedAt }: SoughtCopy, query: SearchQuery): (pk: string, json: string) => SearchHit {
  const { entities } = of.kind.definition
  const definition = entities[entity] ?? { about: '', key: [] }
  const title = findTitle(definition)
  const fields = listSoughtFields(query, [title, definition.summary])
  const { configuration } = of
  return (pk, json) => {
    const parsed = parseJson(json)
    const record = isObject(parsed) ? parsed : {}
    const summary = readRecordText(record, definition.summary)
    const found = findSnippet(record, fields)
    return {
      connector: describeConnector(of),
      entity,
      key: parseKeyValue(plan.table.key, pk) ?? pk,
      title: readRecordText(record, title) ?? null,
      snippet: found ?? (summary === undefined ? null : cutText(definition.summary ?? '', summary)),
      time: readRecordText(record, plan.time?.name) ?? null,
      link: fillLink(definition.link, { record, configuration }) ?? null,
      synced_at: iso(syncedAt),
    }
  }
}
