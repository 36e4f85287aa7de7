/** Runs statements of a warehouse. */
import { Alert, Button, Code, Group, Loader, Menu, ScrollArea, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { writeJson } from 'ferrule/internal'
import type { ConnectorSummary, DefinitionRecord, EntityDocument, Validation } from 'ferrule/wire'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useAllKinds, useConnectorRecord } from '../../data/connector.ts'
import { keep, readKept } from '../../data/kept.ts'
import { useChanges } from '../../data/leaving.ts'
import { parseParams, useAddressParams } from '../../data/params.ts'
import { useTenant } from '../../data/tenant.ts'
import { announce } from '../../parts/announcements.tsx'
import { CodeEditor } from '../../parts/code/code-editor.tsx'
import { toEditorProblems } from '../../parts/code/props.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ConnectorSelect, useConnectorChoice, useOpening } from '../../parts/connector-select.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { PlainButton, SmallButton, Strong } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printCount } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { WithSide } from '../../parts/side.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { Catalog, hasCatalog } from './catalog.tsx'
import { findAction, findStatementEntity, readOptions, type StatementCall, useRefusal } from './statement.ts'
import { isUnknown, mostRows, type StatementRun, useRun } from './use-run.ts'

interface ResultProps {
  readonly run: StatementRun
  readonly onNext: () => void
  readonly onAll: () => void
  readonly onRepeat: () => void
}

/** Describes how much of a result is shown. */
function describeRows({ rows, total, hasMore, parts, isCancelled }: StatementRun): string {
  const of = total === undefined || total === rows.length ? '' : ` of ${printCount(total)}`
  const end =
    isCancelled === true ? ' The rest was cancelled.' : hasMore ? ` ${parts === 1 ? 'The first part is' : `${parts} parts are`} shown.` : ''
  return `${printCount(rows.length)}${of} rows.${end}`
}

function Parts({ run, onNext, onAll }: Omit<ResultProps, 'onRepeat'>) {
  const isFull = run.rows.length >= mostRows
  return (
    <Group gap="sm">
      <Text size="sm" role="status">
        {describeRows(run)}
      </Text>
      {run.hasMore && !isFull && (
        <>
          <SmallButton loading={run.isRunning} onClick={onNext}>
            Read the next part
          </SmallButton>
          <SmallButton loading={run.isRunning} onClick={onAll}>
            Read all parts, up to {printCount(mostRows)} rows
          </SmallButton>
        </>
      )}
      {run.hasMore && isFull && (
        <Text size="sm">The table ends here. Read the others with the library: rows() walks them in little memory.</Text>
      )}
    </Group>
  )
}

/** Shows why a run failed. A write whose end nobody knows can be repeated without doing it twice. */
const Failure = ({ error, onRepeat }: { readonly error: unknown; readonly onRepeat: () => void }) => (
  <Stack gap="xs" align="flex-start">
    <ErrorBox error={error} title="The statement did not run to its end" />
    {isUnknown(error) && <PlainButton onClick={onRepeat}>Repeat the same write: it is carried out once</PlainButton>}
  </Stack>
)

function Result({ run, onNext, onAll, onRepeat }: ResultProps) {
  return (
    <Stack gap="sm">
      {run.isRunning && run.parts === 0 && (
        <Group gap="xs" role="status">
          <Loader size="sm" />
          <Text size="sm">The statement runs at the warehouse.</Text>
        </Group>
      )}
      {run.isCancelled === true && run.parts === 0 && <Alert color="gray">The statement was cancelled.</Alert>}
      {run.error !== undefined && <Failure error={run.error} onRepeat={onRepeat} />}
      {run.message !== undefined && (
        <Alert color="green" variant="light" role="status">
          {run.message}
        </Alert>
      )}
      {run.parts > 0 && (
        <>
          <Parts run={run} onNext={onNext} onAll={onAll} />
          <DataTable label="Result of the statement" rows={run.rows} columns={run.columns} />
        </>
      )}
    </Stack>
  )
}

/** Statements that are kept at most, and the characters of one. Longer ones are not kept. */
const historyLimits = { mostStatements: 30, longest: 10_000 } as const

function readHistory(key: string): readonly string[] {
  const kept = readKept(key)
  return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []
}

/** Returns the statements, the newest first, with functions that add one and forget all. */
function useHistory() {
  const key = `ferrule-statements ${useTenant().organizationId ?? ''}`.trim()
  const [statements, setStatements] = useState(() => readHistory(key))
  const add = useCallback(
    (statement: string) => {
      if (statement.length > historyLimits.longest) return
      const next = [statement, ...readHistory(key).filter((each) => each !== statement)].slice(0, historyLimits.mostStatements)
      keep(key, next)
      setStatements(next)
    },
    [key],
  )
  const clear = useCallback(() => {
    keep(key, undefined)
    setStatements([])
  }, [key])
  return { statements, add, clear }
}

/** Characters of a statement that the menu shows. */
const shownCharacters = 90

const shorten = (statement: string): string => {
  const line = statement.replace(/\s+/g, ' ').trim()
  return line.length > shownCharacters ? `${line.slice(0, shownCharacters)}…` : line
}

/** Shows the menu; choosing a statement puts it into the editor, and does not run it. */
function HistoryMenu({
  statements,
  onChoose,
  onClear,
}: {
  readonly statements: readonly string[]
  readonly onChoose: (statement: string) => void
  readonly onClear: () => void
}) {
  return (
    <Menu position="bottom-start" width={360}>
      <Menu.Target>
        <PlainButton>History</PlainButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Kept in this browser only; texts of statements, no results.</Menu.Label>
        {statements.length === 0 ? (
          <Text size="sm" p="xs">
            No statement ran here yet.
          </Text>
        ) : (
          <ScrollArea.Autosize mah={320}>
            {statements.map((statement) => (
              <Menu.Item key={statement} ff="monospace" fz="xs" onClick={() => onChoose(statement)}>
                {shorten(statement)}
              </Menu.Item>
            ))}
          </ScrollArea.Autosize>
        )}
        <Menu.Divider />
        <Menu.Item disabled={statements.length === 0} onClick={onClear}>
          Clear the history
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Name of the member of the fragment. */
const member = 'statement'
/** Characters of an encoded statement that an address holds at most. */
const longest = 8_000

/** Reads the statement of the address; undefined without one. It is shown, and never runs by itself. */
function readLinked(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get(member) ?? undefined
}

/** Writes the address of this page with a statement; undefined when the statement is too long. */
function writeLink(statement: string): string | undefined {
  const fragment = new URLSearchParams({ [member]: statement }).toString()
  return fragment.length > longest ? undefined : `${location.origin}${location.pathname}${location.search}#${fragment}`
}

/** Shows what the service refuses, before anything is sent. */
function Refusal({ problem }: { readonly problem: Validation['problem'] }) {
  if (problem === null) return null
  return (
    <Alert color="red" variant="light" title="This statement would be refused" role="status">
      <Stack gap={4}>
        {problem.errors.map(({ message }) => (
          <Text key={message} size="sm">
            {message.replace(/^\/params\/statement:? /, '')}
          </Text>
        ))}
        <Strong>{problem.hint}</Strong>
      </Stack>
    </Alert>
  )
}

/** Keeps the statement that is edited; one of the address is shown and never runs by itself. */
function useStatement() {
  const [linked, setLinked] = useState(readLinked)
  const [statement, setStatement] = useState(linked ?? '')
  useEffect(() => {
    const take = () => {
      const next = readLinked()
      if (next === undefined) return
      setLinked(next)
      setStatement(next)
    }
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  return { statement, setStatement, isLinked: linked !== undefined && statement === linked }
}

/** Copies an address with the statement in its fragment, which no server gets. */
function LinkButton({ statement }: { readonly statement: string }) {
  const copy = () => {
    const link = writeLink(statement)
    if (link === undefined) return announce('The statement is too long for an address.')
    navigator.clipboard.writeText(link).then(
      () => announce('The address with the statement was copied.'),
      () => announce('The browser did not let the console copy.'),
    )
  }
  return (
    <PlainButton disabled={statement.trim() === ''} onClick={copy}>
      Copy a link
    </PlainButton>
  )
}

/** Asks before a write. */
function WriteDialog({
  call,
  word,
  onRun,
  onClose,
}: {
  call: StatementCall | undefined
  word: string
  onRun: (call: StatementCall) => void
  onClose: () => void
}) {
  return (
    <ConfirmDialog
      opened={call !== undefined}
      title={`Run the ${word}?`}
      action={`Run the ${word}`}
      onConfirm={() => call !== undefined && onRun(call)}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">It changes rows of the warehouse, once. The console cannot undo it.</Text>
        <Code block mah={200}>
          {String(call?.params['statement'] ?? '')}
        </Code>
      </Stack>
    </ConfirmDialog>
  )
}

/** Keeps in the address where and how statements run. */
function useOptions() {
  const [{ options: text }, setParams] = useAddressParams('options')
  const options = useMemo(() => parseParams(text), [text])
  const setOptions = (next: Readonly<Record<string, unknown>>) =>
    setParams({ options: Object.keys(next).length === 0 ? undefined : writeJson(next) }, { replace: true })
  return { options, setOptions }
}

/** Shows where and how statements run. */
function Options({
  schema,
  problem,
  options,
  setOptions,
}: ReturnType<typeof useOptions> & { readonly schema: Readonly<Record<string, unknown>>; readonly problem: Validation['problem'] }) {
  const [opened, { toggle }] = useDisclosure(false)
  return (
    <div>
      <Button variant="subtle" size="compact-sm" aria-expanded={opened} onClick={toggle}>
        Where and how it runs
      </Button>
      {opened && (
        <Stack pt="xs" maw="var(--form-width)">
          <SchemaForm schema={schema} value={options} at="/params" problems={problem?.errors ?? []} onChange={setOptions} />
        </Stack>
      )}
    </div>
  )
}

interface StatementsProps {
  readonly connector: string
  readonly entity: EntityDocument
  /** true: the connector lists what its warehouse holds. */
  readonly isListed: boolean
}

/** Keeps the statement with its options, and what the service would refuse. */
function useCall({ connector, entity }: Pick<StatementsProps, 'connector' | 'entity'>) {
  const edited = useStatement()
  const { statement } = edited
  const optional = useOptions()
  const { options } = optional
  const found = findAction(statement)
  const { action } = found
  const schema = useMemo(() => readOptions(entity, action), [entity, action])
  const call = useMemo(
    (): StatementCall => ({ connector, entity: entity.entity, action, params: { ...options, statement } }),
    [connector, entity, action, options, statement],
  )
  const problem = useRefusal(call, statement)
  return { edited, optional, found, schema, call, problem }
}

/** Runs the statement: writes after a question. */
function useExecution({ call, found }: Pick<ReturnType<typeof useCall>, 'call' | 'found'>) {
  const running = useRun(call.connector)
  const history = useHistory()
  const [asked, setAsked] = useState<StatementCall>()
  const [last, setLast] = useState<StatementCall>()
  const execute = (sent: StatementCall) => {
    setAsked(undefined)
    setLast(sent)
    history.add(String(sent.params['statement']))
    void running.start(sent, found.isWrite)
  }
  const submit = () => (found.isWrite ? setAsked(call) : execute(call))
  const repeat = () => last !== undefined && void running.repeatWrite(last)
  // Another statement in the editor, and the result of the last one would seem to be its own.
  const isOwn = last?.params['statement'] === call.params['statement']
  return { running, history, asked, execute, submit, repeat, isOwn, close: () => setAsked(undefined) }
}

/** Edits and runs statements of a connector. */
function Statements(props: StatementsProps) {
  const { edited, optional, found, schema, call, problem } = useCall(props)
  const { statement, setStatement, isLinked } = edited
  const { running, history, asked, execute, submit, repeat, isOwn, close } = useExecution({ call, found })
  const { run, cancel, readNext, readAll } = running
  const isKept = statement.trim() === '' || isLinked || isOwn || history.statements.includes(statement)
  useChanges(isKept ? undefined : statement, ['connector'])
  const isRunning = run?.isRunning === true
  const canRun = statement.trim() !== '' && problem === null && !isRunning
  return (
    <WithSide side={props.isListed ? <Catalog connector={props.connector} onQuery={setStatement} /> : null}>
      <CodeEditor
        label="Statement"
        language="sql"
        value={statement}
        onChange={setStatement}
        onSubmit={() => canRun && submit()}
        problems={toEditorProblems(problem?.errors ?? [])}
        hint="SELECT * FROM ORDERS LIMIT 100"
      />
      {isLinked && <Text size="sm">This statement came with the address. It runs when you press the button.</Text>}
      <Refusal problem={problem} />
      <Options {...optional} schema={schema} problem={problem} />
      <Group gap="xs">
        <Button onClick={submit} disabled={!canRun}>
          Run the {found.word}
        </Button>
        {isRunning && <PlainButton onClick={cancel}>Cancel</PlainButton>}
        <HistoryMenu statements={history.statements} onChoose={setStatement} onClear={history.clear} />
        <LinkButton statement={statement} />
      </Group>
      <WriteDialog call={asked} word={found.word} onRun={execute} onClose={close} />
      {run !== undefined && (isOwn || isRunning || isUnknown(run.error)) && (
        <Result run={run} onNext={() => void readNext()} onAll={() => void readAll()} onRepeat={repeat} />
      )}
    </WithSide>
  )
}

const Begin = () => (
  <EmptyState title="Choose a connector" says="Statements run on connectors of a warehouse. Each is checked before anything is sent.">
    <PageLink to="/search">Search other connectors in their copies</PageLink>
  </EmptyState>
)

interface Warehouse {
  readonly kind: DefinitionRecord
  readonly entity: EntityDocument
}

const findWarehouses = (kinds: readonly DefinitionRecord[]): ReadonlyMap<string, Warehouse> =>
  new Map(
    kinds.flatMap((kind) => {
      const entity = findStatementEntity(kind.entities)
      return entity === undefined ? [] : [[kind.definition.connector_type, { kind, entity }] as const]
    }),
  )

/** The page. */
export function Page() {
  const [{ connector }, setParams] = useAddressParams('connector')
  const choice = useConnectorChoice()
  const record = useConnectorRecord(connector)
  const kinds = useAllKinds()
  const warehouses = useMemo(() => findWarehouses(kinds.data ?? []), [kinds.data])
  const warehouse = warehouses.get(record.data?.connector_type ?? '')
  const isOffered = ({ summarized_source_template: kind }: ConnectorSummary) => warehouses.has(kind.connector_name)
  useOpening({ reading: choice, isOffered, value: connector, onOpen: (id) => setParams({ connector: id }, { replace: true }) })
  return (
    <>
      <PageHeader title="Statements" about="Run SELECT, INSERT, UPDATE and DELETE on a warehouse, one statement at a time." />
      <Stack gap="lg">
        <ConnectorSelect reading={choice} isOffered={isOffered} value={connector} onChange={({ id }) => setParams({ connector: id })} />
        {connector === undefined ? (
          <Begin />
        ) : (
          <ReadingView reading={record}>
            {(found) => (
              <ReadingView reading={kinds}>
                {() =>
                  warehouse === undefined ? (
                    <Begin />
                  ) : (
                    <Statements
                      key={connector}
                      connector={connector}
                      entity={warehouse.entity}
                      isListed={hasCatalog(warehouse.kind, found)}
                    />
                  )
                }
              </ReadingView>
            )}
          </ReadingView>
        )}
      </Stack>
    </>
  )
}
