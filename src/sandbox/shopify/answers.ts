/** A vendor answer before its common headers. */
export interface Answer {
  readonly status: number
  /** JSON value; a text is sent as it is. */
  readonly body: unknown
  /** The JSON text of the answer, where it was made piece by piece; then the body does not count. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A successful answer. */
export function ok(body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body, headers }
}

/**
 * A successful answer with a list. Each record becomes text before the next one is made: pages are large.
 *
 * @param key - of the list
 * @param records - made while they are read
 */
export function okList(key: string, records: Iterable<unknown>, headers: Readonly<Record<string, string>> = {}): Answer {
  const texts: string[] = []
  for (const record of records) texts.push(JSON.stringify(record))
  return { status: 200, body: undefined, text: `{${JSON.stringify(key)}:[${texts.join(',')}]}`, headers }
}

/** A refusal in the vendor's shape: `errors` is a text, or an object of texts or of lists of texts. */
export function refused(status: number, errors: string | Readonly<Record<string, string | readonly string[]>>): Answer {
  return { status, body: { errors } }
}

/** Tells an answer from a value that was read. */
export function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'status' in value && 'body' in value
}

/** The one answer for everything that is not there. */
export const notFound = refused(404, 'Not Found')

const paginationPage = 'See https://shopify.dev/api/usage/pagination-rest for more information.'

/** A parameter that may not accompany a cursor. */
export function withCursor(parameter: string): Answer {
  return refused(400, { [parameter]: `${parameter} cannot be passed when page_info is present. ${paginationPage}` })
}

/** The number of a page, which the vendor no longer takes. */
export const pageNumber = refused(400, { page: `page cannot be passed. ${paginationPage}` })

/** The refusal of a token that lacks a scope. */
export function missingScope(scope: string): Answer {
  return refused(403, `[API] This action requires merchant approval for ${scope} scope.`)
}

/** The refusal of an app that may not read protected customer data. */
export const unapproved = refused(
  403,
  '[API] This app is not approved to access REST endpoints with protected customer data. See https://partners.shopify.com/1234567/apps/7654321/customer_data for more details.',
)

/** The refusal of a missing or wrong token. */
export const unauthorized: Answer = {
  ...refused(401, '[API] Invalid API key or access token (unrecognized login or wrong password)'),
  headers: { 'www-authenticate': 'Basic Realm="Shopify API Authentication"' },
}

/** The refusal of a call that no longer fits into the bucket. */
export function tooMany(leak: number): Answer {
  const text = `Exceeded ${leak} calls per second for api client. Reduce request rates to resume uninterrupted service.`
  return { ...refused(429, text), headers: { 'retry-after': '2.0' } }
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

/**
 * A refusal that a fault or a switch asks for.
 *
 * @param status - HTTP status
 * @param message - the text; left out: the vendor's
 * @param leak - calls per second of the store's plan
 */
export function refusalOf(status: number, message: string | undefined, leak: number): Answer {
  if (message === undefined && status === 401) return unauthorized
  if (status === 429) return message === undefined ? tooMany(leak) : { ...tooMany(leak), body: { errors: message } }
  const text = message ?? defaultErrors[status] ?? 'Error'
  return status === 422 ? refused(422, { base: [message ?? 'is invalid'] }) : refused(status, text)
}

/** The first text of a refusal. */
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

/** A refusal in another form; answers that are no refusals stay as they are. */
export function inForm(answer: Answer, form: string): Answer {
  const make = forms[form]
  if (!make || answer.status < 400) return answer
  const { body } = answer
  const errors = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : 'Error'
  return { ...answer, body: make(textOf(errors)) }
}
