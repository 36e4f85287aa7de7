/**
 * What the host of a file says when it gives none: storage services answer XML, `<Error><Code>…</Code><Message>…</Message>…`
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). Its other elements quote the request and are left alone.
 */
import type { Readable } from 'node:stream'
import type { StreamAnswer } from './http.ts'
import { redactorOf } from './verdict.ts'

/** The code and the message of a file's host, without secrets. */
export interface FileHostWords {
  readonly code?: string
  readonly message?: string
}

/** How much of an answer is read for them, in bytes, and how long is waited for it, in milliseconds. */
const mostBytes = 16_384
const longestWait = 5_000
/** How much of them is kept, in characters. */
const longestWords = 500
/** Values of a link that are longer are secrets, such as its signature; shorter ones are words, such as `host`. */
const longestWord = 16

/** The beginning of a body. What cannot be read is left out: that the file is not there is known without it. */
async function beginningOf(body: Readable): Promise<string> {
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
    // A body that is cut has said what it has said.
  } finally {
    clearTimeout(timer)
    body.destroy()
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString()
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescaped = (text: string): string => text.replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)

/** The text of the first element of a name. */
const elementOf = (xml: string, name: string): string | undefined => {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.trim()
  return text === undefined || text === '' ? undefined : unescaped(text)
}

/**
 * Reads what the host of a file says, and gives the connection back.
 * @param link what was asked for: its query is a secret for as long as it is valid
 */
export async function wordsOf({ body }: StreamAnswer, link: URL): Promise<FileHostWords> {
  const xml = await beginningOf(body)
  if (!/<Error[\s>]/.test(xml)) return {}
  const redact = redactorOf([...link.searchParams.values()].filter((value) => value.length > longestWord))
  const shown = (name: string): string | undefined => {
    const text = elementOf(xml, name)
    return text === undefined ? undefined : redact(text).slice(0, longestWords)
  }
  const [code, message] = [shown('Code'), shown('Message')]
  return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) }
}
