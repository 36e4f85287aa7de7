/** The envelope of those clients around the answer of an execution. */

import { JsonText } from 'ferrule/engine'
import { isObject, writeBody } from 'ferrule/internal'
import { describePage } from './pages.ts'
import { adaptRows } from './search-rows.ts'

type Values = Readonly<Record<string, unknown>>

/** What an envelope says of the execution itself. */
export interface Execution {
  readonly connectorId: string
  /** For a search: its fields that those clients read as objects (`findListedObjects`). */
  readonly search: { readonly objects: ReadonlySet<string> } | undefined
  readonly tookMs: number
}

/** The published form of a successful execution. `result` is read as it is, so a search nests its rows. */
export interface Envelope {
  readonly status: 'success'
  readonly result: unknown
  readonly connector_metadata: Values | null
  readonly execution_metadata: Values
}

/** Builds an envelope. */
export const buildEnvelope = (
  result: unknown,
  { connectorId, tookMs }: Pick<Execution, 'connectorId' | 'tookMs'>,
  more: { readonly metadata?: Values | null; readonly execution?: Values } = {},
): Envelope => ({
  status: 'success',
  result,
  connector_metadata: more.metadata ?? null,
  execution_metadata: { connector_instance_id: connectorId, execution_time_ms: Math.round(tookMs), ...more.execution },
})

/** Puts a body of our own form into the envelope. */
export function toEnvelope(body: unknown, execution: Execution): Envelope {
  const { data, meta: given, ...more } = isObject(body) ? body : { data: body, meta: undefined }
  const meta = isObject(given) ? given : {}
  if (execution.search !== undefined) {
    const found = new JsonText(writeBody({ data: adaptRows(data, execution.search.objects), meta }))
    return buildEnvelope(found, execution, { execution: more })
  }
  const metadata = Object.keys(meta).length === 0 ? null : { ...meta, ...describePage(meta) }
  return buildEnvelope(data, execution, { metadata, execution: more })
}
