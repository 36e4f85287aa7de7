/** Real clients of the protocol: the official ones of both generations. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** What a tool answered. */
export interface Said {
  readonly text: string
  readonly isError: boolean
  /** Links of files. */
  readonly links: readonly string[]
}

/** A client, as tests use it. */
export interface TestClient {
  readonly revision: string | undefined
  tools(): Promise<readonly string[]>
  call(name: string, args?: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Said>
  read(uri: string): Promise<Part>
  close(): Promise<void>
}

/** Part of a file. */
export interface Part {
  readonly bytes: Buffer
  readonly next: string | undefined
  readonly meta: Readonly<Record<string, unknown>>
}

interface Content {
  readonly type: string
  readonly text?: string
  readonly uri?: string
}

function toSaid(result: unknown): Said {
  const { content, isError } = result as { content: readonly Content[]; isError?: boolean }
  const text = content.flatMap((each) => (each.type === 'text' ? [each.text ?? ''] : [])).join('\n')
  return { text, isError: isError === true, links: content.flatMap((each) => (each.type === 'resource_link' ? [each.uri ?? ''] : [])) }
}

function toPart(result: unknown): Part {
  const { contents } = result as { contents: readonly { readonly blob?: string; readonly _meta?: Readonly<Record<string, unknown>> }[] }
  const meta = contents[0]?._meta ?? {}
  const next = meta['next_uri']
  return { bytes: Buffer.from(contents[0]?.blob ?? '', 'base64'), next: typeof next === 'string' ? next : undefined, meta }
}

/** A revision of the protocol. */
export type Revision = '2026-07-28' | '2025-11-25'

const info = { name: 'test', version: '1.0.0' }

/** Connects the client of today. @param revision `2026-07-28` insists on it; else the handshake of 2025 */
export async function connectClient(url: string, token: string, revision: Revision): Promise<TestClient> {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } })
  return connect(transport, revision)
}

/** A program that speaks the protocol over its input and output. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Starts a program, and connects the client of today with it. */
export const startClient = ({ command, args, env }: Program, revision: Revision): Promise<TestClient> =>
  connect(new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'pipe' }), revision)

async function connect(transport: StreamableHTTPClientTransport | StdioClientTransport, revision: Revision): Promise<TestClient> {
  const client = new Client(info, revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : {})
  await client.connect(transport)
  return {
    revision: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, signal) =>
      toSaid(await client.callTool({ name, arguments: args }, signal === undefined ? {} : { signal })),
    read: async (uri) => toPart(await client.readResource({ uri })),
    close: () => client.close(),
  }
}

/** Connects the client of the generation before. */
export async function connectOldClient(url: string, token: string): Promise<TestClient> {
  const client = new OldClient(info)
  const transport = new OldTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } })
  await client.connect(transport as Parameters<OldClient['connect']>[0]) // its own types differ under exactOptionalPropertyTypes
  return {
    revision: transport.protocolVersion,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, signal) =>
      toSaid(await client.callTool({ name, arguments: args }, undefined, signal === undefined ? {} : { signal })),
    read: async (uri) => toPart(await client.readResource({ uri })),
    close: () => client.close(),
  }
}
