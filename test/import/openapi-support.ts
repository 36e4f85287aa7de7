/** Small documents of invented vendors. */

import { importOpenapi } from '../../packages/ferrule/src/import/openapi/index.ts'
import type { FileOperation, KindFile } from '../../packages/ferrule/src/kind-file/file.ts'

/** Anything of a document. */
export type Json = Readonly<Record<string, unknown>>

/** Types of properties by name: `id: 'integer'`, or a schema. */
export type Properties = Readonly<Record<string, string | Json>>

/** Makes the schema of an object. */
export const object = (properties: Properties): Json => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, typeof type === 'string' ? { type } : type])),
})
/** Makes the schema of a list of objects. */
export const list = (properties: Properties): Json => ({ type: 'array', items: object(properties) })

/** Makes an operation that answers JSON. @param parameters names of query parameters with their schemas */
export const answer = (schema: Json | undefined, parameters: Properties = {}, rest: Json = {}): Json => ({
  parameters: Object.entries(parameters).map(([name, type]) => ({ name, in: 'query', schema: typeof type === 'string' ? { type } : type })),
  responses: { 200: schema === undefined ? { description: '' } : { description: '', content: { 'application/json': { schema } } } },
  ...rest,
})
/** Makes an operation with a body. */
export const send = (body: Json, schema: Json | undefined, type = 'application/json'): Json => ({
  ...answer(schema),
  requestBody: { content: { [type]: { schema: body } } },
})

/** Makes a document. */
export const makeDocument = (paths: Json, rest: Json = {}): Json => ({
  openapi: '3.1.0',
  info: { title: 'Acme API', version: '1' },
  servers: [{ url: 'https://api.acme.example/v1' }],
  paths,
  ...rest,
})

/** Imports a document with these paths. */
export const importPaths = (paths: Json, rest: Json = {}) => importOpenapi(makeDocument(paths, rest), { kind: 'acme' })

/** Returns the full form of a list of a file, with its way of paging. */
export function readList({ entities, lists = {}, pages = {} }: Pick<KindFile, 'entities' | 'lists' | 'pages'>, name: string) {
  const list = entities[name]?.list
  const full: Partial<FileOperation> = typeof list === 'object' ? list : {}
  const way = full.pages ?? lists.pages
  return { at: full.at ?? lists.at, way: way === undefined || way === 'none' ? way : pages[way], params: full.params }
}
