/** Asks for credentials and configuration, as the schema of the kind names them. Secrets are hidden. */
import { isObject } from '../definition/object.ts'
import type { KindDocument, Schema, SchemeDocument } from '../document/kind-document.ts'
import type { CommandContext } from './context.ts'
import { failUsage } from './failure.ts'
import { listNames, parseTyped } from './typed-values.ts'

const instead = '--from-file with credentials and replication_config, or - for standard input'

const readField = (schema: Schema, name: string): Schema => {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const field = properties[name]
  return isObject(field) ? field : {}
}

const listRequired = (schema: Schema): readonly string[] => (Array.isArray(schema['required']) ? schema['required'].map(String) : [])

async function chooseScheme({ title, credentials }: KindDocument, { ask }: CommandContext): Promise<SchemeDocument> {
  const [first, second] = credentials
  if (first === undefined) throw failUsage(`${title} takes no credentials.`, `Give ${instead}.`)
  if (second === undefined) return first
  const options = credentials.map(({ scheme, title: label }) => ({ value: scheme, label }))
  const chosen = await ask.select({ message: `Credentials of ${title}`, instead, options })
  return credentials.find(({ scheme }) => scheme === chosen) ?? first
}

/** Asks for one field: its description is the question. */
async function askField(name: string, schema: Schema, { ask }: CommandContext): Promise<unknown> {
  const { description, pattern, enum: choices } = schema
  const message = typeof description === 'string' ? `${name}: ${description}` : name
  if (schema['writeOnly'] === true) return ask.secret({ message, instead })
  if (Array.isArray(choices))
    return ask.select({ message, instead, options: choices.map(String).map((value) => ({ value, label: value })) })
  const rule = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined
  const check = (text: string): string | undefined => (rule === undefined || rule.test(text) ? undefined : `It must match ${pattern}.`)
  return parseTyped(name, await ask.text({ message, instead, check }), schema)
}

/** Asks for the required fields of a schema. */
async function askFields(schema: Schema, context: CommandContext): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const name of listNames(schema)) {
    if (listRequired(schema).includes(name)) values[name] = await askField(name, readField(schema, name), context)
  }
  return values
}

/**
 * Asks for credentials, and for the configuration unless it is given.
 * @throws FerruleError `validation_failed` without a terminal
 */
export async function askCredentials(kind: KindDocument, given: Schema, context: CommandContext) {
  if (!context.ask.canAsk) throw failUsage(`Credentials of ${kind.title} are missing.`, `There is no terminal to ask on. Give ${instead}.`)
  const { schema } = await chooseScheme(kind, context)
  const credentials = await askFields(schema, context)
  if (given['replication_config'] !== undefined) return { credentials }
  const configuration = await askFields(kind.configuration, context)
  return { credentials, ...(Object.keys(configuration).length === 0 ? {} : { replication_config: configuration }) }
}
