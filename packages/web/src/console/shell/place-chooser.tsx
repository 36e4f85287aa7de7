/** Choosers of the organization and the workspace. */
import { Group, Select } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useOrganizations, useWorkspaces } from '../data/organizations.ts'
import { usePlace, useSetPlace } from '../data/place.ts'
import { ReadingView } from '../parts/reading-view.tsx'

/** Shows the choosers. An application of one organization has no chooser for it. */
export function PlaceChooser() {
  const { organizationId, workspace } = usePlace()
  const setPlace = useSetPlace()
  const organizations = useOrganizations().data ?? []
  const isPlaced = organizationId !== undefined || organizations.length === 1
  const found = (useWorkspaces({ enabled: isPlaced }).data?.data ?? []).map(({ name }) => name)
  const names = workspace === undefined || found.includes(workspace) ? found : [workspace, ...found]
  return (
    <Group gap="xs" mb={{ base: 'md', sm: 0 }}>
      {organizations.length > 1 && (
        <Select
          aria-label="Organization"
          data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
          value={organizationId ?? null}
          onChange={(id) => id !== null && setPlace({ organizationId: id, workspace: undefined })}
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
        onChange={(name) => setPlace({ workspace: name ?? undefined })}
        clearable
        searchable
        w={{ base: '100%', sm: 190 }}
      />
    </Group>
  )
}

/** Draws the page when an organization is known. An application of several organizations begins in the first one. */
export function PlaceGate({ children }: { readonly children: ReactNode }) {
  const { organizationId } = usePlace()
  const setPlace = useSetPlace()
  const reading = useOrganizations()
  const [first, ...others] = reading.data ?? []
  const chosen = organizationId === undefined && others.length > 0 ? first?.id : undefined
  useEffect(() => {
    if (chosen !== undefined) setPlace({ organizationId: chosen })
  }, [chosen, setPlace])
  return <ReadingView reading={reading}>{() => chosen === undefined && children}</ReadingView>
}
