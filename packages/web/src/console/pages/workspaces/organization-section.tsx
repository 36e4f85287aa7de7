/** The organizations that the signed-in application reaches. */
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import type { OrganizationRecord } from 'ferrule/wire'
import { useOrganizations } from '../../data/organizations.ts'
import { useAddressParams } from '../../data/params.ts'
import { useGo, useSetTenant, useTenant } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Held } from '../../parts/held.tsx'
import { NameButton } from '../../parts/name-button.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'

const keys = [['organizations']] as const

/** What the parts of a row get. */
interface OrganizationProps {
  readonly organization: OrganizationRecord
}

/** Renames an organization. */
function RenameButton({ organization: { id, name } }: OrganizationProps) {
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
function DeleteButton({ organization: { id, name }, next }: OrganizationProps & { readonly next: string | undefined }) {
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
        <Button variant="default" size="compact-sm" loading={restoring.isPending} onClick={() => restoring.mutate(restorable)}>
          Restore it
        </Button>
      </Group>
      {restoring.error !== null && <ErrorBox error={restoring.error} />}
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
            <RenameButton organization={organization} />
            {next !== undefined && <DeleteButton organization={organization} next={next} />}
          </Group>
        )
      },
    },
  ]
}

/** Creates an organization, and shows it. */
function CreateButton() {
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

/** Shows the section. */
export function OrganizationSection() {
  const reading = useOrganizations()
  const { organizationId } = useTenant()
  return (
    <Section title="Organizations" about="Those that the application you signed in with reaches.">
      <RestoreNote />
      <ReadingView reading={reading}>
        {(all) => (
          <ListTable label="Organizations" columns={buildColumns(all, organizationId ?? all[0]?.id)} rows={all} rowKey={({ id }) => id} />
        )}
      </ReadingView>
      <Group>
        <CreateButton />
      </Group>
    </Section>
  )
}
