import { failValidation } from 'ferrule/internal'
import { definitionList, definitionQuery, definitionRecord, endpoints } from 'ferrule/wire'
import { callerRoute, slot } from '../route.ts'

function readName({ name }: Readonly<Record<string, unknown>>): string | undefined {
  if (name === undefined || typeof name === 'string') return name
  throw failValidation([{ field: '/name', message: 'must be given once', error_code: 'type' }])
}

/** The kinds that this service runs. */
export const listDefinitions = callerRoute({
  ...endpoints.listDefinitions,
  auth: 'caller',
  document: {
    id: 'listDefinitions',
    tag: 'definitions',
    summary: 'List the kinds of external systems',
    query: definitionQuery,
    answer: { about: 'Kinds', schema: definitionList },
    problems: ['validation_failed'],
  },
  answer: ({ query }, { platform }) => ({ json: { definitions: platform.catalogue.list(readName(query)) } }),
})

/** One kind with its credentials, configuration and entities. */
export const getDefinition = callerRoute({
  ...endpoints.getDefinition,
  auth: 'caller',
  document: {
    id: 'getDefinition',
    tag: 'definitions',
    summary: 'Read a kind: credentials, configuration, entities and actions',
    answer: { about: 'The kind', schema: definitionRecord },
    problems: ['connector_type_not_found'],
  },
  answer: (exchange, { platform }) => ({ json: platform.catalogue.get(slot(exchange, 'definition_id')) }),
})
