/** What the tests of tools share. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AgentAnswer, AgentTool, ToolCall } from '../../packages/ferrule/src/agent/index.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { readJson } from '../../packages/ferrule/src/values/json/json.ts'
import { sandboxCredentials, snowflakeCredentials } from '../../packages/sandbox/src/index.ts'
import { root } from '../../scripts/paths.mjs'
import type { World } from '../http/support.ts'

/** Connects to the stand-in of Gong from this process. */
export const connectGong = (world: Pick<World, 'sandbox'>) =>
  connect('gong', {
    credentials: { access_key: sandboxCredentials.accessKey, access_key_secret: sandboxCredentials.accessKeySecret },
    origin: world.sandbox.origins.gong,
    limits: false,
  })

/** Body of a connector of the service for the stand-in of Snowflake. */
export const snowflakeConnector = {
  connector_type: 'snowflake',
  credentials: { programmatic_access_token: snowflakeCredentials.token },
  replication_config: { account: 'sandbox-account', database: 'SANDBOX', warehouse: 'SANDBOX_WH', role: 'SANDBOX_ROLE' },
}

/** Runs a tool by its name. */
export async function runTool(tools: readonly AgentTool[], ...[name, args, call]: [string, unknown, ToolCall?]): Promise<AgentAnswer> {
  const tool = tools.find((each) => each.name === name)
  if (tool === undefined) throw new Error(`there is no tool ${name}; there are ${tools.map((each) => each.name).join(', ')}`)
  return tool.run(args, call)
}

/** Finds the handle that an answer names; undefined at the end. */
export const findHandle = ({ text }: Pick<AgentAnswer, 'text'>): string | undefined => /read_more \{"handle":"([^"]+)"\}/.exec(text)?.[1]

/** Runs a tool, and `read_more` until the end. Returns all answers. */
export async function readAll(tools: readonly AgentTool[], name: string, args: unknown): Promise<readonly AgentAnswer[]> {
  const answers = [await runTool(tools, name, args)]
  for (let handle = findHandle(answers[0] ?? { text: '', isError: true }); handle !== undefined; ) {
    const answer = await runTool(tools, 'read_more', { handle })
    expect(answer.isError, answer.text).toBe(false)
    answers.push(answer)
    handle = findHandle(answer)
    if (answers.length > 500) throw new Error('reading on does not end')
  }
  return answers
}

/** Reads the rows of an answer back, as a program would: objects, or a table by its columns. */
export function readRows({ text }: Pick<AgentAnswer, 'text'>): readonly unknown[] {
  const lines = text.split('\n')
  const [from, to] = [lines.findIndex((line) => line.startsWith('Data from ')), lines.indexOf('End of data.')]
  const data = from < 0 ? [] : lines.slice(from + 1, to).filter((line) => !line.startsWith('Beside the rows: '))
  const [head = ''] = data
  if (!head.startsWith('Columns: ')) return data.map(readJson)
  const columns = readJson(head.slice('Columns: '.length))
  if (!Array.isArray(columns)) throw new Error('the columns are no list')
  return data.slice(1).map((line) => {
    const cells = readJson(line)
    return Object.fromEntries(columns.map((name, index) => [name, Array.isArray(cells) ? cells[index] : undefined]))
  })
}

/** An answer of a vendor, as it was recorded. */
export interface RecordedAnswer {
  readonly kind: string
  readonly operation: string
  readonly body: unknown
}

/** Reads the recorded answers of all operations. */
export function readRecordedAnswers(): readonly RecordedAnswer[] {
  const folder = join(root, 'packages/ferrule/src/connectors')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((file) => {
    const [, kind = '', operation = ''] = /^([^/\\]+)[/\\]answers[/\\](.+)\.json$/.exec(file) ?? []
    return kind === '' ? [] : [{ kind, operation, body: readJson(readFileSync(join(folder, file), 'utf8')) }]
  })
}

/** Finds the longest list of a recorded answer: its rows; the answer itself where it has none. */
export function findRows(value: unknown): readonly unknown[] {
  const lists: unknown[][] = []
  const visit = (each: unknown, depth: number): void => {
    if (depth > 4 || typeof each !== 'object' || each === null) return
    if (Array.isArray(each)) lists.push(each)
    else for (const member of Object.values(each)) visit(member, depth + 1)
  }
  visit(value, 0)
  const [longest] = lists.toSorted((one, other) => other.length - one.length)
  return longest === undefined || longest.length === 0 ? [value] : longest
}
