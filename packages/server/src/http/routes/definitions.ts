import { failValidation } from 'ferrule/internal'
import { definitionList, definitionQuery, definitionRecord, definitionReference, endpoints } from 'ferrule/wire'
import { version } from '../../values/version.ts'
import { buildReference } from '../reference/reference.ts'
import { jsonType } from '../reply.ts'
import { type OpenRoute, slot } from '../route.ts'
import { answerTagged, unchangedRoute } from '../unchanged.ts'

function readName({ name }: Readonly<Record<string, unknown>>): string | undefined {
  if (name === undefined || typeof name === 'string') return name
  throw failValidation([{ field: '/name', message: 'must be given once', error_code: 'type' }])
}

/** The kinds that this service runs. */
export const listDefinitions = unchangedRoute({
  ...endpoints.listDefinitions,
  document: {
    id: 'listDefinitions',
    tag: 'definitions',
    summary: 'List the kinds of external systems',
    about: 'The kinds that this service runs, without their fields. `getDefinition` reads one whole.',
    query: definitionQuery,
    answer: { about: 'Kinds', schema: definitionList },
    problems: ['validation_failed'],
  },
  answer: ({ query }, { platform }) => ({ definitions: platform.catalogue.list(readName(query)) }),
})

/** One kind with its credentials, configuration and entities. */
export const getDefinition = unchangedRoute({
  ...endpoints.getDefinition,
  document: {
    id: 'getDefinition',
    tag: 'definitions',
    summary: 'Read a kind: credentials, configuration, entities and actions',
    about: 'The answer has an `ETag`; with `If-None-Match` an unchanged kind is 304.',
    answer: { about: 'The kind', schema: definitionRecord },
    problems: ['connector_type_not_found'],
  },
  answer: (exchange, { platform }) => platform.catalogue.get(slot(exchange, 'definition_id')),
})

/** What the pages of the documents say about a kind. */
export const getDefinitionReference = unchangedRoute({
  ...endpoints.getDefinitionReference,
  document: {
    id: 'getDefinitionReference',
    tag: 'definitions',
    summary: 'Read the reference of a kind: texts, example calls, and operators of searchable fields',
    about: 'The same texts and examples as the documents. The answer has an `ETag`; with `If-None-Match` an unchanged reference is 304.',
    answer: { about: 'The reference', schema: definitionReference },
    problems: ['connector_type_not_found'],
  },
  answer: (exchange, { platform }) => buildReference(platform.catalogue.getKind(slot(exchange, 'definition_id'))),
})

/** The API's document (OpenAPI 3.1), printed once per process. */
export const openApi: OpenRoute = {
  method: 'GET',
  path: '/openapi.json',
  auth: 'none',
  answer: (exchange, { openApi: print }) => answerTagged(exchange, print(), { type: jsonType, headers: { 'cache-control': 'no-cache' } }),
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
