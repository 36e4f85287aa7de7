/** `mcp`: serves the tools of agents over standard input and output. */
import { createTools } from '../../agent/create-tools.ts'
import type { AgentSource } from '../../agent/source.ts'
import { createHostedSource } from '../../agent/sources/hosted.ts'
import { openSources } from '../../agent/sources/open.ts'
import { createMcpServer } from '../../mcp/server.ts'
import { StdioTransport } from '../../mcp/stdio.ts'
import { type CommandContext, readFlag, readList, whenAborted } from '../context.ts'
import { openSession } from '../session.ts'
import { findLocalKind } from '../target/kinds.ts'
import { openLocalConnector, type Untyped } from '../target/local.ts'

/** What tools reach, and how to leave it. */
interface Reached {
  readonly source: AgentSource
  /** Name of the only workspace; undefined: connections of this process are in none. */
  readonly workspace?: string
  close(): Promise<void>
}

async function openHosted(context: CommandContext): Promise<Reached> {
  const transport = await openSession(context)
  return { source: createHostedSource(transport), workspace: transport.settings.workspace, close: async () => undefined }
}

async function openLocal(kinds: readonly string[], { env }: CommandContext): Promise<Reached> {
  const connectors: Record<string, Untyped> = {}
  for (const name of kinds) {
    const found = await findLocalKind(name)
    connectors[found.document.kind] ??= await openLocalConnector(found, env)
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
