/** The ways to the tools of a service: its client, and MCP. */
import { type AgentAnswer, createTools } from '../../packages/ferrule/src/agent/index.ts'
import { openFerrule } from '../client/support.ts'
import type { World } from '../http/support.ts'
import { connectClient } from '../mcp/clients.ts'
import { share } from '../support/share.ts'
import { runTool } from './support.ts'

/** Each way by its name. It is closed with the suite. It answers what runs a tool by its name. */
export const ways: Readonly<
  Record<string, (world: World) => Promise<(name: string, args: object) => Promise<Pick<AgentAnswer, 'text' | 'isError'>>>>
> = {
  'a client of the service': async (world) => {
    const tools = await createTools(openFerrule(world))
    return (name, args) => runTool(tools, name, args)
  },
  'MCP of the service': async (world) => {
    const mcp = await share(connectClient(`${world.url}/mcp`, world.token, '2026-07-28'))
    return (name, args) => mcp.call(name, { ...args })
  },
}
