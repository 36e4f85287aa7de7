/** Requests that never became one: what Node's parser refuses before any route is known. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { fail } from '../../errors.ts'
import { headersOf, problemBody } from './reply.ts'

/**
 * Answers with a problem and closes the connection.
 * @param error Node's parser error, for example HPE_INVALID_METHOD or HPE_HEADER_OVERFLOW
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy()
    return
  }
  const refused = fail('validation_failed', { reason: reasons[error.code ?? ''] ?? 'it is not HTTP/1.1' })
  const requestId = randomUUID()
  const body = problemBody(refused, requestId)
  const headers = {
    ...headersOf(refused),
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}\r\n${lines.join('')}\r\n${body}`)
}

const reasons: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'its headers are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'it was not sent in time',
}
