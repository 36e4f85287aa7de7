/** Runs any operation of any connector: a form from its schema, its answer as a table or as JSON, and the call as text. */
import { Group, SegmentedControl, Select, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Hosted, isObject } from 'ferrule/internal'
import type { ConnectorRecord, DefinitionRecord } from 'ferrule/wire'
import { type ReactNode, useMemo } from 'react'
import { hasEntity, useConnector, useConnectorRecord, useKind } from '../../data/connector.ts'
import { parseParams } from '../../data/params.ts'
import { useTenant } from '../../data/tenant.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ConnectorSelect, useConnectorChoice, useOpening } from '../../parts/connector-select.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import type { Schema } from '../../parts/form/schema.ts'
import { JsonView } from '../../parts/json/json-view.tsx'
import { PlainButton } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printCounted, printDuration } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { EntitySide, WithSide } from '../../parts/side.tsx'
import { readAnswerRows } from '../../parts/table/answer-rows.ts'
import { DataTable } from '../../parts/table/data-table.tsx'
import { type Chosen, useCall, useExplorerAddress } from './address.ts'
import { DownloadPanel } from './download-panel.tsx'
import { type ChosenOperation, isWrite } from './operation.ts'
import { ParamsForm } from './params-form.tsx'
import { RequestPanel, WriteQuestion } from './request-panel.tsx'

interface ShownAnswer {
  readonly data: unknown
  readonly meta: Schema
  /** Time from the call to its answer, in milliseconds. */
  readonly durationMs: number
}

/** The call of one page. */
interface PageCall {
  readonly entity: string
  readonly action: string
  readonly params: Schema
}

/** Rows that the page keeps at most: a browser holds no more in its memory budget. */
const mostRows = 50_000

const toPageCall = ({ entity, action, params }: ChosenOperation): PageCall => ({ entity, action, params: parseParams(params) })

const countRows = (pages: readonly ShownAnswer[]): number => readAnswerRows(...pages.map(({ data }) => data)).rows.length

async function call(hosted: Hosted, { entity, action, params }: PageCall, signal?: AbortSignal): Promise<ShownAnswer> {
  const start = performance.now()
  const answer = await hosted.execute(entity, action, params, signal === undefined ? {} : { signal })
  const { data, meta } = isObject(answer) ? answer : {}
  return { data, meta: isObject(meta) ? meta : {}, durationMs: performance.now() - start }
}

/** Finds the call of the next page: the parameters change, and for results in parts the operation too. */
function findNext({ meta }: ShownAnswer, last: PageCall): PageCall | undefined {
  const { next_params: next, next_operation: operation } = meta
  if (!isObject(next)) return undefined
  if (!isObject(operation)) return { ...last, params: { ...last.params, ...next } }
  return { entity: String(operation['entity']), action: String(operation['action']), params: next }
}

/** Reads the pages of an operation. @param operation undefined: nothing is run */
function useAnswers(connectorId: string, operation: ChosenOperation | undefined) {
  const { organizationId } = useTenant()
  const hosted = useConnector(connectorId)
  const memory = useQueryClient()
  const queryKey = [organizationId ?? null, 'execute', operation ?? null]
  const query = useInfiniteQuery<ShownAnswer, Error, InfiniteData<ShownAnswer, PageCall>, typeof queryKey, PageCall>({
    queryKey,
    queryFn: ({ pageParam, signal }) => call(hosted, pageParam, signal),
    initialPageParam: operation === undefined ? { entity: '', action: '', params: {} } : toPageCall(operation),
    getNextPageParam: (answer, _pages, step) => findNext(answer, step),
    enabled: operation !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retryOnMount: false,
  })
  /** Runs it again. The old answer stays until the new one is there. */
  const again = async () => {
    memory.setQueryData<InfiniteData<ShownAnswer, PageCall>>(queryKey, (old) =>
      old === undefined ? undefined : { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
    )
    await query.refetch()
  }
  return { query, again, cancel: () => void memory.cancelQueries({ queryKey }) }
}

/** Runs a write, once. */
function useWriteCall(connectorId: string) {
  const hosted = useConnector(connectorId)
  return useMutation({ mutationFn: (operation: ChosenOperation) => call(hosted, toPageCall(operation)) })
}

type Answers = ReturnType<typeof useAnswers>

/** Shows how to get further rows, or that there are no more. */
function More({ query, onCancel }: { readonly query: Answers['query']; readonly onCancel: () => void }) {
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = query
  if (isFetchNextPageError && !isFetchingNextPage)
    return <ErrorBox error={error} title="The next page could not be read" onRetry={() => void fetchNextPage()} />
  if (!hasNextPage) return <Text size="sm">These are all rows.</Text>
  if (countRows(data?.pages ?? []) >= mostRows)
    return <Text size="sm">A page shows {mostRows} rows at most. Narrow the parameters, or use the command: see Copy as.</Text>
  return (
    <Group gap="xs">
      <PlainButton loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Next page
      </PlainButton>
      {isFetchingNextPage && <PlainButton onClick={onCancel}>Cancel the next page</PlainButton>}
    </Group>
  )
}

function Result({ answers: { query, cancel }, label }: { readonly answers: Answers; readonly label: string }) {
  const { data, error, isFetching, isFetchNextPageError } = query
  if (data === undefined && error === null && !isFetching)
    return <EmptyState title="Cancelled" says="The call was ended before its answer. Run it again when you like." />
  if (data === undefined && error === null)
    return (
      <Stack role="status" aria-label="Waiting for the answer" gap="xs">
        <Text size="sm">Waiting for the vendor's answer …</Text>
        <Skeleton height={220} />
      </Stack>
    )
  return (
    <ReadingView reading={{ ...query, error: isFetchNextPageError ? null : error }}>
      {({ pages }) => (
        <AnswerView pages={pages} label={label}>
          {(pages[0]?.meta['next_params'] !== undefined || pages.length > 1) && <More query={query} onCancel={cancel} />}
        </AnswerView>
      )}
    </ReadingView>
  )
}

/** Returns what a click on "Run" does: the same call is run again, another one is begun. */
function useRun(call: ReturnType<typeof useCall>, answers: Answers): () => void {
  const { ran, current, run } = call
  const isSame = (before: ChosenOperation | undefined): boolean => before !== undefined && before.params === current.params
  return () => {
    run()
    if (isSame(ran)) void answers.again()
  }
}

function ReadPanel({ chosen }: { readonly chosen: Chosen }) {
  const call = useCall(chosen)
  const answers = useAnswers(chosen.connector.id, call.ran)
  const { isFetching, isFetchingNextPage, error } = answers.query
  const run = useRun(call, answers)
  const label = `${chosen.entity.entity} of ${chosen.connector.name}`
  return (
    <Stack gap="md">
      <ParamsForm
        chosen={chosen}
        call={call}
        error={error}
        action="Run"
        isBusy={isFetching && !isFetchingNextPage}
        onSubmit={run}
        onCancel={answers.cancel}
      />
      {call.ran !== undefined && <Result answers={answers} label={label} />}
    </Stack>
  )
}

const nameWrite = ({ entity, action }: Chosen): string => `${action.action} ${entity.entity}`

function Question({ chosen, params }: { readonly chosen: Chosen; readonly params: unknown }) {
  const { connector } = chosen
  return (
    <Stack gap="sm">
      <Text size="sm">{chosen.action.description}</Text>
      <WriteQuestion connector={connector} />
      <JsonView label="Parameters" value={params} />
    </Stack>
  )
}

function WritePanel({ chosen }: { readonly chosen: Chosen }) {
  const call = useCall(chosen)
  const write = useWriteCall(chosen.connector.id)
  const [opened, { open, close }] = useDisclosure(false)
  const confirm = () => {
    call.run()
    close()
    write.mutate(call.current, { onSuccess: () => announce(`Done: ${nameWrite(chosen)}.`) })
  }
  return (
    <Stack gap="md">
      <ParamsForm chosen={chosen} call={call} error={write.error} action="Run …" isBusy={write.isPending} onSubmit={open} />
      <ConfirmDialog
        opened={opened}
        onClose={close}
        onConfirm={confirm}
        title={`Run ${nameWrite(chosen)}?`}
        action={`Run ${nameWrite(chosen)}`}
        isBusy={write.isPending}
      >
        <Question chosen={chosen} params={call.value} />
      </ConfirmDialog>
      <ErrorBox error={write.error} />
      {write.data !== undefined && <AnswerView pages={[write.data]} label={nameWrite(chosen)} />}
    </Stack>
  )
}

function ActionChoice({ entity: { actions }, action }: Pick<Chosen, 'entity' | 'action'>) {
  const [, change] = useExplorerAddress()
  return (
    <Stack gap="xs">
      <Select
        label="Action"
        data={actions.map(({ action: name }) => ({ value: name, label: isWrite(name) ? `${name} (writes)` : name }))}
        value={action.action}
        onChange={(name) => name !== null && change({ action: name, params: undefined, run: undefined })}
        allowDeselect={false}
      />
      <Text size="sm">{action.description}</Text>
    </Stack>
  )
}

/** What another connector takes out of the address. An address without a connector, such as one of the reference, keeps its operation. */
const otherConnector = {
  ...{ kind: undefined, entity: undefined, action: undefined, params: undefined, run: undefined },
  ...{ method: undefined, path: undefined },
}

function Call({ chosen }: { readonly chosen: Chosen }) {
  const { action } = chosen.action
  if (action === 'download') return <DownloadPanel chosen={chosen} />
  return isWrite(action) ? <WritePanel chosen={chosen} /> : <ReadPanel chosen={chosen} />
}

/** Shows the entities and actions of a connector, and the call that is chosen. */
function Operations({ connector, kind }: { readonly connector: ConnectorRecord; readonly kind: DefinitionRecord }) {
  const [address] = useExplorerAddress()
  const entity = kind.entities.find((each) => each.entity === address.entity)
  const action = entity?.actions.find((each) => each.action === address.action) ?? entity?.actions[0]
  const { edit, view } = address
  const isOwn = kind.takes_requests && entity === undefined && address.method !== undefined
  const side = (
    <>
      <EntitySide
        names={kind.entities.map((each) => each.entity).filter((name) => hasEntity(connector, name))}
        value={entity?.entity}
        path="/explorer"
        toParams={(name) => ({ connector: connector.id, entity: name, edit, view })}
      />
      {kind.takes_requests && (
        <PageLink to="/explorer" params={{ connector: connector.id, method: 'GET' }} size="sm" underline="always" display="block" mt="sm">
          Request of your own
        </PageLink>
      )}
    </>
  )
  return (
    <WithSide side={side}>
      {isOwn ? (
        <RequestPanel connector={connector} />
      ) : entity === undefined || action === undefined ? (
        <EmptyState title="Choose an entity" says="Its operations can be run here, with a form for their parameters." />
      ) : (
        <>
          <ActionChoice entity={entity} action={action} />
          <Call key={`${connector.id} ${entity.entity} ${action.action}`} chosen={{ connector, kind, entity, action }} />
        </>
      )}
    </WithSide>
  )
}

/** Reads what is known about the connector. */
function OfConnector({ id }: { readonly id: string }) {
  const connector = useConnectorRecord(id)
  const kind = useKind(connector.data?.connector_type)
  return (
    <ReadingView reading={connector}>
      {(record) => <ReadingView reading={kind}>{(definition) => <Operations connector={record} kind={definition} />}</ReadingView>}
    </ReadingView>
  )
}

/** The page. */
export function Page() {
  const [address, change] = useExplorerAddress()
  const reading = useConnectorChoice(address.kind === undefined ? {} : { connector_type: address.kind })
  const connectors = reading.data?.rows ?? []
  const id = address.connector
  // An address of a kind brings an operation: the reader chooses who runs it.
  useOpening({ reading, value: id, skipsLast: address.kind !== undefined, onOpen: (connector) => change({ connector }, { replace: true }) })
  const choose = ({ id: connector }: { readonly id: string }) => change({ ...(id === undefined ? {} : otherConnector), connector })
  return (
    <>
      <PageHeader title="Explorer" about="Run any operation, see what it answers, and take the call with you." />
      {reading.data?.isWhole === true && connectors.length === 0 && id === undefined ? (
        <EmptyState title="No connectors yet" says="The explorer runs the operations of a connector. Create one first.">
          <PageLink to="/connectors/new" params={{ kind: address.kind }}>
            New connector
          </PageLink>
        </EmptyState>
      ) : (
        <Stack gap="md">
          <ConnectorSelect reading={reading} value={id} onChange={choose} />
          {id !== undefined && <OfConnector key={id} id={id} />}
        </Stack>
      )}
    </>
  )
}

const views = [
  { value: 'table', label: 'Table' },
  { value: 'json', label: 'JSON' },
]

interface AnswerViewProps {
  /** In their order. */
  readonly pages: readonly ShownAnswer[]
  /** Name of the table, for readers of the screen. */
  readonly label: string
  /** What leads to further pages. */
  readonly children?: ReactNode
}

function Rows({ pages, label }: AnswerViewProps) {
  const { columns, rows } = useMemo(() => readAnswerRows(...pages.map(({ data }) => data)), [pages])
  const last = pages.at(-1)
  return (
    <>
      <Text size="sm" role="status">
        {printCounted(rows.length, 'row')}
        {pages.length > 1 && ` of ${pages.length} pages`}
        {last !== undefined && `, answered in ${printDuration(last.durationMs)}`}
      </Text>
      {rows.length === 0 ? (
        <EmptyState title="No rows" says="The vendor has no records for these parameters. Change them, and run it again." />
      ) : (
        <DataTable label={label} rows={rows} columns={columns} />
      )}
    </>
  )
}

/** Shows the answers whole, as the service sent them. */
function Whole({ pages, label }: AnswerViewProps) {
  const shown = useMemo(() => pages.map(({ data, meta }) => ({ data, meta })), [pages])
  return <JsonView label={label} value={shown.length === 1 ? shown[0] : shown} depth={3} />
}

function AnswerView(props: AnswerViewProps) {
  const [{ view = 'table' }, change] = useExplorerAddress()
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Answer
        </Title>
        <SegmentedControl
          aria-label="View of the answer"
          size="xs"
          data={views}
          value={view}
          onChange={(next) => change({ view: next === 'table' ? undefined : next }, { replace: true })}
        />
      </Group>
      {view === 'json' ? <Whole {...props} /> : <Rows {...props} />}
      {props.children}
    </Stack>
  )
}
