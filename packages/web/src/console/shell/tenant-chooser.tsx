/** Choosers of the organization and the workspace. */
import { Group, Select } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useOrganizations, useWorkspaces } from '../data/organizations.ts'
import { useSetTenant, useTenant } from '../data/tenant.ts'
import { ReadingView } from '../parts/reading-view.tsx'

/** Shows the choosers. An application of one organization has no chooser for it. */
export function TenantChooser() {
  const { organizationId, workspace } = useTenant()
  const setTenant = useSetTenant()
  const organizations = useOrganizations().data ?? []
  const isChosen = organizationId !== undefined || organizations.length === 1
  const found = (useWorkspaces({ enabled: isChosen }).data?.data ?? []).map(({ name }) => name)
  const names = workspace === undefined || found.includes(workspace) ? found : [workspace, ...found]
  return (
    <Group gap="xs" mb={{ base: 'md', sm: 0 }}>
      {organizations.length > 1 && (
        <Select
          aria-label="Organization"
          data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
          value={organizationId ?? null}
          onChange={(id) => id !== null && setTenant({ organizationId: id, workspace: undefined })}
          allowDeselect={false}
          searchable
          w={{ base: '100%', sm: 190 }}
        />
      )}
      <Select
        aria-label="Workspace"
        placeholder="All workspaces"
        data={names}
        value={workspace ?? null}
        onChange={(name) => setTenant({ workspace: name ?? undefined })}
        clearable
        searchable
        w={{ base: '100%', sm: 190 }}
      />
    </Group>
  )
}

/** Draws the page when an organization is known. An application of several organizations begins in the first one. */
export function TenantGate({ children }: { readonly children: ReactNode }) {
  const { organizationId } = useTenant()
  const setTenant = useSetTenant()
  const reading = useOrganizations()
  const [first, ...others] = reading.data ?? []
  const chosen = organizationId === undefined && others.length > 0 ? first?.id : undefined
  useEffect(() => {
    if (chosen !== undefined) setTenant({ organizationId: chosen })
  }, [chosen, setTenant])
  return <ReadingView reading={reading}>{() => chosen === undefined && children}</ReadingView>
}
