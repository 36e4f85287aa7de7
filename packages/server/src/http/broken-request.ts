/** Answers to requests that Node's parser refuses. */

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import { buildErrorHeaders, problemBody } from './reply.ts'

/** Node's own names of statuses. An `import` of `node:http` would load Node's `fetch` with it: 40 ms of a start, and 14 MB. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/**
 * Answers with a problem and closes the connection.
 * @param error Node's parser error, for example HPE_INVALID_METHOD or HPE_HEADER_OVERFLOW
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy()
    return
  }
  const refused = toRefusal(error)
  const requestId = randomUUID()
  const body = problemBody(refused, requestId)
  const headers = {
    ...buildErrorHeaders(refused),
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}\r\n${lines.join('')}\r\n${body}`)
}

/** A client that takes longer to send its request is cut off. Milliseconds. */
export const requestTimeout = 60_000

const toRefusal = ({ code }: NodeJS.ErrnoException): FerruleError => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fail('request_timeout', { seconds: requestTimeout / 1_000 })
  return fail('validation_failed', { reason: code === 'HPE_HEADER_OVERFLOW' ? 'its headers are too long' : 'it is not HTTP/1.1' })
}
