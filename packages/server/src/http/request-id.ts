import { randomUUID } from 'node:crypto'

const sane = /^[A-Za-z0-9._-]{1,128}$/

/** The id of a request: the client's `X-Request-Id` when it is 1 to 128 letters, digits, dots, dashes and underscores, else a UUID. */
export const chooseRequestId = (given: string | readonly string[] | undefined): string =>
  typeof given === 'string' && sane.test(given) ? given : randomUUID()
