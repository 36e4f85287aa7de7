/** One connector: its copy, its runs, and everything that can be changed about it. */
import { Stack, Tabs } from '@mantine/core'
import type { ConnectorRecord } from 'ferrule/wire'
import type { ComponentType } from 'react'
import { useAddressParams } from '../../data/params.ts'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { UsagePanel } from '../../parts/usage/usage-panel.tsx'
import { ConnectorHeader } from './connector-header.tsx'
import { CredentialsTab } from './credentials-tab.tsx'
import { useConnectorId, useConnectorReading } from './data.ts'
import { EntitiesTab } from './entities-tab.tsx'
import { IndexesTab } from './indexes-tab.tsx'
import { NoticesTab } from './notices-tab.tsx'
import { RunsTab } from './runs-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { TroubleAlert } from './trouble-alert.tsx'

/** What a tab gets. */
interface TabProps {
  readonly connector: ConnectorRecord
}

const CallsTab = ({ connector }: TabProps) => <UsagePanel title="Calls" connectorId={connector.id} />

/** The tabs by their name in the address. */
const tabs: Readonly<Record<string, { readonly title: string; readonly Tab: ComponentType<TabProps> }>> = {
  entities: { title: 'Entities', Tab: EntitiesTab },
  runs: { title: 'Runs', Tab: RunsTab },
  calls: { title: 'Calls', Tab: CallsTab },
  indexes: { title: 'Indexes', Tab: IndexesTab },
  notices: { title: 'Notices', Tab: NoticesTab },
  credentials: { title: 'Credentials', Tab: CredentialsTab },
  settings: { title: 'Settings', Tab: SettingsTab },
}

/** Shows the tabs; the address names the open one. */
function ConnectorTabs({ connector }: TabProps) {
  const [{ tab }, change] = useAddressParams('tab', 'cursor')
  const open = tab !== undefined && Object.hasOwn(tabs, tab) ? tab : 'entities'
  const choose = (name: string | null) => change({ tab: name === null || name === 'entities' ? undefined : name, cursor: undefined })
  return (
    <Tabs value={open} onChange={choose} keepMounted={false}>
      <Tabs.List aria-label="Parts of the connector">
        {Object.entries(tabs).map(([name, { title }]) => (
          <Tabs.Tab key={name} value={name}>
            {name === 'notices' && connector.notices.length > 0 ? `${title} (${connector.notices.length})` : title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(tabs).map(([name, { Tab }]) => (
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
