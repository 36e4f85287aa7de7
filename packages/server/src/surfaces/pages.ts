/** Documentation pages that are printed from tables and definitions: errors, settings, and one reference page per kind. */

import type { ConnectorDefinition, EntityDefinition, Field, Fields, Kind, LiveAction, Operation } from 'ferrule/definition'
import { listActions } from 'ferrule/engine'
import { buildObjectSchema, errorTable, formatDocumentedType, liveActions } from 'ferrule/internal'
import { readComparison } from '../context/query/columns.ts'
import { describeSettings } from '../platform/settings/table.ts'
import { type FieldRow, fieldRows } from './openapi/field-rows.ts'

const printed = '<!-- Printed by `npm run gen`; do not edit. -->'

/** Escapes the content of a table's cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ')
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `| ${head.map(() => '---').join(' | ')} |`, ...rows.map(row)].join('\n')
}

const page = (...parts: readonly string[]): string => `${[printed, ...parts].join('\n\n')}\n`

/** docs/errors.md */
export function errorsPage(): string {
  const rows = Object.entries(errorTable).map(([code, { status, fault, retryable, message, hint }]) => [
    `\`${code}\``,
    String(status),
    fault,
    retryable ? 'yes' : 'no',
    message,
    hint,
  ])
  return page(
    '# Errors',
    'Every error is a problem (RFC 9457, `application/problem+json`) with these codes; the library throws them as `FerruleError`. Branch on `code`. ' +
      '`fault` says whose turn it is: the caller changes the request, the credentials are replaced or granted more, the vendor or the service needs time. ' +
      '`retryable` says whether the same request can succeed later; writes whose outcome is not known say no. `errors` names each place of a request that is wrong.',
    table(['Code', 'Status', 'Fault', 'Retryable', 'Sentence', 'Next step'], rows),
  )
}

/** docs/settings.md */
export function settingsPage(): string {
  const rows = describeSettings().map(({ name, type, default: standard, about, secret }) => [
    `\`${name}\``,
    about,
    type,
    standard,
    secret ? 'yes' : 'no',
  ])
  return page(
    '# Settings',
    'Environment variables, checked at start: a wrong value or a misspelt name ends the start with one sentence and exit code 78. `ferrule-server settings` prints the same.',
    table(['Name', 'Meaning', 'Value', 'Default', 'Secret'], rows),
  )
}

const fieldTable = (rows: readonly FieldRow[], { withRequired }: { readonly withRequired: boolean }): string =>
  withRequired
    ? table(
        ['Name', 'Type', 'Required', 'Meaning'],
        rows.map((each) => [`\`${each.path}\``, each.type, each.required ? 'yes' : 'no', each.about]),
      )
    : table(
        ['Name', 'Type', 'Meaning'],
        rows.map((each) => [`\`${each.path}\``, each.type, each.about]),
      )

const fields = (given: Fields, options: { readonly withRequired: boolean }): string =>
  fieldTable(fieldRows(buildObjectSchema(given)), options)

/** Describes how a list continues, in one sentence. */
function pageSentence({ page: shape, onePage }: Operation, definition: ConnectorDefinition): string {
  const how = shape === undefined || shape === 'none' ? undefined : definition.pages[shape]
  if (how === undefined || onePage) return 'One page.'
  if (!('next' in how)) return `Further parts: \`${how.parts.entity}\` get with \`meta.next_params\`.`
  const { meta, param, from, count } = how.next
  if (count !== undefined)
    return `Pages: merge \`meta.next_params\`, or raise \`${param}\` while it is below \`${count.last}\` of \`meta.${meta}\`.`
  const value = from === undefined ? `\`meta.${meta}\`` : `\`${from}\` of the URL in \`meta.${meta}\``
  return `Pages: merge \`meta.next_params\`, or put ${value} into \`${param}\`.`
}

/** Kind and entity of an operation. */
interface Of {
  readonly definition: ConnectorDefinition
  readonly entity: EntityDefinition
}

const openInDocuments = (what: string): string => `The specification leaves its ${what} open; these are from the vendor's pages.`

/** Which fields of a record, and which searchable ones, the specification leaves open. */
function recordSentence({ filled }: EntityDefinition): string[] {
  const fieldNames = filled?.record === 'all' ? 'fields' : `fields ${(filled?.record ?? []).map((name) => `\`${name}\``).join(', ')}`
  return [
    ...(filled?.record === undefined ? [] : [openInDocuments(fieldNames)]),
    ...(filled?.searchable === undefined ? [] : [openInDocuments('searchable fields')]),
  ]
}

function operationPart(name: string, { action, operation, ...of }: { action: LiveAction; operation: Operation } & Of): string[] {
  const sentences = [
    operation.about,
    action === 'list' || operation.page !== undefined ? pageSentence(operation, of.definition) : undefined,
  ].filter((each) => each !== undefined)
  const params = Object.keys(operation.params).length === 0 ? 'No parameters.' : fields(operation.params, { withRequired: true })
  const filled = of.entity.filled?.params?.includes(action) ? [openInDocuments('parameters')] : []
  return [`### ${name} ${action}`, [...sentences, `Vendor: \`${operation.call}\`.`, ...filled].join(' '), params]
}

/** Where searchable fields come from when a record alone does not have them. */
const describeOrigin = (from: string): string =>
  from.startsWith('parent.') ? `from \`${from.slice('parent.'.length)}\` of the record that it belongs to` : `from \`${from}\``

/** Prints the searchable fields of an entity, with special comparisons. */
function searchPart(name: string, { context_store_search: searchable, sync }: EntityDefinition): string[] {
  if (searchable === undefined) return []
  const project = sync?.project ?? {}
  const rows = Object.entries(searchable).map(([field, schema]: [string, Field]) => {
    const from = project[field]
    const origin = from === undefined || from === field ? '' : `; ${describeOrigin(from)}`
    const compares = {
      instant: 'compares as a timestamp',
      decimal: 'compares as a number',
      lower: 'equal whatever the case; only known and stored values',
      text: '',
    }[readComparison(schema)]
    const about: unknown = Reflect.get(schema, 'description')
    return [`\`${field}\``, formatDocumentedType(schema), compares, `${typeof about === 'string' ? about : ''}${origin}`]
  })
  return [
    `### ${name} context_store_search`,
    'Searches the synced copy: [how](../search.md). Searchable fields:',
    table(['Field', 'Type', 'Order and equality', 'Meaning'], rows),
  ]
}

function entityPart(name: string, entity: EntityDefinition, definition: ConnectorDefinition): string[] {
  const operations = liveActions.flatMap((action) => {
    const operation = entity[action]
    return operation === undefined ? [] : operationPart(name, { action, operation, definition, entity })
  })
  const record =
    entity.record === undefined ? [] : [`### ${name} record`, ...recordSentence(entity), fields(entity.record, { withRequired: false })]
  return [`## ${name}`, `${entity.about}.`, ...operations, ...searchPart(name, entity), ...record]
}

function summaryPart({ entities }: ConnectorDefinition): string {
  const rows = Object.entries(entities).map(([name, entity]) => [`[\`${name}\`](#${name})`, listActions(entity).join(', '), entity.about])
  return table(['Entity', 'Actions', 'What it is'], rows)
}

/** docs/reference/<kind>.md */
export function referencePage({ definition }: Kind): string {
  const schemes = Object.entries(definition.credentials).flatMap(([name, scheme]) => [
    `### ${scheme.title} (\`${name}\`)`,
    fields(scheme.fields, { withRequired: true }),
  ])
  const configuration =
    Object.keys(definition.configuration).length === 0 ? 'None.' : fields(definition.configuration, { withRequired: true })
  const entities = Object.entries(definition.entities).flatMap(([name, entity]) => entityPart(name, entity, definition))
  return page(
    `# ${definition.title} (\`${definition.kind}\`)`,
    `${definition.about}. Definition id \`${definition.id}\`. [The vendor's pages](${definition.documentation})`,
    summaryPart(definition),
    'A record has every documented field, within its objects too: one that the vendor leaves out is null, whatever its type. Where the vendor is known to leave it out, the type says "or null". What the vendor sends beside the documented fields is kept.',
    '## Credentials',
    'One scheme, recognised by the fields that are given.',
    ...schemes,
    '## Configuration',
    'Values of `replication_config` on the platform, `config` in the library.',
    configuration,
    ...entities,
  )
}
