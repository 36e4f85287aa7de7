/** Describes a kind in sections of blocks, from its definition alone. The reference pages and the documents for agents are printed from them. */
import { type ConnectorDefinition, type CredentialScheme, readSlug } from '../definition/connector.ts'
import { type EntityDefinition, type LiveAction, listActions, liveActions, type Operation } from '../definition/entity.ts'
import type { Field, Fields, Finding } from '../definition/fields.ts'
import { buildObjectSchema, formatDocumentedType, readComparison } from '../definition/plain-schema.ts'
import { listWebhookRules, type WebhookEffect, type WebhookRule } from '../definition/webhooks.ts'
import { type Block, code, type FieldRow, fieldRows, heading, paragraph, table } from './blocks.ts'
import { describeOwnFields } from './own-fields.ts'

const effects: Readonly<Record<WebhookEffect, string>> = {
  changed: 'read again',
  removed: 'removed',
  redact: 'forgotten',
  uninstalled: 'the OAuth client was removed at the vendor',
}

function describeRule({ does, entity, under = {} }: WebhookRule): string {
  if (entity === undefined) return does === 'redact' ? 'the whole account is forgotten' : effects[does]
  const by = Object.keys(under).map((field) => ` by \`${field}\``)
  return `\`${entity}\`${by.join()}: ${effects[does]}`
}

/** Describes webhooks; empty for a kind without any. @param finding where people find the secret */
function describeWebhooks({ title, webhooks }: ConnectorDefinition, finding: string): readonly Block[] {
  if (webhooks === undefined) return []
  const { signature, account, events, topic } = webhooks
  const how = signature.scheme === 'hmac' ? 'HMAC-SHA256' : 'a token (RS256)'
  const whose =
    account === undefined
      ? 'Events name no account: each connector needs an address of its own.'
      : 'Events name their account, so one address can serve many connectors.'
  return [
    paragraph(`${title} can tell a service what changed. It signs each event with ${how} in the header \`${signature.header}\`. ${whose}`),
    paragraph(`The secret is \`${signature.secret}\`. ${finding}`),
    table(
      [topic === undefined ? 'Event' : 'Topic', 'What happens'],
      Object.entries(events).map(([name, rules]) => [`\`${name}\``, listWebhookRules(rules).map(describeRule).join('; ')]),
    ),
  ]
}

/** A part of a kind's description that can be read by itself. */
export interface Section {
  /** `entity:<name>` for entities. */
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly blocks: readonly Block[]
}

const fieldTable = (rows: readonly FieldRow[], { withRequired }: { readonly withRequired: boolean }): Block =>
  withRequired
    ? table(
        ['Name', 'Type', 'Required', 'Meaning'],
        rows.map((each) => [`\`${each.path}\``, each.type, each.required ? 'yes' : 'no', each.about]),
      )
    : table(
        ['Name', 'Type', 'Meaning'],
        rows.map((each) => [`\`${each.path}\``, each.type, each.about]),
      )

const fields = (given: Fields, options: { readonly withRequired: boolean }): Block =>
  fieldTable(fieldRows(buildObjectSchema(given)), options)

/** Describes where people find a value: a sentence, the vendor's menu, and the role that they need there. */
function describeFinding({ says, menu, url, role }: Finding): string {
  const name = menu === undefined ? 'The page of the vendor' : `**${menu}**`
  const where = url === undefined ? (menu === undefined ? undefined : name) : `[${name}](${url})`
  return [says, where === undefined ? '' : `${where}.`, role === undefined ? '' : `Role: ${role}.`].filter((each) => each !== '').join(' ')
}

const filledFields = (given: Fields): Block =>
  table(
    ['Name', 'Type', 'Required', 'Meaning', 'Where to find it'],
    fieldRows(buildObjectSchema(given)).map(({ path, type, required, about }) => {
      const field = given[path]
      return [`\`${path}\``, type, required ? 'yes' : 'no', about, describeFinding(field?.['x-find'] ?? { says: '' })]
    }),
  )

/** Describes the consent page of a scheme, for those who consent and for the operator. */
const describeConsent = ({ consent }: CredentialScheme): Block[] => {
  if (consent === undefined) return []
  const fields = consent.oauthClient.map((field) => `\`${field}\``).join(' and ')
  const scopes = consent.scopes === undefined ? '' : ` It needs the scopes ${consent.scopes.map((scope) => `\`${scope}\``).join(', ')}.`
  return [paragraph(`By a consent page. ${consent.who} The page belongs to the operator's OAuth client (${fields}).${scopes}`)]
}

/** Describes how a list continues, in one sentence. */
function pageSentence({ page: shape, onePage }: Operation, definition: ConnectorDefinition): string {
  const how = definition.pages[shape ?? '']
  if (how === undefined || onePage) return 'One page.'
  if ('position' in how) return 'Pages: merge `meta.next_params`.'
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

function operationPart(name: string, { action, operation, ...of }: { action: LiveAction; operation: Operation } & Of): Block[] {
  const sentences = [
    operation.about,
    action === 'list' || operation.page !== undefined ? pageSentence(operation, of.definition) : undefined,
  ].filter((each) => each !== undefined)
  const params = Object.keys(operation.params).length === 0 ? paragraph('No parameters.') : fields(operation.params, { withRequired: true })
  const filled = of.entity.filled?.params?.includes(action) ? [openInDocuments('parameters')] : []
  return [heading(3, `${name} ${action}`), paragraph([...sentences, `Vendor: \`${operation.call}\`.`, ...filled].join(' ')), params]
}

/** Where searchable fields come from when a record alone does not have them. */
const describeOrigin = (from: string): string =>
  from.startsWith('parent.') ? `from \`${from.slice('parent.'.length)}\` of the record that it belongs to` : `from \`${from}\``

/** Prints the searchable fields of an entity, with special comparisons. */
function searchPart(name: string, { context_store_search: searchable, sync }: EntityDefinition): Block[] {
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
    return [`\`${field}\``, formatDocumentedType(schema), compares, `${schema.description ?? ''}${origin}`]
  })
  return [
    heading(3, `${name} context_store_search`),
    paragraph('[Searches](../search.md) the synced copy. Searchable fields:'),
    table(['Field', 'Type', 'Order and equality', 'Meaning'], rows),
  ]
}

const printEntityLink = (name: string): string => `[\`${name}\`](#${name})`

const referencePart = ({ refers = {} }: EntityDefinition): Block[] => {
  const all = Object.entries(refers).map(([path, name]) => `\`${path}\` to ${printEntityLink(name)}`)
  return all.length === 0 ? [] : [paragraph(`[Refers](../search.md#related-records) by ${all.join(', by ')}.`)]
}

function describeEntity(name: string, entity: EntityDefinition, definition: ConnectorDefinition): Section {
  const operations = liveActions.flatMap((action) => {
    const operation = entity[action]
    return operation === undefined ? [] : operationPart(name, { action, operation, definition, entity })
  })
  const record =
    entity.record === undefined
      ? []
      : [heading(3, `${name} record`), ...recordSentence(entity).map(paragraph), fields(entity.record, { withRequired: false })]
  const own = describeOwnFields(entity)
  const blocks = [
    paragraph(`${entity.about}.${own === undefined ? '' : ` ${own}.`}`),
    ...operations,
    ...searchPart(name, entity),
    ...referencePart(entity),
    ...record,
  ]
  return { id: `entity:${name}`, title: name, summary: entity.about, blocks }
}

function summaryTable({ entities }: ConnectorDefinition): Block {
  const rows = Object.entries(entities).map(([name, entity]) => [printEntityLink(name), listActions(entity).join(', '), entity.about])
  return table(['Entity', 'Actions', 'What it is'], rows)
}

/** Kinds of the library itself. No file can have the slug of one where a service reads it. */
const certified = ['gong', 'shopify', 'snowflake', 'tiktok-marketing']

/** Returns whether a kind is one of the library's own, which recorded answers and stand-ins test. */
export const isCertified = ({ kind }: Pick<ConnectorDefinition, 'kind'>): boolean => certified.includes(kind)

/** Says who tried a kind, as the catalogue's level of support does. */
const describeSupport = (definition: ConnectorDefinition): string =>
  isCertified(definition)
    ? '**Certified**: it ships with the library, and recorded answers of each operation and a stand-in of the vendor test it.'
    : "**Community**: it was made from the vendor's documents, and nobody here has tried it with an account of the vendor."

const describeOverview = (definition: ConnectorDefinition): Section => ({
  id: 'overview',
  title: `${definition.title} (\`${readSlug(definition.kind)}\`)`,
  summary: definition.about,
  blocks: [
    paragraph(`${definition.about}. Definition id \`${definition.id}\`. [The vendor's pages](${definition.documentation})`),
    paragraph(describeSupport(definition)),
    summaryTable(definition),
    ...drawRelations(definition.entities),
    paragraph(
      'A record has every documented field, within its objects too: one that the vendor leaves out is null, whatever its type. Where the vendor is known to leave it out, the type says "or null". What the vendor sends beside the documented fields is kept.',
    ),
  ],
})

const describeCredentials = ({ credentials }: ConnectorDefinition): Section => ({
  id: 'credentials',
  title: 'Credentials',
  summary: 'Authentication schemes and their fields',
  blocks: [
    paragraph('One scheme, recognised by the fields that are given.'),
    ...Object.entries(credentials).flatMap(([name, scheme]) => [
      heading(3, `${scheme.title} (\`${name}\`)`),
      ...describeConsent(scheme),
      filledFields(scheme.fields),
    ]),
  ],
})

const describeConfiguration = ({ configuration }: ConnectorDefinition): Section => ({
  id: 'configuration',
  title: 'Configuration',
  summary: 'Values of replication_config',
  blocks: [
    paragraph('Values of `replication_config` on the platform, `config` in the library.'),
    Object.keys(configuration).length === 0 ? paragraph('None.') : filledFields(configuration),
  ],
})

function* describeEvents(definition: ConnectorDefinition): Generator<Section, void, undefined> {
  if (definition.webhooks === undefined) return
  const blocks = describeWebhooks(definition, describeFinding(definition.webhooks.signature.find))
  yield { id: 'webhooks', title: 'Webhooks', summary: 'Which records the events of the vendor name', blocks }
}

function* describeDetails(definition: ConnectorDefinition): Generator<Section, void, undefined> {
  yield describeCredentials(definition)
  yield describeConfiguration(definition)
  yield* describeEvents(definition)
  for (const [name, entity] of Object.entries(definition.entities)) yield describeEntity(name, entity, definition)
}

/** Describes a kind: an overview, credentials, configuration, and a section for each entity. */
export const describeKind = (definition: ConnectorDefinition): readonly [Section, ...Section[]] => [
  describeOverview(definition),
  ...describeDetails(definition),
]

/** Describes a kind as `describeKind` does, each section when it is asked for. */
export function* describeInParts(definition: ConnectorDefinition): Generator<Section, void, undefined> {
  yield describeOverview(definition)
  yield* describeDetails(definition)
}

/** References of an entity to another one, by the paths of its fields. */
interface Relation {
  readonly from: string
  readonly to: string
  readonly path: string
}

/** Draws what refers to an entity: an arrow with a branch for each entity, and below it the further paths. */
function drawTarget(to: string, relations: readonly Relation[], width: number): string {
  const pad = ' '.repeat(to.length)
  const last = relations.findLastIndex(({ from }, index) => relations[index - 1]?.from !== from)
  const lines = relations.map(({ from, path }, index) => {
    const isFurther = relations[index - 1]?.from === from
    const branch =
      last === 0 && index === 0 ? '───' : isFurther ? (index > last ? '   ' : ' │ ') : index === 0 ? '─┬─' : index === last ? ' └─' : ' ├─'
    return `${index === 0 ? `${to} ◄` : `${pad}  `}${branch} ${(isFurther ? '' : from).padEnd(width)}  ${path}`
  })
  return lines.join('\n')
}

/**
 * Draws the relations of a kind with characters. Everything that shows blocks, programs of agents among them, shows this picture.
 * @returns no blocks where nothing refers to anything
 */
export function drawRelations(entities: Readonly<Record<string, EntityDefinition>>): readonly Block[] {
  const relations = Object.entries(entities).flatMap(([from, { refers = {} }]) =>
    Object.entries(refers).map(([path, to]): Relation => ({ from, to, path })),
  )
  if (relations.length === 0) return []
  const width = Math.max(...relations.map(({ from }) => from.length))
  const drawn = [...Map.groupBy(relations, ({ to }) => to)].map(([to, all]) => drawTarget(to, all, width))
  return [
    paragraph('Records refer to each other. Arrows lead from the fields of an entity to what they refer to:'),
    code('text', drawn.join('\n\n')),
  ]
}
