/**
 * Prints a call as text that runs elsewhere. Secrets are variables of the environment. Examples of parameters come from what the definition of an
 * operation says.
 */
import { formatJson, isObject, writeJson } from 'ferrule/internal'
import type { ConnectorRecord } from 'ferrule/wire'
import { completeValue, findKind, readProperties, type Schema } from '../../parts/form/schema.ts'
import { isWrite } from './operation.ts'

/** What is printed. */
export interface SnippetSource {
  /** Address of the service, without a slash at its end. */
  readonly url: string
  /** Organization of the address; undefined: the application reaches one only. */
  readonly organizationId: string | undefined
  readonly connector: ConnectorRecord
  readonly entity: string
  readonly action: string
  readonly params: Schema
  /** Key of a write: a text that is run twice writes once. */
  readonly idempotencyKey: string
}

/** A way to run a call. */
export interface Snippet {
  readonly name: string
  /** What the text needs around it. */
  readonly needs: string
  readonly print: (source: SnippetSource) => string
}

/** Quotes a word for a POSIX shell. */
export const quoteShell = (text: string): string => (/^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text)
const quoteText = (text: string): string => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** Prints a value as TypeScript; every digit is kept. */
export function printValue(value: unknown, indent = ''): string {
  const inner = `${indent}  `
  if (typeof value === 'string') return quoteText(value)
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return `[${value.map((each: unknown) => printValue(each, inner)).join(', ')}]`
  if (!isObject(value)) return writeJson(value)
  const members = Object.entries(value).map(
    ([name, each]) => `${inner}${isName(name) ? name : quoteText(name)}: ${printValue(each, inner)},`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${indent}}`
}

/** Prints a command of a shell, one option a line. */
const printCommand = (...lines: readonly string[]): string => lines.join(' \\\n  ')

/** Lets curl end the answer with a newline, so that the prompt of the shell stands on a line of its own. */
const finalNewline = "--write-out '\\n'"

function printCurl({ url, organizationId, connector, entity, action, params, idempotencyKey }: SnippetSource): string {
  return printCommand(
    `curl --silent --show-error --fail-with-body ${quoteShell(`${url}/api/v1/integrations/connectors/${connector.id}/execute`)}`,
    '--header "Authorization: Bearer $FERRULE_TOKEN"',
    '--header "Content-Type: application/json"',
    ...(organizationId === undefined ? [] : [`--header ${quoteShell(`X-Organization-Id: ${organizationId}`)}`]),
    ...(isWrite(action) ? [`--header ${quoteShell(`Idempotency-Key: ${idempotencyKey}`)}`] : []),
    action === 'download' ? `--output ${quoteShell(entity)}` : finalNewline,
    `--data ${quoteShell(formatJson({ entity, action, params }))}`,
  )
}

function printFerrule({ url, organizationId, connector, entity, action, params }: SnippetSource): string {
  const words = action === 'download' ? ['download', connector.id, entity] : ['execute', connector.id, entity, action]
  return printCommand(
    `ferrule ${words.map(quoteShell).join(' ')} --url ${quoteShell(url)}`,
    ...(organizationId === undefined ? [] : [`--organization ${organizationId}`]),
    ...(Object.keys(params).length === 0 ? [] : [`--params ${quoteShell(formatJson(params))}`]),
    action === 'download' ? `--output ${quoteShell(entity)}` : '--format json',
  )
}

/** Name of the variable that holds a kind, such as `tiktokMarketing`; the entry of the kind exports it. */
const nameKind = (kind: string): string => kind.replaceAll(/-(\w)/g, (_whole, letter: string) => letter.toUpperCase())

/** Prints the call itself, and what is done with its answer. */
function printUse(name: string, { entity, action, params }: SnippetSource): string {
  const given = Object.keys(params).length === 0 ? '' : printValue(params)
  const called = `await ${name}.${entity}.${action}(${given})`
  if (action === 'download') return `const file = ${called}\nawait writeFile(${quoteText(entity)}, file.stream)`
  return `const { data, meta } = ${called}\nconsole.log(data, meta)`
}

const printImports = (action: string, ...imports: readonly string[]): string =>
  [...(action === 'download' ? ["import { writeFile } from 'node:fs/promises'"] : []), ...imports].join('\n')

function printHosted(source: SnippetSource): string {
  const { url, organizationId, connector, action } = source
  const kind = connector.connector_type
  const options = { url, connector: connector.id, ...(organizationId === undefined ? {} : { organizationId }) }
  const name = nameKind(kind)
  return [
    printImports(action, "import { connect } from 'ferrule/core'"),
    `const ${name} = connect(${quoteText(kind)}, ${printValue(options)})`,
    printUse(name, source),
  ].join('\n\n')
}

/** Returns the variable that holds a credential, as the command names it. */
const nameVariable = (kind: string, field: string): string => `${kind}_${field}`.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')

function printOpenSource(source: SnippetSource): string {
  const { connector, action } = source
  const { connector_type: kind, credential_fields: fields, replication_config: config } = connector
  const name = nameKind(kind)
  const credentials = fields.map(
    (field) => `    ${isName(field) ? field : quoteText(field)}: process.env[${quoteText(nameVariable(kind, field))}] ?? '',`,
  )
  const configured = Object.keys(config).length === 0 ? [] : [`  config: ${printValue(config, '  ')},`]
  return [
    printImports(action, "import { connect } from 'ferrule/core'", `import { ${name} } from ${quoteText(`ferrule/${kind}`)}`),
    [`const connector = connect(${name}, {`, '  credentials: {', ...credentials, '  },', ...configured, '})'].join('\n'),
    printUse('connector', source),
    'await connector.close()',
  ].join('\n\n')
}

function printMcp({ url, connector, entity, action, params }: SnippetSource): string {
  const given = { connector: connector.id, entity, action, params }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: isWrite(action) ? 'write' : 'execute', arguments: given } }
  return printCommand(
    `curl --silent --show-error --fail-with-body ${quoteShell(`${url}/mcp`)}`,
    '--header "Authorization: Bearer $FERRULE_MCP_TOKEN"',
    '--header "Content-Type: application/json"',
    '--header "Accept: application/json, text/event-stream"',
    '--header "MCP-Protocol-Version: 2025-11-25"',
    finalNewline,
    `--data ${quoteShell(formatJson(call))}`,
  )
}

const application = 'FERRULE_CLIENT_ID and FERRULE_CLIENT_SECRET are those of an application.'

/** The ways, in their order. */
export const snippets: readonly Snippet[] = [
  {
    name: 'curl',
    needs: 'FERRULE_TOKEN is a token of an application: POST /api/v1/account/applications/token with its client_id and client_secret.',
    print: printCurl,
  },
  { name: 'TypeScript', needs: `The package ferrule. ${application}`, print: printHosted },
  {
    name: 'TypeScript without the service',
    needs: 'The package ferrule. It calls the vendor itself, with credentials from the environment; no service takes part.',
    print: printOpenSource,
  },
  {
    name: 'Command',
    needs: `The package ferrule. ${application} A profile of ferrule login has them too.`,
    print: printFerrule,
  },
  {
    name: 'MCP',
    needs: 'FERRULE_MCP_TOKEN is an MCP token. An agent calls the same tool with the same arguments.',
    print: printMcp,
  },
]

/** Records of an example's page. */
const fewRecords = 10
/** Largest maximum of a page's size; larger bounds are those of other numbers, such as seconds. */
const largestPage = 1_000

const dates: Readonly<Record<string, string>> = { 'date-time': '2025-03-01T00:00:00Z', date: '2025-03-01' }
const startsWithDate = /^\d{4}-\d{2}-\d{2}/

function readExample({ examples }: Schema): string | undefined {
  const first: unknown = Array.isArray(examples) ? examples[0] : undefined
  return typeof first === 'string' ? first : undefined
}

/** Makes the start of a window of time. */
function makeStart(schema: Schema): string | undefined {
  const { format } = schema
  const example = readExample(schema)
  if (example !== undefined) return startsWithDate.test(example) ? example : undefined
  return typeof format === 'string' ? dates[format] : undefined
}

function makeSize({ type, minimum, maximum }: Schema): number | undefined {
  const isSize = type === 'integer' && minimum === 1 && typeof maximum === 'number' && maximum <= largestPage
  return isSize ? Math.min(maximum, fewRecords) : undefined
}

const makeChoice = ({ enum: choices }: Schema): unknown => (Array.isArray(choices) ? choices[0] : undefined)

/** Makes a filter in a string. Lists in strings are left out: their examples are ids of accounts, which others do not have. */
const makeFilter = (schema: Schema): string | undefined =>
  ['json-object', 'json-objects'].includes(String(schema['format'])) ? readExample(schema) : undefined

/** Ways to make a value that says something and runs as it stands. Each is used once: the end of a window says less than its start. */
const makers: readonly ((schema: Schema) => unknown)[] = [makeStart, makeFilter, makeChoice, makeSize]

/** Makes the optional parameters that say most. Ids and positions are left out: only the caller knows them. */
function makeOptional(schema: Schema): Schema {
  const properties = readProperties(schema)
  const inner = properties.flatMap(({ name, schema: each, isRequired }) =>
    isRequired && findKind(each) === 'object' ? [[name, makeOptional(each)] as const] : [],
  )
  const own = makers.flatMap((make) => {
    const found = properties.find(({ schema: each, isRequired }) => !isRequired && make(each) !== undefined)
    return found === undefined ? [] : [[found.name, make(found.schema)] as const]
  })
  return Object.fromEntries([...inner, ...own])
}

const isEmpty = (value: Schema): boolean => Object.values(value).every((each) => isObject(each) && isEmpty(each))

/** Returns whether an object has members that callers must give. */
export const hasRequired = (schema: Schema): boolean =>
  readProperties(schema).some(({ schema: each, isRequired }) => isRequired && (findKind(each) !== 'object' || hasRequired(each)))

/** Returns whether there is an example for parameters. */
export const hasExample = (schema: Schema): boolean => hasRequired(schema) || !isEmpty(makeOptional(schema))

/**
 * Makes an example of parameters.
 * @param smallest the smallest call that is complete, as the reference has it
 */
export const makeExample = (schema: Schema, smallest: Schema): Schema =>
  completeValue(schema, hasRequired(schema) ? smallest : makeOptional(schema))

/** Returns whether an example has placeholders, such as `<id>`. */
export const hasPlaceholders = (params: Schema): boolean => /"<[^"<>]+>"/.test(writeJson(params))
