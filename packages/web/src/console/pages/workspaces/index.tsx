/** The workspaces of the organization, and the organizations themselves. */
import { Alert, Badge, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import type { OrganizationRecord, WorkspaceQuery, WorkspaceRecord } from 'ferrule/wire'
import { connectorLists } from '../../data/connectors.ts'
import { useRead } from '../../data/ferrule.ts'
import { useOrganizations } from '../../data/organizations.ts'
import { useAddressParams } from '../../data/params.ts'
import { useGo, useSetTenant, useTenant } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { bindValue } from '../../parts/form/text-entry.ts'
import { Held } from '../../parts/held.tsx'
import { Quiet, SmallButton } from '../../parts/looks.tsx'
import { NameButton } from '../../parts/name-button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printCounted } from '../../parts/print.ts'
import { Section } from '../../parts/section.tsx'
import { StatePill } from '../../parts/states.tsx'
import type { ListColumn } from '../../parts/table/list-table.tsx'
import { ReadTable } from '../../parts/table/read-table.tsx'
import { Time } from '../../parts/time.tsx'

const looks = {
  active: ['Active', 'green'],
  inactive: ['Inactive', 'gray'],
  deleted: ['Deleted', 'red'],
} as const

/** Columns of the table. A deleted workspace can be restored only. */
const columns: readonly ListColumn<WorkspaceRecord>[] = [
  {
    title: 'Name',
    cell: ({ name, tombstone: isDeleted }) =>
      isDeleted ? (
        <strong>{name}</strong>
      ) : (
        <PageLink to="/connectors" params={{ workspace: name }} fw={600}>
          {name}
        </PageLink>
      ),
  },
  { title: 'State', cell: ({ status, tombstone: isDeleted }) => <StatePill look={looks[isDeleted ? 'deleted' : status]} /> },
  { title: 'Created', cell: ({ created_at: created }) => <Time value={created} /> },
  { title: 'Changed', cell: ({ updated_at: changed }) => <Time value={changed} /> },
  {
    title: 'Actions',
    cell: (workspace) =>
      workspace.tombstone ? (
        <RestoreButton workspace={workspace} />
      ) : (
        <Group gap="xs">
          <RenameWorkspaceButton workspace={workspace} />
          <StatusButton workspace={workspace} />
          <DeleteWorkspaceButton workspace={workspace} />
        </Group>
      ),
  },
]

/** Ways to limit the list, by their value in the address. */
const shows: Readonly<Record<string, WorkspaceQuery>> = {
  active: { status: 'active' },
  inactive: { status: 'inactive' },
  deleted: { deleted: 'only' },
}

function useWorkspaceQuery() {
  const [{ state, text, cursor }] = useAddressParams('state', 'text', 'cursor')
  return {
    limit: 50,
    ...(state !== undefined && Object.hasOwn(shows, state) ? shows[state] : {}),
    ...(text === undefined ? {} : { name_contains: text }),
    ...(cursor === undefined ? {} : { cursor }),
  }
}

function CreateWorkspaceButton() {
  const creation = useWrite((ferrule, name: string) => ferrule.workspaces.create({ name }), {
    refreshes: workspaceKeys,
    onDone: ({ name }) => announce(`The workspace ${name} was created.`),
  })
  return (
    <NameButton label="Create a workspace" title="New workspace" mutation={creation}>
      A workspace holds connectors: one for each of your customers, for example. Its name is unique in the organization.
    </NameButton>
  )
}

/** Shows the filters; the address has their values. */
function Filters() {
  const [{ state, text }, change] = useAddressParams('state', 'text', 'cursor')
  return (
    <Group align="flex-end" component="search">
      <TextInput
        label="Name"
        type="search"
        placeholder="Part of a name"
        {...bindValue(text ?? '', (next) => change({ text: next, cursor: undefined }, { replace: true }))}
        w={{ base: '100%', sm: 280 }}
      />
      <NativeSelect
        label="State"
        data={[
          { value: '', label: 'All but deleted ones' },
          { value: 'active', label: 'Active' },
          { value: 'inactive', label: 'Inactive' },
          { value: 'deleted', label: 'Deleted, can be restored' },
        ]}
        {...bindValue(state ?? '', (next) => change({ state: next, cursor: undefined }))}
      />
    </Group>
  )
}

function Numbers() {
  const reading = useRead(['workspaces', 'stats'], (ferrule, signal) => ferrule.workspaces.stats({ signal }))
  if (reading.data === undefined) return null
  const { total_count: total, active_count: active, inactive_count: inactive } = reading.data
  return (
    <Quiet>
      {printCounted(total, 'workspace')}: {active} active, {inactive} inactive
    </Quiet>
  )
}

const noWorkspace = (
  <EmptyState title="No workspace" says="None fits. Choose another state, clear the name, or create a workspace with the button above." />
)

/** The page; the address has the filters. */
export function Page() {
  const query = useWorkspaceQuery()
  const reading = useRead(['workspaces', 'list', query], (ferrule, signal) => ferrule.workspaces.page(query, { signal }))
  return (
    <Stack>
      <PageHeader title="Workspaces" about="A workspace holds the connectors of one customer or team.">
        <CreateWorkspaceButton />
      </PageHeader>
      <Numbers />
      <Filters />
      <ReadTable label="Workspaces" columns={columns} reading={reading} rowKey={({ id }) => id} none={noWorkspace} />
      <OrganizationSection />
    </Stack>
  )
}

/** What a change of a workspace changes: lists of workspaces, and lists of connectors with their states. */
const workspaceKeys = [['workspaces'], connectorLists] as const

/** What the buttons get. */
interface WorkspaceProps {
  readonly workspace: WorkspaceRecord
}

/** Returns a function that moves the address from a workspace: to its new name, or to all workspaces. */
function useLeave(name: string): (next: string | undefined) => void {
  const { workspace } = useTenant()
  const setTenant = useSetTenant()
  return (next) => {
    if (workspace === name) setTenant({ workspace: next })
  }
}

function RenameWorkspaceButton({ workspace: { id, name } }: WorkspaceProps) {
  const leave = useLeave(name)
  const change = useWrite((ferrule, next: string) => ferrule.workspaces.update(id, { name: next }), {
    refreshes: workspaceKeys,
    onDone: ({ name: next }) => {
      announce(`The workspace ${name} is now ${next}.`)
      leave(next)
    },
  })
  return (
    <NameButton label="Rename" says={`Rename ${name}`} title={`Rename ${name}`} name={name} mutation={change}>
      Programs that name the workspace need the new name. Ids, tokens and connectors stay.
    </NameButton>
  )
}

/** Words of the two ways between active and inactive. */
const switches = {
  active: {
    status: 'inactive',
    label: 'Deactivate',
    says: 'Its connectors execute nothing and sync nothing until it is activated again. Connectors, credentials and copies stay.',
    done: 'inactive: its connectors execute nothing',
  },
  inactive: { status: 'active', label: 'Activate', says: 'Its connectors execute and sync again.', done: 'active again' },
} as const

/** Activates or deactivates the workspace. */
function StatusButton({ workspace: { id, name, status } }: WorkspaceProps) {
  const next = switches[status]
  const change = useWrite((ferrule) => ferrule.workspaces.update(id, { status: next.status }), {
    refreshes: workspaceKeys,
    onDone: () => announce(`The workspace ${name} is ${next.done}.`),
  })
  return (
    <ConfirmButton isSmall label={next.label} says={`${next.label} ${name}`} title={`${next.label} ${name}?`} mutation={change}>
      {next.says}
    </ConfirmButton>
  )
}

function DeleteWorkspaceButton({ workspace: { id, name } }: WorkspaceProps) {
  const leave = useLeave(name)
  const deletion = useWrite((ferrule) => ferrule.workspaces.delete(id), {
    refreshes: workspaceKeys,
    onDone: () => {
      announce(`The workspace ${name} was deleted. It can be restored for 30 days.`)
      leave(undefined)
    },
  })
  return (
    <ConfirmButton isSmall isDanger label="Delete" says={`Delete ${name}`} title={`Delete ${name}?`} typed={name} mutation={deletion}>
      <Stack gap="sm">
        <Held kind="workspace" id={id} name={name} />
        <Text size="sm">
          Its connectors answer nothing from then on, its syncs end, and the copies of its records are emptied. It can be restored for 30
          days; then its credentials and connectors are destroyed. Nothing is deleted at the vendors.
        </Text>
      </Stack>
    </ConfirmButton>
  )
}

function RestoreButton({ workspace: { id, name } }: WorkspaceProps) {
  const restoring = useWrite((ferrule) => ferrule.workspaces.restore(id), {
    refreshes: workspaceKeys,
    onDone: () => announce(`The workspace ${name} is restored.`),
  })
  return (
    <ConfirmButton isSmall label="Restore" says={`Restore ${name}`} title={`Restore ${name}?`} mutation={restoring}>
      Its connectors come back with their credentials. Their copies are filled again.
    </ConfirmButton>
  )
}

const keys = [['organizations']] as const

/** What the parts of a row get. */
interface OrganizationProps {
  readonly organization: OrganizationRecord
}

function RenameOrganizationButton({ organization: { id, name } }: OrganizationProps) {
  const change = useWrite((ferrule, next: string) => ferrule.organizations.update(id, { name: next }), {
    refreshes: keys,
    onDone: ({ name: next }) => announce(`The organization ${name} is now ${next}.`),
  })
  return (
    <NameButton label="Rename" says={`Rename ${name}`} title={`Rename ${name}`} name={name} mutation={change}>
      Connect pages show this name to end users. Ids, applications and tokens stay.
    </NameButton>
  )
}

/** Deletes an organization for now; the address keeps its id, so that it can be restored. */
function DeleteOrganizationButton({ organization: { id, name }, next }: OrganizationProps & { readonly next: string | undefined }) {
  const { organizationId } = useTenant()
  const go = useGo()
  const deletion = useWrite((ferrule) => ferrule.organizations.delete(id), {
    refreshes: keys,
    onDone: () => {
      announce(`The organization ${name} was deleted.`)
      go('/workspaces', { restorable: id, ...(organizationId === id ? { organization: next, workspace: undefined } : {}) })
    },
  })
  return (
    <ConfirmButton isSmall isDanger label="Delete" says={`Delete ${name}`} title={`Delete ${name}?`} typed={name} mutation={deletion}>
      <Stack gap="sm">
        <Held kind="organization" id={id} name={name} />
        <Text size="sm">
          Every token of the organization fails at once, its workspaces and connectors answer nothing, and its copies are emptied. It can be
          restored for 30 days with its id, <strong>{id}</strong>; then its keys, connectors and applications are destroyed.
        </Text>
      </Stack>
    </ConfirmButton>
  )
}

/** Offers to restore the organization that was deleted last. */
function RestoreNote() {
  const [{ restorable }, change] = useAddressParams('restorable')
  const restoring = useWrite((ferrule, id: string) => ferrule.organizations.restore(id), {
    refreshes: keys,
    onDone: ({ name }) => {
      announce(`The organization ${name} is restored.`)
      change({ restorable: undefined })
    },
  })
  if (restorable === undefined) return null
  return (
    <Alert color="yellow" variant="light" title="An organization was deleted" role="status">
      <Group justify="space-between">
        <Text size="sm">It can be restored for 30 days with its id, {restorable}. Keep this address, or the id.</Text>
        <SmallButton loading={restoring.isPending} onClick={() => restoring.mutate(restorable)}>
          Restore it
        </SmallButton>
      </Group>
      <ErrorBox error={restoring.error} />
    </Alert>
  )
}

/** Builds the columns. The only organization cannot be deleted here: nothing would be left to show. */
function buildColumns(all: readonly OrganizationRecord[], shown: string | undefined): readonly ListColumn<OrganizationRecord>[] {
  return [
    {
      title: 'Name',
      cell: ({ id, name }) => (
        <>
          <strong>{name}</strong> {id === shown && <Badge>Shown now</Badge>}
        </>
      ),
    },
    { title: 'Id', cell: ({ id }) => <span className="mono">{id}</span> },
    { title: 'Created', cell: ({ created_at: created }) => <Time value={created} /> },
    {
      title: 'Actions',
      cell: (organization) => {
        const next = all.find(({ id }) => id !== organization.id)?.id
        return (
          <Group gap="xs">
            <RenameOrganizationButton organization={organization} />
            {next !== undefined && <DeleteOrganizationButton organization={organization} next={next} />}
          </Group>
        )
      },
    },
  ]
}

function CreateOrganizationButton() {
  const setTenant = useSetTenant()
  const creation = useWrite((ferrule, name: string) => ferrule.organizations.create({ name }), {
    refreshes: keys,
    onDone: ({ id, name }) => {
      announce(`The organization ${name} was created, and is shown now.`)
      setTenant({ organizationId: id, workspace: undefined })
    },
  })
  return (
    <NameButton label="Create an organization" title="New organization" mutation={creation}>
      Organizations know nothing of each other: workspaces, connectors, applications and tokens belong to one. The signed-in application
      reaches the new one too.
    </NameButton>
  )
}

function OrganizationSection() {
  const reading = useOrganizations()
  const { data: all = [] } = reading
  const { organizationId } = useTenant()
  return (
    <Section title="Organizations" about="Those that the application you signed in with reaches.">
      <RestoreNote />
      <ReadTable
        label="Organizations"
        columns={buildColumns(all, organizationId ?? all[0]?.id)}
        reading={reading}
        rowKey={({ id }) => id}
      />
      <Group>
        <CreateOrganizationButton />
      </Group>
    </Section>
  )
}
