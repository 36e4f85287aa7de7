/** Messages of JSON-RPC with every digit of their integers: the SDK of the protocol reads arguments as doubles. */
import { isObject } from '../definition/object.ts'

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

/** A message that is refused before the SDK sees it. */
export interface MessageRefusal {
  /** Code of JSON-RPC. */
  readonly code: number
  readonly message: string
}

/** Codes of JSON-RPC. */
export const messageCodes = { parseError: -32_700, invalidRequest: -32_600 } as const

const hasBigint = (value: unknown): boolean =>
  typeof value === 'bigint' || (typeof value === 'object' && value !== null && Object.values(value).some(hasBigint))

/** Converts integers beyond a double, for the SDK only: tools get the exact ones. */
function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(toPlain)
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toPlain(part)])) : value
}

const refuse = (message: string): { readonly refusal: MessageRefusal } => ({ refusal: { code: messageCodes.invalidRequest, message } })

/** Reads a message. @param value JSON with exact integers */
export function readMessage(value: unknown): { readonly message: McpMessage } | { readonly refusal: MessageRefusal } {
  if (Array.isArray(value)) return refuse('Send one message at a time: batches are not supported.')
  if (!isObject(value)) return refuse('A message must be a JSON object.')
  const { id, method, params } = value
  if (typeof id === 'bigint') return refuse('The id must be a string, or an integer within 2^53.')
  const message = {
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    method: typeof method === 'string' ? method : undefined,
    params: isObject(params) ? params : {},
    plain: hasBigint(value) ? toPlain(value) : value,
  }
  return { message }
}
