/** An operation under test, and its pages as they are written. */
import type { Kind } from '../../src/definition/connector.ts'
import type { LiveAction, Operation } from '../../src/definition/entity.ts'
import type { PositionPages } from '../../src/definition/page.ts'
import type { AnswerFile, ExpectedCall, ExpectedPage } from './answers.ts'

/** JSON objects. */
export type Values = Readonly<Record<string, unknown>>
/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

/** An operation of a kind, ready to be tested. */
export interface Subject {
  readonly kind: Kind
  readonly entity: string
  readonly action: LiveAction
  readonly operation: Operation
  readonly answers: AnswerFile
}

/** A page as it is written, with the parameters that ask for it. */
export interface AskedPage {
  readonly page: ExpectedPage
  readonly params: Values
}

/** The refusal of parameters before anything is sent, by a connector without configuration. */
export type Refusal = (subject: Subject, params: unknown) => Promise<{ code: string; fields: string[]; message: string }>

/** Every page of a call: parameters of the next are merged from `next_params`, as clients do it. */
export function pagesOf({ params, pages }: ExpectedCall): AskedPage[] {
  let current = params
  return pages.map((page) => {
    const asked = current
    const next = page.meta?.['next_params']
    if (isObject(next)) current = { ...current, ...next }
    return { page, params: asked }
  })
}

/** The page shape of a list that goes on by a position. */
export function pageOf({ kind, operation }: Subject): PositionPages | undefined {
  const page =
    operation.page === undefined || operation.page === 'none' || operation.onePage ? undefined : kind.definition.pages[operation.page]
  return page !== undefined && 'next' in page ? page : undefined
}
