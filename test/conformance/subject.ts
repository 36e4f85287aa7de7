/** An operation under test, and its pages as they are written. */
import { kinds as written } from '../../packages/ferrule/src/connectors/index.ts'
import type { ConnectorDefinition, Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { type EntityDefinition, type LiveAction, liveActions, type Operation } from '../../packages/ferrule/src/definition/entity.ts'
import { connector } from '../../packages/ferrule/src/definition/index.ts'
import type { PartPages, PositionPages } from '../../packages/ferrule/src/definition/page.ts'
import type { AnswerFile, ExpectedCall, ExpectedPage } from './answers.ts'

/** JSON objects. */
export type Values = Readonly<Record<string, unknown>>
/** Returns whether a value is a JSON object. */
export const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every kind by its slug, after its definition went through JSON: a definition is data, and nothing of it lies beside the data. */
export const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  Object.entries<Kind>(written).map(([slug, { definition, rules }]) => [
    slug,
    connector<ConnectorDefinition>(JSON.parse(JSON.stringify(definition)), rules),
  ]),
)

/** An operation of a kind, ready to be tested. */
export interface Subject {
  readonly kind: Kind
  readonly entity: string
  readonly action: LiveAction
  readonly operation: Operation
  readonly answers: AnswerFile
}

/** What a client asks for. */
export interface Asked {
  readonly entity: string
  readonly action: string
  readonly params: Values
}

/** A page as it is written, with what asks for it. */
export interface AskedPage extends Asked {
  readonly page: ExpectedPage
}

/** The refusal of parameters before anything is sent, by a connector without configuration. */
export type Refusal = (subject: Subject, params: unknown) => Promise<{ code: string; fields: string[]; message: string }>

/** Builds the request for the next page as clients do: parameters are merged, or belong to the operation that the meta names. */
export function nextOf(asked: Asked, meta: Values = {}): Asked | undefined {
  const { next_params: params, next_operation: operation } = meta
  if (!isObject(params)) return undefined
  if (!isObject(operation)) return { ...asked, params: { ...asked.params, ...params } }
  return { entity: String(operation['entity']), action: String(operation['action']), params }
}

/** Every page of a call. */
export function pagesOf({ entity, action }: Pick<Subject, 'entity' | 'action'>, { params, pages }: ExpectedCall): AskedPage[] {
  let next: Asked = { entity, action, params }
  return pages.map((page) => {
    const asked = next
    next = nextOf(asked, page.meta) ?? asked
    return { page, ...asked }
  })
}

/** The entity and the operation that a page is asked of. */
export function operationAt({ definition }: Kind, { entity, action }: Asked): { entity: EntityDefinition; operation: Operation } {
  const found = definition.entities[entity]
  const [operation] = liveActions.filter((live) => live === action).map((live) => found?.[live])
  if (found === undefined || operation === undefined) throw new Error(`no ${entity} ${action}`)
  return { entity: found, operation }
}

/** The page shape of an operation whose result comes in parts. */
export function partsOf({ kind, operation }: Pick<Subject, 'kind' | 'operation'>): PartPages | undefined {
  const page = operation.page === undefined || operation.page === 'none' ? undefined : kind.definition.pages[operation.page]
  return page !== undefined && 'parts' in page ? page : undefined
}

/** Returns the page shape of a list that continues by a position. */
export function pageOf({ kind, operation }: Subject): PositionPages | undefined {
  const page =
    operation.page === undefined || operation.page === 'none' || operation.onePage ? undefined : kind.definition.pages[operation.page]
  return page !== undefined && 'next' in page ? page : undefined
}
