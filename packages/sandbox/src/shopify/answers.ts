/** A vendor answer before its common headers. */
export interface Answer {
  readonly status: number
  /** JSON value; a text is sent as it is. */
  readonly body: unknown
  /** The JSON text of the answer, where it was made piece by piece; then the body does not count. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns a successful answer. */
export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({ status: 200, body, headers })

/** Returns a successful answer with a list. Each record becomes text before the next one is made: pages are large. */
export function okList(key: string, records: Iterable<unknown>, headers: Readonly<Record<string, string>> = {}): Answer {
  const texts: string[] = []
  for (const record of records) texts.push(JSON.stringify(record))
  return { status: 200, body: undefined, text: `{${JSON.stringify(key)}:[${texts.join(',')}]}`, headers }
}

/** Errors in the vendor's shape: a text, or an object of texts or of lists of texts. */
type Errors = string | Readonly<Record<string, string | readonly string[]>>

/** A refusal, thrown wherever a request is found wanting. */
export class Refusal extends Error implements Answer {
  readonly status: number
  readonly body: { readonly errors: Errors }
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, errors: Errors, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`)
    this.status = status
    this.body = { errors }
    this.headers = headers
  }
}

/** The one answer for everything that is not there. */
export const notFound = new Refusal(404, 'Not Found')

const paginationPage = 'See https://shopify.dev/api/usage/pagination-rest for more information.'

/** Returns the refusal of a parameter that may not accompany a cursor. */
export const withCursor = (parameter: string): Refusal =>
  new Refusal(400, { [parameter]: `${parameter} cannot be passed when page_info is present. ${paginationPage}` })

/** The number of a page, which the vendor no longer takes. */
export const pageNumber = new Refusal(400, { page: `page cannot be passed. ${paginationPage}` })

/** Returns the refusal of a token that lacks a scope. */
export const missingScope = (scope: string): Refusal => new Refusal(403, `[API] This action requires merchant approval for ${scope} scope.`)

/** The refusal of an app that may not read protected customer data. */
export const unapproved = new Refusal(
  403,
  '[API] This app is not approved to access REST endpoints with protected customer data. See https://partners.shopify.com/1234567/apps/7654321/customer_data for more details.',
)

/** The refusal of a missing or wrong token. */
export const unauthorized = new Refusal(401, '[API] Invalid API key or access token (unrecognized login or wrong password)', {
  'www-authenticate': 'Basic Realm="Shopify API Authentication"',
})

/** Returns the refusal of a call that no longer fits into the bucket. */
export function tooMany(leak: number, message?: string): Refusal {
  const text = `Exceeded ${leak} calls per second for api client. Reduce request rates to resume uninterrupted service.`
  return new Refusal(429, message ?? text, { 'retry-after': '2.0' })
}

/** Texts for statuses that a fault asks for without one. */
const defaultErrors: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  402: 'Unavailable Shop',
  403: '[API] This action requires merchant approval for read_orders scope.',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  414: 'Request-URI Too Long',
  423: 'This shop is currently locked. Contact support.',
  430: 'Shopify Security Rejection',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** Returns a refusal that a fault or a switch asks for; `leak` is that of the store's plan. */
export function refusalOf(status: number, message?: string, leak = 2): Refusal {
  if (message === undefined && status === 401) return unauthorized
  if (status === 429) return tooMany(leak, message)
  if (status === 422) return new Refusal(422, { base: [message ?? 'is invalid'] })
  return new Refusal(status, message ?? defaultErrors[status] ?? 'Error')
}

function textOf(errors: unknown): string {
  if (typeof errors !== 'object' || errors === null) return String(errors)
  return textOf(Object.values(errors)[0])
}

const forms: Readonly<Record<string, (text: string) => unknown>> = {
  string: (text) => ({ errors: text }),
  object: (text) => ({ errors: { base: text } }),
  fields: (text) => ({ errors: { base: [text] } }),
  array: (text) => ({ errors: [text] }),
  oauth: (text) => ({ error: 'invalid_request', error_description: text }),
  html: (text) => `<!DOCTYPE html><html><body><h1>${text}</h1></body></html>`,
  empty: () => '',
}

/** Returns a refusal in another form; answers that are no refusals stay as they are. */
export function inForm(answer: Answer, form: string): Answer {
  const make = forms[form]
  if (!make || answer.status < 400) return answer
  const { body } = answer
  const errors = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : 'Error'
  return { ...answer, body: make(textOf(errors)) }
}
