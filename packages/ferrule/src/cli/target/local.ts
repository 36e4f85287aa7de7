/** Connects to a vendor with credentials of the environment: no service takes part. */
import type { RequestOptions } from '../../client/transport.ts'
import type { KindDocument, Schema, SchemeDocument } from '../../document/kind-document.ts'
import { readProperties } from '../../document/read-schema.ts'
import { failSetting } from '../failure.ts'
import { parseObject } from '../params.ts'
import { parseTyped } from '../typed-values.ts'
import type { LocalKind } from './kinds.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the variable of a field: kind and field in capitals, with `_` for other characters. `gong`, `access_key`: GONG_ACCESS_KEY. */
export const nameVariable = (kind: string, field: string): string => `${kind}_${field}`.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')

function readFields(kind: string, schema: Schema, env: Environment): Record<string, unknown> {
  return Object.fromEntries(
    readProperties(schema).flatMap(([field, own]) => {
      const name = nameVariable(kind, field)
      const text = env[name]
      return text === undefined || text === '' ? [] : [[field, parseTyped(name, text, own)]]
    }),
  )
}

const listRequired = (schema: Schema): readonly string[] => (Array.isArray(schema['required']) ? schema['required'].map(String) : [])

/** Chooses the scheme whose required fields the environment has; the one with the most fields of those. */
function chooseScheme({ kind, title, credentials }: KindDocument, env: Environment): Record<string, unknown> {
  const given = credentials.map((scheme) => ({ scheme, values: readFields(kind, scheme.schema, env) }))
  const complete = given.filter(({ scheme, values }) => listRequired(scheme.schema).every((name) => Object.hasOwn(values, name)))
  const [best] = complete.toSorted((one, other) => Object.keys(other.values).length - Object.keys(one.values).length)
  if (best !== undefined) return best.values
  const describe = ({ title: name, schema }: SchemeDocument): string =>
    `${listRequired(schema)
      .map((field) => nameVariable(kind, field))
      .join(' and ')} (${name})`
  throw failSetting(`The environment has no credentials of ${title}.`, `Set ${credentials.map(describe).join(', or ')}.`)
}

/** What runs the operations of one connector, at the service or in this process. It has no types of a kind: that is known only when the program runs. */
export interface Executor {
  execute(entity: string, action: string, params: Schema, options: RequestOptions & { readonly resume?: boolean }): Promise<unknown>
  close(): Promise<void>
}

/** What `connect` takes, from the environment. */
export interface LocalOptions {
  readonly credentials: Readonly<Record<string, unknown>>
  readonly config: Readonly<Record<string, unknown>>
  readonly origin?: unknown
}

/**
 * Reads credentials, configuration and address from the environment. The engine checks them against the definition.
 * @throws FerruleError `setting_invalid` when a variable is missing
 */
export function readLocalOptions(document: KindDocument, env: Environment): LocalOptions {
  const { kind, title, configuration } = document
  const credentials = chooseScheme(document, env)
  const config = readFields(kind, configuration, env)
  const missing = listRequired(configuration).filter((name) => !Object.hasOwn(config, name))
  if (missing.length > 0)
    throw failSetting(
      `The configuration of ${title} is not complete.`,
      `Set ${missing.map((name) => nameVariable(kind, name)).join(', ')}.`,
    )
  const origin = env[nameVariable(kind, 'origin')]
  const given = origin?.startsWith('{') ? parseObject(origin, nameVariable(kind, 'origin')) : origin
  return { credentials, config, ...(given ? { origin: given } : {}) }
}

/**
 * Connects to the vendor: the connector that `connect` gives.
 * @throws FerruleError `setting_invalid` when a variable is missing
 */
export const connectLocal = ({ document, connect }: LocalKind, env: Environment): Executor =>
  connect(readLocalOptions(document, env)) as Executor
