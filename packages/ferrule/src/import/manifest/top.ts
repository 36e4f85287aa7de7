/** What the top of a manifest has beside its streams. */
import { isObject } from '../../definition/object.ts'
import type { Component, Values } from './component.ts'
import type { Notes } from './outcome.ts'

const topProperties = [
  'version',
  'definitions',
  'schemas',
  'metadata',
  'description',
  'concurrency_level',
  'dynamic',
  'schema_normalization',
]

/** Lists what the top of a manifest has that nobody reads. */
export function readTop(source: Component, notes: Notes): void {
  source.leave(...topProperties, 'api_budget', 'max_concurrent_async_job_count', 'stream_groups')
  for (const name of ['dynamic_streams', 'custom_components'] as const)
    if (source.take(name) !== undefined) notes.stop('streams that are known only when they are read', name)
  for (const name of source.listUnread()) if (!/^(x-|_)/.test(name) && isObject(source.node[name])) source.leave(name)
  for (const name of source.listUnread()) notes.stop('a property that no word of kind files has', `DeclarativeSource.${name}`)
}

/** Reads the specification: the schema of what an account gives, and what it says of consent. */
export function readSpec(spec: Component | undefined): { readonly schema: unknown; readonly consent: Values } {
  spec?.leave('config_normalization_rules')
  const auth = spec?.takeAll('advanced_auth')
  const given = isObject(auth) ? auth['oauth_config_specification'] : undefined
  return { schema: spec?.takeAll('connection_specification'), consent: isObject(given) ? given : {} }
}
