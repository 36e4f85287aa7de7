/** `mcp`: serves the tools of agents over standard input and output. */

import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import type { AgentSource } from '../../agent/agent-source.ts'
import { createTools } from '../../agent/create-tools.ts'
import { createHostedSource } from '../../agent/sources/hosted.ts'
import { openSources } from '../../agent/sources/open.ts'
import { type MessageId, messageCodes, readMessage } from '../../mcp/message.ts'
import { createMcpServer } from '../../mcp/server.ts'
import { parseJson, readJson } from '../../values/json/json.ts'
import { type CommandContext, readFlag, readList, whenAborted } from '../context.ts'
import { openSession } from '../session.ts'
import { findLocalKind } from '../target/kinds.ts'
import { connectLocal, type Executor } from '../target/local.ts'

/** What tools reach, and how to leave it. */
interface Reached {
  readonly source: AgentSource
  /** Name of the only workspace; undefined: connections of this process are in none. */
  readonly workspace?: string
  close(): Promise<void>
}

async function openHosted(context: CommandContext): Promise<Reached> {
  const transport = await openSession(context, parseJson) // tools look at numbers
  return { source: createHostedSource(transport), workspace: transport.settings.workspace, close: async () => undefined }
}

async function openLocal(kinds: readonly string[], { env }: CommandContext): Promise<Reached> {
  const connectors: Record<string, Executor> = {}
  for (const name of kinds) {
    const found = await findLocalKind(name)
    connectors[found.document.kind] ??= connectLocal(found, env)
  }
  const close = async () => void (await Promise.all(Object.values(connectors).map((connector) => connector.close())))
  return { source: openSources(connectors), close }
}

/** Serves until the client closes standard input or a signal comes. Nothing but the protocol reaches standard output. */
export async function serveMcp(context: CommandContext): Promise<void> {
  const local = readList(context.options, 'local')
  const { source, workspace, close } = local.length > 0 ? await openLocal(local, context) : await openHosted(context)
  const write = readFlag(context.options, 'write')
  const narrowing = workspace === undefined ? {} : { workspace }
  const tools = await createTools(source, { write, ...narrowing })
  const [sdk, { serveStdio }] = await Promise.all([import('@modelcontextprotocol/server'), import('@modelcontextprotocol/server/stdio')])
  const transport = new StdioTransport({ input: process.stdin, output: process.stdout }, sdk.parseJSONRPCMessage)
  const onError = (thrown: unknown) => context.note(`A tool failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  const parts = { sdk, tools, source, narrowing, version: context.version, onError }
  const served = serveStdio(() => createMcpServer({ ...parts, findArguments: (id) => transport.findArguments(id) }), { transport })
  await Promise.race([transport.closed, whenAborted(context.signal)])
  await served.close()
  await close()
}

/** Maximum number of characters of a message. Clients send arguments of tools, which are small. */
const longestMessage = 4_194_304

interface StdioStreams {
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
 * The transport over standard input and output: one JSON message a line, with every digit of its integers. It remembers the requests without an answer, with their exact arguments. When the input ends they get their answers before the transport
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
