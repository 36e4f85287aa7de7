/** The span of a call of a tool over MCP, in the names of OpenTelemetry's conventions. Never its arguments, and never its answer. */
import type { ServerContext } from '@modelcontextprotocol/server'
import type { AgentTool } from '../agent/types.ts'
import { isObject } from '../definition/object.ts'
import type { SpanStart } from '../tracing.ts'

/** Longest id of a request that a span has, in characters. */
const longestId = 100

/** What the span is described from. */
interface DescribedParts {
  readonly sdk: { readonly PROTOCOL_VERSION_META_KEY: string }
  readonly tools: readonly AgentTool[]
}

const readVersion = ({ PROTOCOL_VERSION_META_KEY: key }: DescribedParts['sdk'], { envelope }: ServerContext['mcpReq']) => {
  const version: unknown = envelope === undefined ? undefined : Reflect.get(envelope, key)
  return typeof version === 'string' ? version : undefined
}

/** Returns the trace that a client passed in the message; undefined: the HTTP request has it, or nobody. */
const readTrace = ({ _meta: meta }: ServerContext['mcpReq']) =>
  isObject(meta) && typeof meta['traceparent'] === 'string'
    ? { traceparent: meta['traceparent'], tracestate: meta['tracestate'] }
    : undefined

/** Describes the span. A name that no tool has is left out. */
export function describeToolCall({ sdk, tools }: DescribedParts, name: string, { mcpReq, http }: ServerContext): SpanStart {
  const known = tools.some((tool) => tool.name === name) ? name : undefined
  return {
    name: known === undefined ? 'tools/call' : `tools/call ${known}`,
    kind: 'server',
    role: 'tool',
    attributes: {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': readVersion(sdk, mcpReq),
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': known,
      'jsonrpc.request.id': String(mcpReq.id).slice(0, longestId),
      'network.transport': http === undefined ? 'pipe' : 'tcp',
    },
    from: readTrace(mcpReq),
    signal: mcpReq.signal,
  }
}
