import type {
  DefinitionList,
  DefinitionQuery,
  DefinitionRecord,
  DefinitionReference,
  DefinitionSummary,
  SkillDocs,
  SkillDocsQuery,
  SkillPage,
  SkillQuery,
} from '../../wire/definitions.ts'
import { endpoints } from '../../wire/endpoints.ts'
import type { RequestOptions, Transport } from '../transport.ts'

/** Kinds of external systems that the service runs. */
export class Definitions {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the kinds. */
  async list(query: DefinitionQuery = {}, options: RequestOptions = {}): Promise<readonly DefinitionSummary[]> {
    const parts = { query, ...options }
    return (await this.#transport.json<DefinitionList>(endpoints.listDefinitions, parts)).definitions
  }

  /**
   * Reads a kind: credentials, configuration, entities and actions.
   * @param id definition id or slug
   * @param options `version`: of a kind of the organization; left out: the newest
   */
  get(id: string, { version, ...options }: RequestOptions & { readonly version?: number | undefined } = {}): Promise<DefinitionRecord> {
    return this.#transport.json(endpoints.getDefinition, { slots: { definition_id: id }, query: { version }, ...options })
  }

  /** Reads the reference of a kind: what its pages say, example calls, and the operators of searchable fields. @param id definition id or slug */
  reference(id: string, options: RequestOptions = {}): Promise<DefinitionReference> {
    return this.#transport.json(endpoints.getDefinitionReference, { slots: { definition_id: id }, ...options })
  }

  /** Reads the OpenAPI 3.1 document of the API, with the kinds of the organization: the newest version of each. */
  openApi(options: RequestOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.#transport.json(endpoints.getOpenApi, options)
  }

  /** Lists the documents for agents, one for each kind. */
  skills(query: SkillQuery = {}, options: RequestOptions = {}): Promise<SkillPage> {
    return this.#transport.json(endpoints.listSkills, { query, ...options })
  }

  /** Reads the document of a kind: its outline with the overview, or one section. */
  docs(query: SkillDocsQuery, options: RequestOptions = {}): Promise<SkillDocs> {
    return this.#transport.json(endpoints.getSkillDocs, { query, ...options })
  }
}
