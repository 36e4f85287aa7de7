/**
 * Reads the error of a file's host. Storage services answer XML, `<Error><Code>…</Code><Message>…</Message>…`
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). The other elements quote the request and are ignored.
 */
import type { Readable } from 'node:stream'
import type { StreamAnswer } from './http.ts'
import { createRedactor } from './redact.ts'

/** The code and message of a file's host, without secrets. */
export interface FileHostError {
  readonly code?: string
  readonly message?: string
}

/** Maximum number of bytes to read, and maximum wait in milliseconds. */
const mostBytes = 16_384
const longestWait = 5_000
/** Maximum length of the code and of the message, in characters. */
const longestWords = 500
/** Longer values of a link are secrets, such as its signature; shorter ones are words, such as `host`. */
const longestWord = 16

/** Reads the beginning of a body. Ignores failures, because the status already says that the file is missing. */
async function readBeginning(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const timer = setTimeout(() => body.destroy(), longestWait)
  try {
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size >= mostBytes) break
    }
  } catch {
    // A body that was cut keeps what arrived.
  } finally {
    clearTimeout(timer)
    body.destroy()
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString()
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescapeXml = (text: string): string => text.replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)

/** Reads the content of the first element with a name; undefined without one. */
const readElement = (xml: string, name: string): string | undefined => {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.trim()
  return text === undefined || text === '' ? undefined : unescapeXml(text)
}

/**
 * Reads the error of a file's host, and releases the connection.
 * @param link the requested URL; its query is secret while it is valid
 */
export async function readFileHostError({ body }: StreamAnswer, link: URL): Promise<FileHostError> {
  const xml = await readBeginning(body)
  if (!/<Error[\s>]/.test(xml)) return {}
  const redact = createRedactor(() => [...link.searchParams.values()].filter((value) => value.length > longestWord))
  const shown = (name: string): string | undefined => {
    const text = readElement(xml, name)
    return text === undefined ? undefined : redact(text).slice(0, longestWords)
  }
  const [code, message] = [shown('Code'), shown('Message')]
  return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) }
}
