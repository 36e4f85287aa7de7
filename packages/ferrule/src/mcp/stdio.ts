/** The transport over standard input and output: one JSON message a line, with every digit of its integers. */
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { readJson } from '../values/json/json.ts'
import { type MessageId, messageCodes, readMessage } from './message.ts'

/** Maximum number of characters of a message. Clients send arguments of tools, which are small. */
const longestMessage = 4_194_304

/** Input and output of the process. */
export interface StdioStreams {
  readonly input: Readable
  readonly output: Writable
}

function readLine(line: string): ReturnType<typeof readMessage> {
  try {
    return readMessage(readJson(line))
  } catch {
    return { refusal: { code: messageCodes.parseError, message: 'The line is not JSON.' } }
  }
}

/**
 * Remembers the requests without an answer, with their exact arguments. When the input ends they get their answers before the transport
 * closes: a write that has begun keeps its outcome.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #streams: StdioStreams
  readonly #parse: (value: unknown) => JSONRPCMessage
  readonly #open = new Map<MessageId, unknown>()
  readonly #end = Promise.withResolvers<void>()
  #text = ''
  #isEnding = false
  #isClosed = false

  /** @param parse checks a message by the SDK's schema; throws when it does not fit */
  constructor(streams: StdioStreams, parse: (value: unknown) => JSONRPCMessage) {
    this.#streams = streams
    this.#parse = parse
  }

  /** Resolves when the transport has closed. */
  get closed(): Promise<void> {
    return this.#end.promise
  }

  /** Returns the arguments of a request that has no answer yet. */
  findArguments(id: MessageId): unknown {
    return this.#open.get(id)
  }

  async start(): Promise<void> {
    const { input, output } = this.#streams
    input.setEncoding('utf8')
    input.on('data', (text: string) => this.#take(text))
    input.once('end', () => this.#finish())
    input.once('error', () => void this.close())
    output.once('error', () => void this.close()) // the client has left
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message)
    if (!('id' in message) || message.id === undefined || 'method' in message) return
    this.#open.delete(message.id)
    if (this.#isEnding) this.#finish()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#open.clear()
    this.#streams.input.pause()
    this.#end.resolve()
    this.onclose?.()
  }

  /** Closes when every request has its answer. */
  #finish(): void {
    this.#isEnding = true
    if (this.#open.size === 0) void this.close()
  }

  #take(text: string): void {
    const lines = (this.#text + text).split('\n')
    this.#text = lines.pop() ?? ''
    for (const line of lines) this.#takeLine(line.replace(/\r$/, ''))
    if (this.#text.length <= longestMessage) return
    this.#text = ''
    this.#refuse({ code: messageCodes.invalidRequest, message: `A message has at most ${longestMessage} characters.` })
    void this.close()
  }

  #takeLine(line: string): void {
    if (line.trim() === '' || this.#isClosed) return
    const read = readLine(line)
    if ('refusal' in read) {
      this.#refuse(read.refusal)
      return
    }
    const { id, method, params, plain } = read.message
    if (id !== undefined && method !== undefined) this.#open.set(id, params['arguments'])
    this.#forgetCancelled(method, params)
    this.#deliver(plain)
  }

  /** A cancelled request gets no answer. */
  #forgetCancelled(method: string | undefined, { requestId }: Readonly<Record<string, unknown>>): void {
    if (method === 'notifications/cancelled' && (typeof requestId === 'string' || typeof requestId === 'number'))
      this.#open.delete(requestId)
  }

  #deliver(plain: unknown): void {
    try {
      this.onmessage?.(this.#parse(plain))
    } catch (thrown) {
      this.onerror?.(thrown instanceof Error ? thrown : new Error('A message could not be read.'))
    }
  }

  #refuse(error: { readonly code: number; readonly message: string }): void {
    this.#write({ jsonrpc: '2.0', id: null, error }).catch(() => undefined)
  }

  async #write(message: object): Promise<void> {
    const { output } = this.#streams
    if (!output.write(`${JSON.stringify(message)}\n`) && !this.#isClosed) await once(output, 'drain')
  }
}
