/** Connect links: with one, an end user authorizes a connector, and nobody here sees the secret. */
import { Button, Stack, Tabs } from '@mantine/core'
import type { ComponentType } from 'react'
import { useAddressParams } from '../../data/params.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { LinkDetails } from './link-details.tsx'
import { LinksTab } from './links-tab.tsx'
import { NewLink } from './new-link.tsx'
import { VendorsTab } from './vendors-tab.tsx'

/** The tabs by their name in the address. */
const tabs: Readonly<Record<string, { readonly title: string; readonly Tab: ComponentType }>> = {
  links: { title: 'Links', Tab: LinksTab },
  vendors: { title: 'OAuth clients at vendors', Tab: VendorsTab },
}

/** The page; the address has the tab, the filters, the open link and what the new link is for. */
export function Page() {
  const [{ tab, new: isNew }, change] = useAddressParams('tab', 'new', 'cursor')
  const open = tab !== undefined && Object.hasOwn(tabs, tab) ? tab : 'links'
  return (
    <Stack>
      <PageHeader
        title="Connect links"
        about="Your customer authorizes a connector on a page of its own. You get the connector, never the secret."
      >
        {isNew === undefined && <Button onClick={() => change({ new: '1', tab: undefined })}>Create a link</Button>}
      </PageHeader>
      {isNew !== undefined && <NewLink />}
      <Tabs value={open} onChange={(name) => change({ tab: name === null || name === 'links' ? undefined : name })} keepMounted={false}>
        <Tabs.List aria-label="Parts of the page">
          {Object.entries(tabs).map(([name, { title }]) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(tabs).map(([name, { Tab }]) => (
          <Tabs.Panel key={name} value={name} pt="md">
            <Tab />
          </Tabs.Panel>
        ))}
      </Tabs>
      <LinkDetails />
    </Stack>
  )
}
