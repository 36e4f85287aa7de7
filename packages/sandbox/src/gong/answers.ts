/** A JSON object as the vendor sends it. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** A vendor answer before `requestId` is put in front of it. */
export interface Answer {
  readonly status: number
  readonly value: JsonRecord
  readonly headers?: Readonly<Record<string, string>>
  /** Scopes that the answer needs beside that of its route. */
  readonly needs?: readonly string[]
  /** Last change to the JSON text, for what JSON values cannot say. */
  readonly rewrite?: (text: string) => string
}

/** Returns a successful answer. */
export const ok = (value: JsonRecord): Answer => ({ status: 200, value })

/** A refusal in the vendor's shape, texts only and no codes; thrown wherever a request is found wanting. */
export class Refusal extends Error implements Answer {
  readonly status: number
  readonly value: JsonRecord
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text)
    this.status = status
    this.value = { errors: [text] }
    this.headers = headers
  }
}

/** Returns the refusal of a value that a request holds. */
export const badRequest = (problem: string): Refusal => new Refusal(400, `Bad request: ${problem}`)

/** Texts for statuses that a fault asks for without one. */
export const usualErrors: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'The access token has been revoked',
  403: 'Access denied',
  404: 'No calls found corresponding to the provided filters',
  405: 'Method Not Allowed',
  409: 'Conflict',
  415: 'Unsupported Media Type',
  429: 'API request limit exceeded',
  500: 'Internal server error occurred',
  503: 'Service unavailable',
}

/** Returns a refusal of a status with its usual text; 404 is the one for every empty list of calls. */
export const usualRefusal = (status: number, headers: Readonly<Record<string, string>> = {}): Refusal =>
  new Refusal(status, usualErrors[status] ?? 'Error', headers)
