/** The message of a request, read with every digit of its integers: the SDK reads arguments as doubles. */
import { asFerruleError, isObject } from 'ferrule/internal'
import { readAnyJson } from '../http/body.ts'

/** Id of a JSON-RPC request. */
export type MessageId = string | number

/** A JSON-RPC message. */
export interface McpMessage {
  /** Undefined for a notification and for anything that is no request. */
  readonly id: MessageId | undefined
  readonly method: string | undefined
  /** Parameters with exact integers; an empty object without any. */
  readonly params: Readonly<Record<string, unknown>>
  /** The whole message for the SDK, which takes no bigint. */
  readonly plain: unknown
}

/** A message that is refused before the SDK sees it: a JSON-RPC error with its HTTP status. */
export interface MessageRefusal {
  readonly status: number
  /** Code of JSON-RPC. */
  readonly code: number
  readonly message: string
}

const [parseError, invalidRequest] = [-32_700, -32_600]

const hasBigint = (value: unknown): boolean =>
  typeof value === 'bigint' || (typeof value === 'object' && value !== null && Object.values(value).some(hasBigint))

/** Converts integers beyond a double, for the SDK only: tools get the exact ones. */
function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(toPlain)
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toPlain(part)])) : value
}

const refuse = (message: string, code = invalidRequest): MessageRefusal => ({ status: 400, code, message })

/**
 * Reads the body of a request.
 * @param bytes the body
 */
export function readMessage(bytes: Uint8Array): McpMessage | MessageRefusal {
  try {
    return toMessage(readAnyJson(bytes))
  } catch (thrown) {
    const { code, message } = asFerruleError(thrown)
    return refuse(message, code === 'malformed_json' ? parseError : invalidRequest)
  }
}

function toMessage(value: unknown): McpMessage | MessageRefusal {
  if (Array.isArray(value)) return refuse('Send one message for each request: batches are not supported.')
  if (!isObject(value)) return refuse('A message must be a JSON object.')
  const { id, method, params } = value
  if (typeof id === 'bigint') return refuse('The id must be a string, or an integer within 2^53.')
  return {
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    method: typeof method === 'string' ? method : undefined,
    params: isObject(params) ? params : {},
    plain: hasBigint(value) ? toPlain(value) : value,
  }
}
