/** Small manifests of invented vendors, for the tests of their importer. */
import { type ImportedManifest, importManifest } from '../../packages/ferrule/src/import/manifest/import.ts'
import { parseDocument } from '../../packages/ferrule/src/import/parse.ts'
import { writeKindText } from '../../packages/ferrule/src/import/write.ts'
import { type ReadKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'

const indent = (text: string, by: number): string =>
  text
    .trim()
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}`)
    .join('\n')

/** Parts of the one stream of a manifest, each as YAML. */
export interface StreamParts {
  /** Keys of the requester. */
  readonly requester?: string
  /** Keys of the retriever. */
  readonly retriever?: string
  /** Keys of the stream. */
  readonly stream?: string
  /** Further streams. */
  readonly streams?: string
  /** Keys of the specification. */
  readonly spec?: string
  readonly authenticator?: string
  readonly path?: string
  readonly method?: string
  readonly base?: string
  readonly fieldPath?: string
}

const usualSpec = `
connection_specification:
  type: object
  required: [token]
  properties:
    token: { type: string, title: Token of an account, airbyte_secret: true }
    start_date: { type: string, title: First day }
`
const usualAuthenticator = `
type: BearerAuthenticator
api_token: "{{ config['token'] }}"
`

/** Writes a manifest with one stream, `notes`. */
export const writeManifest = (parts: StreamParts = {}): string => `version: 6.1.0
type: DeclarativeSource
check: { type: CheckStream, stream_names: [notes] }
streams:
  - type: DeclarativeStream
    name: notes
    primary_key: id
    schema_loader:
      type: InlineSchemaLoader
      schema:
        type: object
        properties:
          id: { type: string, description: Id of the note }
          title: { type: [string, "null"] }
          changed_at: { type: string, format: date-time }
${indent(parts.stream ?? '{}', 4).replace(/^\s*\{\}$/, '')}
    retriever:
      type: SimpleRetriever
      record_selector:
        type: RecordSelector
        extractor: { type: DpathExtractor, field_path: ${parts.fieldPath ?? '[data]'} }
${indent(parts.retriever ?? '{}', 6).replace(/^\s*\{\}$/, '')}
      requester:
        type: HttpRequester
        url_base: ${parts.base ?? 'https://api.papers.example/v1'}
        path: ${parts.path ?? '/notes'}
        http_method: ${parts.method ?? 'GET'}
${indent(parts.requester ?? '{}', 8).replace(/^\s*\{\}$/, '')}
        authenticator:
${indent(parts.authenticator ?? usualAuthenticator, 10)}
${indent(parts.streams ?? '{}', 2).replace(/^\s*\{\}$/, '')}
spec:
  type: Spec
  documentation_url: https://papers.example/docs
${indent(parts.spec ?? usualSpec, 2)}
`

/** Imports a manifest, and reads the file that is written. */
export async function importText(text: string): Promise<ImportedManifest & { readonly text: string; readonly read: ReadKind }> {
  const imported = importManifest(await parseDocument(text), { kind: 'papers' })
  const written = await writeKindText(imported)
  return { ...imported, text: written, read: await readKind(written, { name: 'papers.kind.yaml' }) }
}
