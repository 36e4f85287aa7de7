import { type EntityDefinition, type Kind, open } from 'ferrule/definition'
import {
  buildCallExamples,
  type Comparison,
  describeInParts,
  fail,
  fieldOperators,
  findUnsuited,
  readSlug,
  standAlone,
} from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import { type ServedKind, summarize } from '../../connectors/connector-types.ts'
import { describeServedKind } from '../../connectors/kinds.ts'
import { buildSearchTable } from '../../copies/search/columns.ts'
import { parseFieldPath } from '../../copies/search/field-paths.ts'
import type { PathType } from '../../copies/search/tree.ts'
import type { Caller } from '../../values/access.ts'
import { failField, readQuery } from '../../values/read.ts'
import { onceInSlices, type Steps } from '../../values/slices.ts'
import { version } from '../../values/version.ts'
import { type Exchange, type OpenRoute, type PrincipalRoute, principalRoute, type Services, slot } from '../route.ts'
import { answerPacked, unchangedRoute } from '../unchanged.ts'

/** Builds the reference of a kind, each entity in steps of its own. */
export function* buildReferenceInSteps(kind: Kind): Steps<wire.DefinitionReference> {
  const { definition } = kind
  yield
  const sections: wire.DefinitionReference['sections'][number][] = []
  for (const { blocks, ...section } of describeInParts(definition)) {
    sections.push({ ...section, blocks: blocks.map(standAlone) })
    yield
  }
  const searches: wire.DefinitionReference['searches'][number][] = []
  for (const [entity, each] of Object.entries(definition.entities)) {
    const fields = describeSearchFields(definition.kind, entity, each)
    const references = Object.entries(each.refers ?? {}).map(([field, target]) => ({ field, entity: target }))
    if (fields.length > 0) searches.push({ entity, fields, references })
    yield
  }
  const examples = Object.values(buildCallExamples([kind])).map(({ value }) => value)
  return { id: readSlug(definition.kind), title: definition.title, sections, examples, searches }
}

/** Builds the reference of a kind at its first request, and keeps it. */
const buildReference = onceInSlices(buildReferenceInSteps)

interface DescribedField {
  readonly field: string
  readonly type: PathType
  readonly compares: Comparison
  /** Operators that the parser accepts for the field. */
  readonly operators: readonly string[]
}

const pointer = { at: '' }

/** Describes the searchable fields of an entity, in the order of its definition; none for an entity without a search. */
function describeSearchFields(kind: string, entity: string, definition: EntityDefinition): readonly DescribedField[] {
  if (definition.context_store_search === undefined) return []
  const table = buildSearchTable(kind, entity, definition)
  return table.columns.map(({ name }) => {
    const { path } = parseFieldPath({ table }, name, pointer)
    const operators = fieldOperators.filter((operator) => findUnsuited(operator, path.type) === undefined)
    return { field: name, type: path.type, compares: path.compare, operators }
  })
}

function readName({ name }: Readonly<Record<string, unknown>>): string | undefined {
  if (name === undefined || typeof name === 'string') return name
  throw failField('/name', 'must be given once', 'type')
}

/** Returns the kinds that a caller can name. */
export const findCatalogue = ({ who: { organizationId } }: Pick<Exchange<Caller>, 'who'>, { platform: { kinds } }: Services) =>
  organizationId === null ? kinds.served : kinds.of(organizationId)

async function findKind(exchange: Exchange<Caller>, { platform: { kinds } }: Services): Promise<ServedKind> {
  const { version } = readQuery(wire.definitionVersionQuery, exchange.query)
  const { organizationId } = exchange.who
  const name = slot(exchange.params, 'definition_id')
  if (organizationId !== null) return kinds.getVersion(organizationId, name, version)
  const kind = kinds.served.getKind(name)
  if (version !== undefined) throw fail('kind_not_found', {})
  return kind
}

/** The kinds that this service runs, and those of the organization. */
export const listDefinitions = unchangedRoute({
  ...wire.endpoints.listDefinitions,
  showsOwnKinds: true,
  document: {
    id: 'listDefinitions',
    tag: 'definitions',
    summary: 'List the kinds of external systems',
    about: 'The kinds that this service runs and those of the organization, without their fields. `getDefinition` reads one whole.',
    query: wire.definitionQuery,
    answer: { about: 'Kinds', schema: wire.definitionList },
    problems: ['validation_failed'],
  },
  answer: async (exchange, services) => ({ definitions: (await findCatalogue(exchange, services)).list(readName(exchange.query)) }),
})

/** One kind with its credentials, configuration and entities. */
export const getDefinition = unchangedRoute({
  ...wire.endpoints.getDefinition,
  showsOwnKinds: true,
  document: {
    id: 'getDefinition',
    tag: 'definitions',
    summary: 'Read a kind: credentials, configuration, entities and actions',
    about: 'The answer has an `ETag`; with `If-None-Match` an unchanged kind is 304.',
    query: wire.definitionVersionQuery,
    answer: { about: 'The kind', schema: wire.definitionRecord },
    problems: ['connector_type_not_found', 'kind_not_found', 'validation_failed'],
  },
  answer: async (exchange, services) => describeServedKind(await findKind(exchange, services)),
})

/** What the pages of the documents say about a kind. */
export const getDefinitionReference = unchangedRoute({
  ...wire.endpoints.getDefinitionReference,
  showsOwnKinds: true,
  document: {
    id: 'getDefinitionReference',
    tag: 'definitions',
    summary: 'Read the reference of a kind: texts, example calls, and operators of searchable fields',
    about: 'The same texts and examples as the documents. The answer has an `ETag`; with `If-None-Match` an unchanged reference is 304.',
    query: wire.definitionVersionQuery,
    answer: { about: 'The reference', schema: wire.definitionReference },
    problems: ['connector_type_not_found', 'kind_not_found', 'validation_failed'],
  },
  answer: async (exchange, services) => buildReference(await findKind(exchange, services)),
})

/** The API's document (OpenAPI 3.1), with the kinds that this service runs. */
export const openApi: OpenRoute = {
  method: 'GET',
  path: '/openapi.json',
  auth: 'none',
  answer: async (exchange, { openApi }) => answerPacked(exchange, await openApi.read([]), 'no-cache'),
}

/** The API's document of an organization: with the newest version of each of its kinds. */
export const getOpenApi: PrincipalRoute = {
  ...wire.endpoints.getOpenApi,
  auth: 'principal',
  document: {
    id: 'getOpenApi',
    tag: 'definitions',
    summary: 'Read the OpenAPI document of the organization',
    about:
      '`/openapi.json` with the kinds of the organization too, each in its newest version. `getDefinition` describes another version. ' +
      'The answer has an `ETag`; with `If-None-Match` an unchanged document is 304. `Accept-Encoding: gzip` makes it a twentieth.',
    answer: { about: 'The document', schema: open('An OpenAPI 3.1 document'), isTagged: true },
    problems: ['result_too_large'],
  },
  answer: async (exchange, { openApi, platform: { kinds } }) => {
    const { kinds: all, findKind } = await kinds.of(exchange.who.organizationId)
    // A kind of the service that came later has the name.
    const own = all.filter((kind) => kind.own !== undefined && findKind(readSlug(summarize(kind).kind)) === kind)
    return answerPacked(exchange, await openApi.read(own), 'private, no-cache')
  },
}

/** The address itself: the console for people, a few links for programs. */
export const home: OpenRoute = {
  method: 'GET',
  path: '/',
  auth: 'none',
  answer: (exchange) =>
    exchange.header('accept')?.includes('text/html')
      ? { redirect: 'console' }
      : {
          json: {
            name: 'Ferrule',
            version,
            console: '/console',
            documentation: '/docs',
            openapi: '/openapi.json',
            health: '/health/ready',
          },
        },
}

/** A small kind: it works on every service. */
const example = {
  file: `kind: acme
title: Acme
about: Customers of Acme
category: CRM
docs: https://docs.acme.example/api
api: https://api.acme.example
auth:
  token:
    title: API token
    fields: { token: secret API token }
    find: Settings > API
    send: { authorization: 'Bearer {token}' }
check: customers.list
entities:
  customers:
    about: Customers
    key: id
    fields: { id: string Id of the customer, name: string? Name }
    list: { call: GET /customers, pages: none }
`,
}

export const listKinds = principalRoute('listKinds', {
  tag: 'kinds',
  summary: 'List the kinds of the organization',
  about: 'The kinds that the organization uploaded, without their files. `listDefinitions` has them beside those of the service.',
  scope: 'connectors:read',
  returns: { about: 'Kinds', schema: wire.kindList },
  problems: ['organization_forbidden'],
  answer: async ({ who }, { platform }) => ({ json: await platform.ownKinds.list(who) }),
})

export const importKind = principalRoute('importKind', {
  tag: 'kinds',
  summary: 'Make a kind file of a document',
  about:
    'Stores nothing, and fetches nothing: the request has the text of the document, at most 8 MiB. What was guessed, and what the document does not say, stands in `unsure` of the file; `checkKind` lists it.',
  scope: 'connectors:write',
  largestBody: wire.largestDocument,
  body: wire.kindDocument,
  example: {
    kind: 'acme',
    document: JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Acme' },
      servers: [{ url: 'https://api.acme.example' }],
      paths: { '/customers': { get: { responses: { 200: { description: 'Customers' } } } } },
    }),
  },
  returns: { about: 'The file, and what it cannot say', schema: wire.kindImport },
  problems: ['organization_forbidden', 'validation_failed', 'overloaded'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.ownKinds.importDocument(who, body) }),
})

export const checkKind = principalRoute('checkKind', {
  tag: 'kinds',
  summary: 'Check a kind file, and see what it would change',
  about: 'Stores nothing. A file with mistakes is a result, not an error.',
  scope: 'connectors:write',
  body: wire.kindInput,
  example,
  returns: { about: 'Mistakes, doubts and changes', schema: wire.kindCheck },
  problems: ['organization_forbidden', 'validation_failed', 'overloaded'],
  answer: async ({ who, params, body }, { platform }) => ({ json: await platform.ownKinds.check(who, slot(params, 'slug'), body) }),
})

export const publishKind = principalRoute('publishKind', {
  tag: 'kinds',
  summary: 'Publish a kind file as the newest version',
  about:
    'Connectors stay with the version that they were made with, until `patchConnector` moves them by `kind_version`. The same file again changes nothing.',
  scope: 'connectors:write',
  body: wire.kindInput,
  example,
  returns: { about: 'The kind', schema: wire.kindPublication },
  problems: ['kind_invalid', 'kind_changed', 'organization_forbidden', 'validation_failed', 'overloaded'],
  answer: async ({ who, params, body }, { platform }) => ({ json: await platform.ownKinds.publish(who, slot(params, 'slug'), body) }),
})

export const getKind = principalRoute('getKind', {
  tag: 'kinds',
  summary: 'Read a kind of the organization with its file',
  scope: 'connectors:read',
  query: wire.kindQuery,
  returns: { about: 'The kind', schema: wire.kindRecord },
  problems: ['kind_not_found', 'organization_forbidden', 'validation_failed'],
  answer: async ({ who, params, query }, { platform }) => ({ json: await platform.ownKinds.get(who, slot(params, 'slug'), query) }),
})

export const listKindVersions = principalRoute('listKindVersions', {
  tag: 'kinds',
  summary: 'List the versions of a kind',
  about: 'Each with its changes against the version before it. Versions that connectors run stay, and the newest twenty others.',
  scope: 'connectors:read',
  returns: { about: 'Versions', schema: wire.kindVersionList },
  problems: ['kind_not_found', 'organization_forbidden'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.ownKinds.listVersions(who, slot(params, 'slug')) }),
})

export const deleteKind = principalRoute('deleteKind', {
  tag: 'kinds',
  summary: 'Delete a kind that no connector uses',
  about: 'All its versions go, and the OAuth client at its vendor.',
  scope: 'connectors:write',
  returns: { about: 'The deleted kind', schema: wire.kindRemoval },
  problems: ['kind_not_found', 'kind_in_use', 'organization_forbidden'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.ownKinds.remove(who, slot(params, 'slug')) }),
})
