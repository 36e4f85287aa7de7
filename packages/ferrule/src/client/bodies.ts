/** Reads bodies of answers within a bound. */
import { fail } from '../errors.ts'

/** Largest answer that is read into memory, in bytes. The service's own answers are smaller; what is larger is not its answer. */
const largestAnswer = 256 * 1024 * 1024

const tooLarge = () => fail('service_answer_invalid', { reason: `it is larger than ${largestAnswer} bytes` }, { retryable: false })

/** Collects a body of unstated length up to the bound. */
async function collect(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > largestAnswer) throw tooLarge()
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  parts.push(decoder.decode())
  return parts.join('')
}

/**
 * Reads a body as text.
 * @throws FerruleError `service_answer_invalid` when the body is too large; what the connection throws
 */
export async function readText(response: Response): Promise<string> {
  const stated = response.headers.get('content-length')
  if (stated !== null && Number(stated) > largestAnswer) throw tooLarge()
  return stated !== null || response.body === null ? response.text() : collect(response.body)
}
