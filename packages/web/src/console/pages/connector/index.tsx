/** One connector: its copy, its runs, and everything that can be changed about it. */
import { Alert, Button, Divider, Group, Menu, Stack, Tabs, Text } from '@mantine/core'
import type * as wire from 'ferrule/wire'
import type { ComponentType } from 'react'
import { hasEntity, useKind } from '../../data/connector.ts'
import { useAddressParams } from '../../data/params.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { readReason } from '../../parts/connectors/conditions.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { findNextStep } from '../../parts/describe-error.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Strong } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageButton, PageLink } from '../../parts/page-link.tsx'
import { printCount, printCounted, printSize } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { printProgress, RunProgress } from '../../parts/run-progress.tsx'
import { ConnectorStatus, CopyState, RunStateBadge, SandboxPill } from '../../parts/states.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { UsagePanel } from '../../parts/usage/usage-panel.tsx'
import { ChangesTab } from './changes-tab.tsx'
import { ConnectLinkButton } from './connect-link-button.tsx'
import { CredentialsTab } from './credentials-tab.tsx'
import { listAllKeys, useConnectorId, useConnectorReading, useCopyReading } from './data.ts'
import { RunsTab } from './runs-tab.tsx'
import {
  ChangesSection,
  ConfigurationSection,
  DeleteSection,
  EntitiesSection,
  NameSection,
  ResetSection,
  ScheduleSection,
} from './settings.tsx'
import { WebhooksSection } from './webhooks-section.tsx'

const says: Readonly<Record<wire.SyncIndexRecord['state'], string>> = {
  building: 'is being created',
  ready: 'ready',
  failed: 'could not be created; the service tries again after a pause',
}

const indexColumns: readonly ListColumn<{ readonly entity: string; readonly index: wire.SyncIndexRecord }>[] = [
  { title: 'Entity', cell: ({ entity }) => entity },
  { title: 'Field', cell: ({ index }) => index.field },
  { title: 'State', cell: ({ index: { state, error } }) => `${says[state]}${error === null ? '' : ` (${error})`}` },
  { title: 'Size', isNumber: true, cell: ({ index }) => printSize(index.size_bytes) },
  { title: 'Last used', cell: ({ index }) => <Time value={index.used_at} /> },
  { title: 'Created', cell: ({ index }) => <Time value={index.created_at} /> },
]

function IndexTable({ entities }: wire.SyncStatusRecord) {
  const found = entities.flatMap(({ entity, indexes }) => indexes.map((index) => ({ entity, index })))
  if (found.length === 0)
    return (
      <EmptyState
        title="No indexes yet"
        says="The service creates one by itself when searches by a field are slow. There is nothing to do."
      />
    )
  return (
    <>
      <ListTable label="Indexes" columns={indexColumns} rows={found} rowKey={({ entity, index }) => `${entity} ${index.field}`} />
      <Text size="sm" c="dimmed" py="xs">
        The service removes an index that no search uses.
      </Text>
    </>
  )
}

function IndexesTab({ connector }: { readonly connector: wire.ConnectorRecord }) {
  const reading = useCopyReading(connector.id)
  return <ReadingView reading={reading}>{(copy) => <IndexTable {...copy} />}</ReadingView>
}

const useSync = (id: string) =>
  useWrite(
    (ferrule, body: { readonly mode: wire.RunMode; readonly entities?: readonly string[] }) =>
      ferrule.syncs.start(id, { mode: body.mode, ...(body.entities === undefined ? {} : { entities: [...body.entities] }) }),
    {
      refreshes: listAllKeys(id),
      onDone: ({ state }) => announce(state === 'running' ? 'The sync runs.' : 'The sync is waiting.'),
    },
  )

/** Shows the state of a connector, and where it belongs. */
function ConnectorFacts({ connector }: { readonly connector: wire.ConnectorRecord }) {
  const { id, status, environment, source_template: kind, workspace_name: workspace } = connector
  return (
    <Group gap="xs">
      <ConnectorStatus status={status} />
      {environment.sandbox && <SandboxPill />}
      <Text size="sm">
        {kind.name} · workspace {workspace}
      </Text>
      <CopyButton value={id} label="Copy id" says="Copy id of the connector" />
    </Group>
  )
}

/** Returns whether records of a connector are copied. */
const hasCopy = ({ source_template: kind }: wire.ConnectorRecord): boolean => kind.supports_context_store

/** Shows the title with the actions. */
function ConnectorHeader({ connector }: { readonly connector: wire.ConnectorRecord }) {
  const { id, name } = connector
  const sync = useSync(id)
  return (
    <>
      <PageHeader title={name}>
        {hasCopy(connector) ? (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button loading={sync.isPending}>Sync now</Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => sync.mutate({ mode: 'incremental' })}>What has changed</Menu.Item>
              <Menu.Item onClick={() => sync.mutate({ mode: 'full' })}>Everything, and find deleted records</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ) : (
          <PageButton to="/explorer" params={{ connector: id }}>
            Explore
          </PageButton>
        )}
      </PageHeader>
      <ConnectorFacts connector={connector} />
      <ErrorBox error={sync.error} title="The sync was not started" />
    </>
  )
}

function SettingsTab({ connector }: { readonly connector: wire.ConnectorRecord }) {
  const reading = useKind(connector.connector_type)
  return (
    <ReadingView reading={reading}>
      {(kind) => (
        <Stack gap="lg" maw="var(--form-width)">
          <NameSection connector={connector} />
          <Divider />
          <ConfigurationSection connector={connector} kind={kind} />
          <Divider />
          <EntitiesSection connector={connector} kind={kind} />
          <Divider />
          {hasCopy(connector) && (
            <>
              <ScheduleSection connector={connector} />
              <Divider />
              <ChangesSection connector={connector} />
              <WebhooksSection connector={connector} />
              <Divider />
              <ResetSection connector={connector} />
              <Divider />
            </>
          )}
          <DeleteSection connector={connector} kind={kind} />
        </Stack>
      )}
    </ReadingView>
  )
}

const titles: Readonly<Record<wire.ConnectorNotice['type'], string>> = {
  api_version: 'The vendor answers with another version of its API',
  deprecated: 'The vendor will end something that is used',
}

function NoticesTab({ connector }: { readonly connector: wire.ConnectorRecord }) {
  if (connector.notices.length === 0)
    return <EmptyState title="No notices" says="Vendors say here when they end or change something that this connector uses." />
  return (
    <Stack>
      {connector.notices.map(({ type, message, since }) => (
        <Alert key={`${type} ${message}`} color="yellow" variant="light" title={titles[type]}>
          <Text size="sm">{message}</Text>
          <Text size="sm">
            First said <Time value={since} />.
          </Text>
        </Alert>
      ))}
    </Stack>
  )
}

interface TabProps {
  readonly connector: wire.ConnectorRecord
}

const CallsTab = ({ connector }: TabProps) => <UsagePanel title="Calls" connectorId={connector.id} />

/** The tabs by their name in the address. */
const tabs: Readonly<Record<string, { readonly title: string; readonly Tab: ComponentType<TabProps>; readonly ofCopy?: true }>> = {
  entities: { title: 'Entities', Tab: EntitiesTab },
  changes: { title: 'Changes', Tab: ChangesTab, ofCopy: true },
  runs: { title: 'Runs', Tab: RunsTab, ofCopy: true },
  calls: { title: 'Calls', Tab: CallsTab },
  indexes: { title: 'Indexes', Tab: IndexesTab, ofCopy: true },
  notices: { title: 'Notices', Tab: NoticesTab },
  credentials: { title: 'Credentials', Tab: CredentialsTab },
  settings: { title: 'Settings', Tab: SettingsTab },
}

/** A phone has one line for the tabs, which scrolls. */
function showTab(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

/** Shows the tabs; the address names the open one. */
function ConnectorTabs({ connector }: TabProps) {
  const [{ tab }, change] = useAddressParams('tab', 'cursor', 'entity')
  const shown = Object.entries(tabs).filter(([, { ofCopy = false }]) => !ofCopy || hasCopy(connector))
  const open = shown.find(([name]) => name === tab)?.[0] ?? 'entities'
  const choose = (name: string | null) =>
    change({ tab: name === null || name === 'entities' ? undefined : name, cursor: undefined, entity: undefined })
  return (
    <Tabs value={open} onChange={choose} keepMounted={false}>
      <Tabs.List aria-label="Parts of the connector">
        {shown.map(([name, { title }]) => (
          <Tabs.Tab key={name} value={name} ref={name === open ? showTab : null}>
            {name === 'notices' && connector.notices.length > 0 ? `${title} (${connector.notices.length})` : title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {shown.map(([name, { Tab }]) => (
        <Tabs.Panel key={name} value={name} pt="md">
          <Tab connector={connector} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

/** The page. */
export function Page() {
  const id = useConnectorId()
  const reading = useConnectorReading(id)
  return (
    <Stack gap="sm">
      <PageLink to="/connectors" size="sm">
        All connectors
      </PageLink>
      <ReadingView reading={reading}>
        {(connector) => (
          <>
            <ConnectorHeader connector={connector} />
            <TroubleAlert connector={connector} />
            <ConnectorTabs connector={connector} />
          </>
        )}
      </ReadingView>
    </Stack>
  )
}

const alertTitles: Readonly<Record<wire.ConnectorRecord['status'], string>> = {
  active: 'The credentials have not been checked',
  auth_error: 'The vendor refuses the credentials',
  disabled: 'The workspace of this connector is inactive',
}

/** Shows why a connector does not work or waits, with the way out; nothing for one that works. */
function TroubleAlert({ connector }: { readonly connector: wire.ConnectorRecord }) {
  const [, change] = useAddressParams('tab')
  const { status, status_reason: reason } = connector
  if (reason === null) return null
  return (
    <Alert color={status === 'active' ? 'yellow' : 'red'} variant="light" title={alertTitles[status]}>
      <Stack gap="sm">
        <Text size="sm">{readReason(reason)}</Text>
        {status !== 'disabled' && (
          <Group gap="xs">
            <Button size="xs" onClick={() => change({ tab: 'credentials' })}>
              {status === 'active' ? 'Check the credentials' : 'Replace the credentials'}
            </Button>
            {status === 'auth_error' && <ConnectLinkButton connector={connector} />}
          </Group>
        )}
      </Stack>
    </Alert>
  )
}

/** Shows how far a sync is with an entity, and when the copy is complete, as far as known. */
function EntityProgress({ progress }: { readonly progress: wire.SyncEntityProgress }) {
  const { estimated_end: end } = progress
  return (
    <Text size="sm">
      {printProgress(progress)}
      {end !== null && (
        <>
          , complete about <Time value={end} />
        </>
      )}
    </Text>
  )
}

/** Shows the state of a copy, with its progress, or with what is wrong and what to do. */
function EntityState({ entity }: { readonly entity: wire.SyncEntityStatus }) {
  const { state, progress, last_error: error, reason, complete, synced_at: synced } = entity
  return (
    <Stack gap={4} align="flex-start">
      <CopyState state={state} />
      {progress !== null && <EntityProgress progress={progress} />}
      {reason !== null && <Text size="sm">{reason}</Text>}
      {error !== null && (
        <Text size="sm">
          {error.message} <strong>{findNextStep(error.code, error.hint)}</strong>
        </Text>
      )}
      {!complete && synced !== null && error === null && <Text size="sm">A part could not be read.</Text>}
    </Stack>
  )
}

/** Shows the ways to the records of an entity. */
function EntityLinks({ id, entity, isSearchable }: { readonly id: string; readonly entity: string; readonly isSearchable: boolean }) {
  const params = { connector: id, entity }
  return (
    <Group gap="xs" wrap="nowrap">
      {isSearchable && (
        <PageLink to="/search" params={params} size="sm" aria-label={`Search ${entity}`}>
          Search
        </PageLink>
      )}
      <PageLink to="/explorer" params={params} size="sm" aria-label={`Explore ${entity}`}>
        Explore
      </PageLink>
    </Group>
  )
}

/** Shows the run that works now, and the one that waits. */
function CurrentRuns({ running, queued }: wire.SyncStatusRecord) {
  return [running, queued].map(
    (run) =>
      run !== null && (
        <Group key={run.id} gap="sm">
          <RunStateBadge state={run.state} />
          <RunProgress run={run} />
        </Group>
      ),
  )
}

/** Builds the columns. @param id of the connector */
const buildColumns = (id: string): readonly ListColumn<wire.SyncEntityStatus>[] => [
  { title: 'Entity', cell: ({ entity }) => <strong>{entity}</strong> },
  { title: 'State', cell: (entity) => <EntityState entity={entity} /> },
  { title: 'Records', isNumber: true, cell: ({ records }) => printCount(records) },
  { title: 'Last sync', cell: ({ synced_at: synced }) => <Time value={synced} none="not yet" /> },
  { title: 'Last full check', cell: ({ verified_at: verified }) => <Time value={verified} none="not yet" /> },
  { title: 'Next sync', cell: ({ paused, next_run_at: next }) => (paused ? 'paused' : <Time value={next} none="no schedule" />) },
  {
    title: 'Open',
    cell: ({ entity, state, ready_for_search: isSearchable }) =>
      state !== 'disabled' && <EntityLinks id={id} entity={entity} isSearchable={isSearchable} />,
  },
]

/** Shows the entities that have no copy; they are called at the vendor only. */
function OtherEntities({ connector, copied }: { readonly connector: wire.ConnectorRecord; readonly copied: readonly string[] }) {
  const all = useKind(connector.connector_type).data?.entities ?? []
  const others = all.filter(({ entity }) => !copied.includes(entity) && hasEntity(connector, entity))
  if (others.length === 0) return null
  return (
    <Stack gap={4}>
      <Strong>Without a copy: read at the vendor with each call</Strong>
      <Group gap="md">
        {others.map(({ entity }) => (
          <PageLink key={entity} to="/explorer" params={{ connector: connector.id, entity }} size="sm">
            {entity}
          </PageLink>
        ))}
      </Group>
    </Stack>
  )
}

function EntitiesTab({ connector }: { readonly connector: wire.ConnectorRecord }) {
  const reading = useCopyReading(connector.id)
  return (
    <ReadingView reading={reading}>
      {(copy) => (
        <Stack gap="md">
          {copy.entities.length > 0 && (
            <>
              <Group gap="sm">
                <CopyState state={copy.state} />
                <Text size="sm">{printCounted(copy.records, 'record')} in the copy</Text>
              </Group>
              <CurrentRuns {...copy} />
              <ListTable label="Entities" columns={buildColumns(connector.id)} rows={copy.entities} rowKey={({ entity }) => entity} />
            </>
          )}
          <OtherEntities connector={connector} copied={copy.entities.map(({ entity }) => entity)} />
        </Stack>
      )}
    </ReadingView>
  )
}
