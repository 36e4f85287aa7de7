/** The log of the process: JSON lines on standard error, without secrets. */
import { FerruleError } from 'ferrule'
import { getTracing } from 'ferrule/internal'
import { type Logger, pino } from 'pino'

/** Names of members that can hold a secret. No code logs them on purpose; redaction is the second line of defence. */
const secretNames = ['authorization', 'cookie', 'set-cookie', 'client_secret', 'access_token', 'credentials', 'password', 'token', 'body']
const prefixes = ['', '*.', '*.*.', 'req.headers.', 'headers.']
/** Maximum depth of causes in a line. */
const deepestCause = 4

interface ErrorLine {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: ErrorLine
}

/** Builds the logged form of an error: type, message, code, stack and causes, never other members that a library attached. */
function toErrorLine(thrown: unknown, depth = 0): ErrorLine {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown).slice(0, 500) }
  const code = 'code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {}
  const stack = thrown.stack === undefined || thrown instanceof FerruleError ? {} : { stack: thrown.stack }
  const cause = thrown.cause === undefined || depth >= deepestCause ? {} : { cause: toErrorLine(thrown.cause, depth + 1) }
  return { type: thrown.name, message: thrown.message, ...code, ...stack, ...cause }
}

/** Maximum length of lines that wait to be written, in characters; further lines are lost. */
const maxBufferLength = 1_048_576

/** Opens standard error. A full disk loses lines of the log, and nothing else fails. */
const openStandardError = (): { write(line: string): void } =>
  pino.destination({ dest: 2, sync: true, maxLength: maxBufferLength }).on('error', () => undefined)

/**
 * Builds the logger.
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
    ...(getTracing() === undefined ? {} : { mixin: () => ({ ...getTracing()?.getIds() }) }),
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: prefixes.flatMap((prefix) => secretNames.map((name) => prefix + (name.includes('-') ? `["${name}"]` : name))),
      censor: '[secret]',
    },
    serializers: { err: (thrown: unknown) => toErrorLine(thrown) },
  }
  return pino(options, destination ?? openStandardError())
}
