/** Says what an organization, a workspace or an application holds, before somebody deletes it. */
import { List } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Ferrule } from 'ferrule/core'
import type { McpTokenRecord } from 'ferrule/wire'
import { useFerruleOf } from '../data/ferrule.ts'
import { Strong } from './looks.tsx'
import { printCount, printCounted } from './print.ts'
import { ReadingView } from './reading-view.tsx'

const mostRead = 1_000
const mostNamed = 5

/** What is deleted. */
export interface HeldProps {
  readonly kind: 'organization' | 'workspace' | 'application'
  readonly id: string
  readonly name: string
}

interface HeldRows<T> {
  readonly rows: readonly T[]
  /** false: the list has more rows than are read. */
  readonly isWhole: boolean
}

/** Reads a list up to its bound, and keeps the rows that fit. */
async function find<T>(list: AsyncIterable<T>, fits: (row: T) => boolean = () => true): Promise<HeldRows<T>> {
  const rows: T[] = []
  let count = 0
  for await (const row of list) {
    if (fits(row)) rows.push(row)
    count += 1
    if (count === mostRead) return { rows, isWhole: false }
  }
  return { rows, isWhole: true }
}

/** Returns whether a token loses something with what is deleted. */
const endsToken =
  ({ kind, id }: HeldProps) =>
  ({ workspaces, application_id: application }: McpTokenRecord): boolean =>
    kind === 'organization' || (kind === 'workspace' ? workspaces.some((each) => each.id === id) : application === id)

const empty: HeldRows<never> = { rows: [], isWhole: true }
const page = { limit: 100 } as const

/** Reads what is held. An application holds no connectors, and links do not name the application that made them. */
async function readHeld(ferrule: Ferrule, props: HeldProps, signal: AbortSignal) {
  const { kind, id, name } = props
  const query = { ...page, ...(kind === 'workspace' ? { workspace_name: name } : {}) }
  const [connectors, links, tokens] = await Promise.all([
    kind === 'application' ? empty : find(ferrule.connectors.overview(query, { signal })),
    kind === 'application'
      ? empty
      : find(ferrule.links.list({ ...page, status: 'open' }, { signal }), (link) => kind === 'organization' || link.workspace_id === id),
    find(ferrule.mcpTokens.list(page, { signal }), endsToken(props)),
  ])
  return { connectors, links, tokens }
}

type Held = Awaited<ReturnType<typeof readHeld>>

/** Prints a count; a list that was not read to its end has at least so many. */
const printFound = ({ rows, isWhole }: HeldRows<unknown>, one: string, many = `${one}s`): string =>
  `${isWhole ? '' : 'at least '}${printCounted(rows.length, one, many)}`

/** Prints the connectors with the names of the first ones, and their records. */
function printConnectors(connectors: Held['connectors']): string {
  const { rows } = connectors
  const names = rows.slice(0, mostNamed).map(({ name }) => name)
  const records = rows.reduce((sum, { context_store: copy }) => sum + (copy?.records ?? 0), 0)
  const named = names.length === 0 ? '' : `: ${names.join(', ')}${rows.length > mostNamed ? ' …' : ''}`
  return `${printFound(connectors, 'connector')}${named}${records === 0 ? '' : `, with ${printCount(records)} records in copies`}`
}

/** Prints how many tokens there are. A token can reach other workspaces too. */
const printTokens = (tokens: Held['tokens'], kind: HeldProps['kind']): string =>
  kind === 'workspace'
    ? printFound(tokens, 'MCP token that reaches it', 'MCP tokens that reach it')
    : printFound(tokens, 'MCP token', 'MCP tokens')

/** Shows what is held. */
export function Held(props: HeldProps) {
  const { kind, id } = props
  const { ferrule, organizationId } = useFerruleOf(kind === 'organization' ? id : undefined)
  const reading = useQuery({
    queryKey: [organizationId ?? null, 'held', kind, id],
    queryFn: ({ signal }) => readHeld(ferrule, props, signal),
    staleTime: 0,
  })
  return (
    <ReadingView reading={reading}>
      {({ connectors, links, tokens }) => (
        <div>
          <Strong>It {kind === 'application' ? 'made' : 'holds'}:</Strong>
          <List size="sm" aria-label="What it holds">
            {kind !== 'application' && (
              <>
                <List.Item>{printConnectors(connectors)}</List.Item>
                <List.Item>{printFound(links, 'open connect link')}</List.Item>
              </>
            )}
            <List.Item>{printTokens(tokens, kind)}</List.Item>
          </List>
        </div>
      )}
    </ReadingView>
  )
}
