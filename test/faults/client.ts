/** An HTTP client that opens one connection per request, and can walk away from an answer at any byte. */
import { type IncomingHttpHeaders, request } from 'node:http'
import { contract } from '../http/contract.ts'
import type { Json } from '../http/support.ts'

/** A request. */
export interface Asked {
  readonly url: string
  readonly token?: string
  /** Sent as JSON by POST; without it the request is a GET. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Goes away once so many bytes of the answer's body have come. */
  readonly leaveAfter?: number
}

/** An answer, read to its end. */
export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The JSON body; throws when it is missing. */
  readonly json: Json
}

/** The client went away on purpose. */
export class LeftError extends Error {
  override readonly name = 'LeftError'
}

/** The answer ended before its time. */
export class BrokenError extends Error {
  override readonly name = 'BrokenError'
}

/**
 * Sends a request and reads the answer.
 * @throws BrokenError when the service breaks the connection; LeftError when `leaveAfter` is reached; the signal's reason
 */
export function ask({ url, token, body, headers: more, signal, leaveAfter = Number.POSITIVE_INFINITY }: Asked): Promise<Answered> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...more,
  }
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const sent = request(url, {
    method: text === undefined ? 'GET' : 'POST',
    headers,
    agent: false,
    ...(signal === undefined ? {} : { signal }),
  })
  const broken = (error: Error) => reject(signal?.aborted ? signal.reason : new BrokenError(error.message))
  sent.once('error', broken)
  sent.once('response', (message) => {
    const chunks: Buffer[] = []
    let received = 0
    message.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      received += chunk.length
      if (received < leaveAfter) return
      reject(new LeftError(`after ${received} bytes`))
      sent.destroy()
    })
    message.once('error', broken)
    message.once('end', () => {
      try {
        resolve(
          checked(url, text === undefined ? 'GET' : 'POST', answered(message.statusCode ?? 0, message.headers, Buffer.concat(chunks))),
        )
      } catch (error) {
        reject(error)
      }
    })
  })
  sent.end(text)
  return promise
}

/** Compares an answer of the service with the API's document. @throws Error when they differ */
function checked(url: string, method: string, answer: Answered): Answered {
  const { pathname, search } = new URL(url)
  const { status, headers, text } = answer
  if (pathname.startsWith('/api/')) contract().check({ method, path: pathname + search }, { status, type: headers['content-type'], text })
  return answer
}

const answered = (status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answered => {
  const text = bytes.toString('utf8')
  return {
    ...{ status, headers, bytes, text },
    get json() {
      return JSON.parse(text)
    },
  }
}
