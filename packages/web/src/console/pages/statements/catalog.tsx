/** What a warehouse holds: databases, schemas, tables and columns. It is read when it is opened, because reading calls the vendor. */
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { isObject, tryReadJson } from 'ferrule/internal'
import type { ConnectorRecord, DefinitionRecord } from 'ferrule/wire'
import { type ReactNode, useState } from 'react'
import { hasEntity, useConnector } from '../../data/connector.ts'
import { useTenant } from '../../data/tenant.ts'
import { SmallButton } from '../../parts/looks.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { readAnswerRows } from '../../parts/table/answer-rows.ts'

/**
 * Entities that list a level. Of tables whose name several schemas have, the vendor lists one; its columns name them all. So the tables of a
 * database are those of all three.
 */
const levels = { databases: ['databases'], schemas: ['schemas'], tables: ['tables', 'views', 'columns'] } as const
type Level = keyof typeof levels

/** Returns whether a connector lists all levels. */
export function hasCatalog({ entities }: Pick<DefinitionRecord, 'entities'>, connector: ConnectorRecord): boolean {
  const isOffered = (name: string) =>
    entities.some(({ entity, actions }) => entity === name && actions.some(({ action }) => action === 'list'))
  return Object.values(levels)
    .flat()
    .every((name) => isOffered(name) && hasEntity(connector, name))
}

/** A row of a listing, by the names of its columns. */
type CatalogRow = Readonly<Record<string, string>>

interface PartProps {
  readonly connector: string
  /** Puts a statement into the editor. */
  readonly onQuery: (statement: string) => void
}

function useLevel(connector: string, level: Level, database?: string) {
  const hosted = useConnector(connector)
  const { organizationId } = useTenant()
  return useQuery({
    queryKey: [organizationId ?? null, 'catalog', connector, level, database ?? null],
    queryFn: async ({ signal }) => {
      const found: CatalogRow[] = []
      for (const entity of levels[level]) {
        const parts: unknown[] = []
        for await (const { data } of hosted.parts(entity, database === undefined ? {} : { database }, { signal })) parts.push(data)
        const { rows, columns } = readAnswerRows(...parts)
        found.push(...rows.map((row) => Object.fromEntries(columns.map(({ title = '', read }) => [title, String(read(row) ?? '')]))))
      }
      return found
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

/** Shows a part that opens; what it holds is read with its first opening. */
function Branch({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="branch" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div>{children}</div>}
    </details>
  )
}

const mostColumns = 10_000

/** Shows a level as branches, or that it is empty. @param props `read`: the name of a row; undefined leaves it out */
function Names({
  read = ({ name }) => name,
  children,
  ...of
}: {
  readonly connector: string
  readonly level: Level
  readonly database?: string
  readonly read?: (row: CatalogRow) => string | undefined
  readonly children: (name: string, rows: readonly CatalogRow[]) => ReactNode
}) {
  const reading = useLevel(of.connector, of.level, of.database)
  return (
    <ReadingView reading={reading}>
      {(rows) => {
        const names = new Set(rows.map(read).filter((name) => name !== undefined))
        return (
          <div>
            {names.size === 0 && <Text size="sm">None</Text>}
            {[...names].toSorted().map((name) => (
              <Branch key={name} title={name}>
                {children(name, rows)}
              </Branch>
            ))}
            {rows.filter(({ column_name: column }) => column !== undefined).length >= mostColumns && (
              <Text size="xs">The warehouse lists {mostColumns} columns of a database at most: some are missing here.</Text>
            )}
          </div>
        )
      }}
    </ReadingView>
  )
}

/** Prints a name as a statement takes it: quoted where another case or a sign would change it. */
const printName = (name: string): string => (/^[A-Z_][A-Z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

/** Prints the type of a column, which the vendor gives as JSON. */
function printType(text = ''): string {
  const type = tryReadJson(text)
  return type === undefined ? text : isObject(type) ? String(type['type']).toLowerCase() : ''
}

const readTable = ({ name, table_name: table }: CatalogRow): string | undefined => table ?? name

/** Shows the columns of a table. @param props `rows`: those of the table */
function Columns({
  table,
  rows,
  query,
  onQuery,
}: { table: string; rows: readonly CatalogRow[]; query: string } & Pick<PartProps, 'onQuery'>) {
  return (
    <>
      <SmallButton mb={4} aria-label={`Query ${table}`} onClick={() => onQuery(query)}>
        Query
      </SmallButton>
      {rows.flatMap(({ column_name: name, data_type: type }) =>
        name === undefined ? (
          []
        ) : (
          <Text key={name} size="sm">
            {name}{' '}
            <Text span size="xs" c="dimmed">
              {printType(type)}
            </Text>
          </Text>
        ),
      )}
    </>
  )
}

function Tables({ connector, onQuery, database, schema }: PartProps & { readonly database: string; readonly schema: string }) {
  const isOf = (row: CatalogRow): boolean => row['schema_name'] === schema
  return (
    <Names connector={connector} level="tables" database={database} read={(row) => (isOf(row) ? readTable(row) : undefined)}>
      {(table, rows) => (
        <Columns
          table={table}
          rows={rows.filter((row) => isOf(row) && readTable(row) === table)}
          query={`SELECT * FROM ${[database, schema, table].map(printName).join('.')} LIMIT 100`}
          onQuery={onQuery}
        />
      )}
    </Names>
  )
}

/** Shows the tree. */
export const Catalog = (part: PartProps) => (
  <Branch title="Databases">
    <Names connector={part.connector} level="databases">
      {(database) => (
        <Names connector={part.connector} level="schemas" database={database}>
          {(schema) => <Tables {...part} database={database} schema={schema} />}
        </Names>
      )}
    </Names>
  </Branch>
)
