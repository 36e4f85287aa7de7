/** What can be changed about a connector: its name, configuration, entities, schedules; and its end. */
import { Divider, Stack } from '@mantine/core'
import type { ConnectorRecord } from 'ferrule/wire'
import { useKind } from '../../data/connector.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { ConfigurationSection } from './settings/configuration-section.tsx'
import { DeleteSection } from './settings/delete-section.tsx'
import { EntitiesSection } from './settings/entities-section.tsx'
import { NameSection } from './settings/name-section.tsx'
import { ResetSection } from './settings/reset-section.tsx'
import { ScheduleSection } from './settings/schedule-section.tsx'

/** Shows the tab. */
export function SettingsTab({ connector }: { readonly connector: ConnectorRecord }) {
  const reading = useKind(connector.connector_type)
  return (
    <ReadingView reading={reading}>
      {(kind) => (
        <Stack gap="lg" maw={720}>
          <NameSection connector={connector} />
          <Divider />
          <ConfigurationSection connector={connector} kind={kind} />
          <Divider />
          <EntitiesSection connector={connector} kind={kind} />
          <Divider />
          <ScheduleSection connector={connector} />
          <Divider />
          <ResetSection connector={connector} />
          <Divider />
          <DeleteSection connector={connector} kind={kind} />
        </Stack>
      )}
    </ReadingView>
  )
}
