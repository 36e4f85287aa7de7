import { opt, str } from '../../../definition/fields.ts'
import { validationFailed } from '../../../engine/credentials.ts'
import { type CallerRoute, slot } from '../route.ts'

const path = '/api/v1/integrations/definitions/sources'

function nameOf({ name }: Readonly<Record<string, unknown>>): string | undefined {
  if (name === undefined || typeof name === 'string') return name
  throw validationFailed([{ field: '/name', message: 'must be given once', error_code: 'type' }])
}

/** The kinds that this service runs. */
export const listDefinitions: CallerRoute = {
  method: 'GET',
  path,
  auth: 'caller',
  document: {
    id: 'listDefinitions',
    tag: 'definitions',
    summary: 'List the kinds of external systems',
    query: { name: opt(str('Part of the title or slug, in any case')) },
    answer: { about: 'Kinds', schema: 'DefinitionList' },
    problems: ['validation_failed'],
  },
  answer: ({ query }, { platform }) => ({ json: { definitions: platform.catalogue.list(nameOf(query)) } }),
}

/** One kind with its credentials, configuration and entities. */
export const getDefinition: CallerRoute = {
  method: 'GET',
  path: `${path}/{definition_id}`,
  auth: 'caller',
  document: {
    id: 'getDefinition',
    tag: 'definitions',
    summary: 'Read a kind: credentials, configuration, entities and actions',
    answer: { about: 'The kind', schema: 'Definition' },
    problems: ['connector_type_not_found'],
  },
  answer: (exchange, { platform }) => ({ json: platform.catalogue.get(slot(exchange, 'definition_id')) }),
}
