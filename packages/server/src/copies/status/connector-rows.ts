/** Reads the row of a connector for its syncs. */
import type { Kind } from 'ferrule/definition'
import type { EntitySelection } from 'ferrule/wire'
import type { Parts } from '../../main/parts.ts'
import type { CopyHolder } from '../sql/sync-copies.ts'
import { selectWantedEntities } from './groups.ts'

/** Returns the kind of a row; undefined when this version of the service lacks the kind. */
export function findKind({ catalogue }: Pick<Parts, 'catalogue'>, slug: string): Kind | undefined {
  try {
    return catalogue.getKind(slug)
  } catch {
    return undefined
  }
}

// JSON that this service wrote.
const parseSelection = (text: string): readonly EntitySelection[] => JSON.parse(text)

/** Returns the entities that a connector keeps a copy of; none when its kind is missing. */
export function readWantedEntities(parts: Pick<Parts, 'catalogue'>, row: Pick<CopyHolder, 'kind' | 'entities'>): readonly string[] {
  const kind = findKind(parts, row.kind)
  return kind === undefined ? [] : selectWantedEntities(kind.definition, parseSelection(row.entities))
}
