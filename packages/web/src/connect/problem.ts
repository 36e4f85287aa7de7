/** Errors of the page. */
import type { ProblemRecord } from 'ferrule/wire'

/** What an error names of a form. */
export interface FieldProblem {
  /** JSON pointer into what was sent, such as `/configuration/shop`. */
  readonly field: string
  readonly message: string
}

/** Takes the pointer off the start of a sentence: the page names the field by its label. */
const withoutField = (field: string, message: string): string =>
  field !== '' && message.startsWith(field) ? message.slice(field.length).replace(/^:?\s+/, '') : message

/** An answer of the service that refuses, or none. */
export class PageProblem extends Error {
  readonly code: string
  readonly hint: string
  readonly details: readonly FieldProblem[]
  /** The vendor's own words. */
  readonly vendorSays: string | undefined
  readonly requestId: string | undefined

  constructor({
    code,
    message,
    hint,
    errors = [],
    upstream,
    request_id,
  }: Partial<ProblemRecord> & Pick<ProblemRecord, 'message' | 'hint'>) {
    super(message)
    this.code = code ?? 'page_error'
    this.hint = hint
    this.details = errors
      .map(({ field, message: says }) => ({ field, message: withoutField(field, says) }))
      .filter((each) => each.message !== message)
    this.vendorSays = upstream?.message
    this.requestId = request_id
  }
}

/** Codes after which the link or the session of this page has ended. */
const endings = ['connect_link_closed', 'connect_link_not_found', 'connect_session_missing']

/** Returns whether nothing more can be done with this page. */
export const isEnding = ({ code }: PageProblem): boolean => endings.includes(code)

/** Turns any thrown value into a problem. */
export function toProblem(thrown: unknown): PageProblem {
  if (thrown instanceof PageProblem) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new PageProblem({ message, hint: 'Load the page again. What you typed is not stored anywhere.' })
}
