/** The log of the process: JSON lines on standard error, without secrets. */
import { type Logger, pino } from 'pino'
import { FerruleError } from '../errors.ts'

/** Names under which a secret could travel. None of them is logged on purpose; this is the second wall. */
const secretNames = ['authorization', 'cookie', 'set-cookie', 'client_secret', 'access_token', 'credentials', 'password', 'token', 'body']
const places = ['', '*.', '*.*.', 'req.headers.', 'headers.']
/** Errors within errors that are shown. */
const deepestCause = 4

interface ErrorLine {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: ErrorLine
}

/** An error as a log shows it: what was thrown where, and never the values that a library attached to it. */
function errorLine(thrown: unknown, depth = 0): ErrorLine {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown).slice(0, 500) }
  const code = 'code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {}
  const stack = thrown.stack === undefined || thrown instanceof FerruleError ? {} : { stack: thrown.stack }
  const cause = thrown.cause === undefined || depth >= deepestCause ? {} : { cause: errorLine(thrown.cause, depth + 1) }
  return { type: thrown.name, message: thrown.message, ...code, ...stack, ...cause }
}

/** Characters of lines that wait because they cannot be written; more are lost. */
const mostWaiting = 1_048_576

/** Standard error. A disk that is full loses lines of the log, and nothing else. */
const standardError = (): { write(line: string): void } =>
  pino.destination({ dest: 2, sync: true, maxLength: mostWaiting }).on('error', () => undefined)

/**
 * Makes the logger.
 * @param options `level`: the lowest level that is logged; `destination`: takes the lines, default standard error
 */
export function createLogger({
  level,
  destination,
}: {
  readonly level: string
  readonly destination?: { write(line: string): void }
}): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: places.flatMap((place) => secretNames.map((name) => place + (name.includes('-') ? `["${name}"]` : name))),
      censor: '[secret]',
    },
    serializers: { err: (thrown: unknown) => errorLine(thrown) },
  }
  return pino(options, destination ?? standardError())
}
