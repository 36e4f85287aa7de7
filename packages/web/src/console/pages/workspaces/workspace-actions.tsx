/** What is done with a workspace. */
import { Stack, Text } from '@mantine/core'
import type { WorkspaceRecord } from 'ferrule/wire'
import { connectorLists } from '../../data/connectors.ts'
import { useSetTenant, useTenant } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { Held } from '../../parts/held.tsx'
import { NameButton } from '../../parts/name-button.tsx'

/** What a change of a workspace changes: lists of workspaces, and lists of connectors with their states. */
export const workspaceKeys = [['workspaces'], connectorLists] as const

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

/** Renames the workspace. */
export function RenameButton({ workspace: { id, name } }: WorkspaceProps) {
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
export function StatusButton({ workspace: { id, name, status } }: WorkspaceProps) {
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

/** Deletes the workspace for now. */
export function DeleteButton({ workspace: { id, name } }: WorkspaceProps) {
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

/** Restores the workspace. */
export function RestoreButton({ workspace: { id, name } }: WorkspaceProps) {
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
