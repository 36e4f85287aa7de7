import { endpoints } from '../../wire/endpoints.ts'
import type {
  KindCheck,
  KindDocument,
  KindImport,
  KindInput,
  KindList,
  KindPublication,
  KindQuery,
  KindRecord,
  KindRemoval,
  KindSummary,
  KindVersionList,
} from '../../wire/kinds.ts'
import type { RequestOptions, Transport } from '../transport.ts'

/** Kinds that the organization brings itself. */
export class Kinds {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the kinds of the organization, without their files. */
  async list(options: RequestOptions = {}): Promise<readonly KindSummary[]> {
    const { data }: KindList = await this.#transport.json(endpoints.listKinds, options)
    return data
  }

  /** Reads a kind with its file. @param query `version`: of the file; left out: the newest. @throws FerruleError `kind_not_found` */
  get(slug: string, query: KindQuery = {}, options: RequestOptions = {}): Promise<KindRecord> {
    return this.#transport.json(endpoints.getKind, { slots: { slug }, query, ...options })
  }

  /** Lists the versions of a kind with their changes, the newest first. @throws FerruleError `kind_not_found` */
  async versions(slug: string, options: RequestOptions = {}): Promise<KindVersionList['data']> {
    const { data }: KindVersionList = await this.#transport.json(endpoints.listKindVersions, { slots: { slug }, ...options })
    return data
  }

  /**
   * Makes a kind file of a document: OpenAPI, a manifest, or a schema of GraphQL. Stores nothing.
   * @param body `document`: its text; `kind`: slug of the kind
   * @throws FerruleError `validation_failed` for a document that cannot be read
   */
  importDocument(body: KindDocument, options: RequestOptions = {}): Promise<KindImport> {
    return this.#transport.json(endpoints.importKind, { body, ...options })
  }

  /** Checks a file, and says what it would change. Stores nothing. @param body `file`: its text, YAML or JSON */
  check(slug: string, body: KindInput, options: RequestOptions = {}): Promise<KindCheck> {
    return this.#transport.json(endpoints.checkKind, { slots: { slug }, body, ...options })
  }

  /**
   * Publishes a file as the newest version. Connectors stay with theirs until `connectors.patch` moves them by `kind_version`.
   * @param body `file`: its text; `newest`: the version that you know of, so that nobody overwrites the work of others
   * @throws FerruleError `kind_invalid` with all mistakes, `kind_changed`
   */
  publish(slug: string, body: KindInput, options: RequestOptions = {}): Promise<KindPublication> {
    return this.#transport.json(endpoints.publishKind, { slots: { slug }, body, ...options })
  }

  /** Deletes a kind that no connector uses. @throws FerruleError `kind_not_found`, `kind_in_use` */
  delete(slug: string, options: RequestOptions = {}): Promise<KindRemoval> {
    return this.#transport.json(endpoints.deleteKind, { slots: { slug }, ...options })
  }
}
