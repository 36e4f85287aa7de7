/** Fetches metadata documents of clients: from public addresses only, small ones, without redirects. */
import type { Http } from 'ferrule/internal'

/** Largest document, in bytes. */
export const documentBytes = 16 * 1_024
/** Time for a document, in milliseconds. */
const documentMs = 5_000

/** Sends requests. */
export type DocumentHttp = Pick<Http, 'open' | 'close'>

const copied = ['content-type', 'cache-control', 'expires'] as const

/** Builds the `fetch` of the library: it replaces the library's own, which connects before it looks at the address. */
export const createDocumentFetch =
  (http: () => DocumentHttp) =>
  async (input: string | URL | Request): Promise<Response> => {
    const answer = await http().open({
      url: new URL(input instanceof Request ? input.url : input),
      trust: 'answer',
      method: 'GET',
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(documentMs),
      vendor: 'the client',
    })
    const { status, headers, body } = answer
    const chunks: Buffer[] = []
    let length = 0
    try {
      if (status !== 200 || headers['content-encoding'] !== undefined) return new Response(null, { status: 502 })
      for await (const chunk of body) {
        length += chunk.length
        if (length > documentBytes) return new Response(null, { status: 502 })
        chunks.push(chunk)
      }
    } finally {
      body.destroy()
    }
    const known = copied.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]] as [string, string]] : []))
    return new Response(Buffer.concat(chunks), { headers: known })
  }
