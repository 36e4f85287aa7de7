/** The API's document (OpenAPI 3.1), printed from the routes and the kinds. */
import type { Kind } from 'ferrule/definition'
import { toPlainSchema } from 'ferrule/internal'
import { problemDetails } from 'ferrule/wire'
import { scopes } from '../../values/scopes.ts'
import { version } from '../../values/version.ts'
import type { Route } from '../route.ts'
import { tagText } from '../unchanged.ts'
import { executeSchemas } from './execute.ts'
import { printPaths } from './paths.ts'
import { namedSchemas, splitTypes } from './shared.ts'
import { type JsonObject, type PrintedDocument, tags } from './types.ts'

/** Sources of the document. */
export interface OpenApiSource {
  readonly routes: readonly Route[]
  readonly kinds: readonly Kind[]
  /** Address that clients use; left out: the address that the document came from. */
  readonly serverUrl?: string | undefined
}

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } })

const headers = {
  RequestId: { description: 'Id of the request: the one that was sent, or a new one', schema: { type: 'string' } },
  RateLimitLimit: integerHeader('Execute calls per minute for the organization'),
  RateLimitRemaining: integerHeader('Calls that are left in this minute'),
  RateLimitReset: integerHeader('Seconds until the minute ends'),
  IdempotentReplayed: {
    description: '`true`: the answer of an earlier call with the same Idempotency-Key, byte for byte; nothing was done now',
    schema: { type: 'string', enum: ['true'] },
  },
}
const parameters = {
  OrganizationId: {
    name: 'X-Organization-Id',
    in: 'header',
    required: false,
    description: 'Organization; needed when the client reaches several',
    schema: { type: 'string', format: 'uuid' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'For create, update and delete: a text of your own for one write on this connector. A repeat of the call with the same key writes nothing and gives the first answer again, for 24 hours. Reads take no notice of it.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  },
}
const securitySchemes = (serverUrl = '') => ({
  client: {
    type: 'oauth2',
    description: 'Client id and client secret; the token is fetched for you',
    flows: {
      clientCredentials: {
        tokenUrl: `${serverUrl}/api/v1/account/applications/token`,
        scopes: Object.fromEntries(scopes.map((scope) => [scope, scope.replace(':', ', ')])),
      },
    },
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access_token of POST /api/v1/account/applications/token',
  },
})

/** The schemas that a route names: its body, its answer and its events. */
const wireSchemas = ({ document }: Route): unknown[] =>
  document === undefined ? [] : [document.body, 'schema' in document.answer ? document.answer.schema : document.answer.event?.data]

/** Builds the document; the same source gives the same document. */
export function openApiDocument({ routes, kinds, serverUrl }: OpenApiSource): JsonObject {
  const schemas = { ...namedSchemas([problemDetails, ...routes.flatMap(wireSchemas)]), ...executeSchemas(kinds) }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Ferrule',
      version,
      description:
        'One operation over every external system: execute an action on an entity with parameters. Errors are problem details (RFC 9457).',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl ?? '/' }],
    security: [{ client: [] }, { bearer: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: printPaths(routes, kinds),
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, splitTypes(toPlainSchema(schema))])),
      headers,
      parameters,
      securitySchemes: securitySchemes(serverUrl),
    },
  }
  return JSON.parse(JSON.stringify(document)) // without what is undefined
}

/** Builds a function that prints the document on its first call and keeps the string. */
export function printOpenApi(source: OpenApiSource): () => PrintedDocument {
  let printed: PrintedDocument | undefined
  return () => {
    printed ??= tagText(JSON.stringify(openApiDocument(source)))
    return printed
  }
}
