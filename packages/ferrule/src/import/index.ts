/**
 * The entry `ferrule/import`: makes the text of a kind file of a document. The command and the service use it; a parser and an importer are
 * loaded when a document needs them.
 */
import { isObject } from '../definition/object.ts'
import { DocumentError, type ImportOptions, type LeftOut } from './imported.ts'
import type { Exchange } from './openapi/exchange.ts'

export { DocumentError, type ImportOptions, type LeftOut } from './imported.ts'
export type { Exchange } from './openapi/exchange.ts'

/** Sorts of documents that become kinds. */
export const documentSorts = ['openapi', 'manifest', 'graphql'] as const
/** Sort of a document. */
export type DocumentSort = (typeof documentSorts)[number]

/** The kind file of a document. */
export interface ImportedText {
  /** Text of the file, YAML. */
  readonly text: string
  readonly entities: number
  readonly unsure: number
  readonly leftOut: readonly LeftOut[]
}

const importers = {
  openapi: async () => (await import('./openapi/index.ts')).importOpenapi,
  manifest: async () => (await import('./manifest/import.ts')).importManifest,
  graphql: async () => (await import('./graphql/import-graphql.ts')).importGraphql,
}

/** A line that only the schema language of GraphQL has. */
const schemaLine = /^(?:type|interface|input|enum|schema)\b[^:\n]*\{/m

function findSort(document: unknown): DocumentSort {
  const { openapi, swagger, type, streams, data, __schema: schema } = isObject(document) ? document : {}
  if (openapi !== undefined || swagger !== undefined) return 'openapi'
  if (type === 'DeclarativeSource' || streams !== undefined) return 'manifest'
  if (schema !== undefined || (isObject(data) && data['__schema'] !== undefined)) return 'graphql'
  throw new DocumentError('is no OpenAPI document, no manifest and no schema of GraphQL')
}

/** Parses a document. GraphQL has a language of its own. */
async function parse(text: string, sort: DocumentSort | undefined): Promise<unknown> {
  if (sort === 'graphql' || (sort === undefined && !/^\s*\{/.test(text) && schemaLine.test(text)))
    return (await import('./graphql/schema.ts')).parseSchema(text)
  return (await import('./parse.ts')).parseDocument(text)
}

/**
 * Makes a kind file of the text of a document: OpenAPI or a manifest as JSON or YAML, GraphQL as the answer of an introspection query or in the
 * schema language.
 * @param sort left out: what the document is follows from it
 * @throws DocumentError for a text that cannot be read, and for a document of another sort
 */
export async function importText(
  text: string,
  { sort, ...options }: ImportOptions & { readonly sort?: DocumentSort },
): Promise<ImportedText> {
  const { api } = options
  if (api !== undefined && !URL.canParse(api)) throw new DocumentError(`cannot have the address ${api}: write it with https://`)
  const document = await parse(text, sort)
  const importDocument = await importers[sort ?? findSort(document)]()
  const imported = importDocument(document, options)
  const { writeKindText } = await import('./write.ts')
  return {
    text: await writeKindText(imported),
    entities: Object.keys(imported.file.entities).length,
    unsure: Object.keys(imported.unsure).length,
    leftOut: imported.leftOut,
  }
}

/**
 * Makes the lines of an operation for a kind file from a request that was sent and its answer: an entity, its way of paging, and what is unsure.
 * @throws DocumentError for a request that fits no action of an entity
 */
export async function writeOperation(exchange: Exchange): Promise<string> {
  const { makeOperation } = await import('./openapi/exchange.ts')
  const { writeParts } = await import('./write.ts')
  return (await writeParts(makeOperation(exchange))).trimStart()
}
