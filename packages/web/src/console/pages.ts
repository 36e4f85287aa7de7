/** The pages of the console: one row for each. */
import IconApi from '@tabler/icons-react/icons/IconApi'
import IconApps from '@tabler/icons-react/icons/IconApps'
import IconCompass from '@tabler/icons-react/icons/IconCompass'
import IconFolders from '@tabler/icons-react/icons/IconFolders'
import IconKey from '@tabler/icons-react/icons/IconKey'
import IconLayoutDashboard from '@tabler/icons-react/icons/IconLayoutDashboard'
import IconLink from '@tabler/icons-react/icons/IconLink'
import IconPlugConnected from '@tabler/icons-react/icons/IconPlugConnected'
import IconSearch from '@tabler/icons-react/icons/IconSearch'
import IconSettings from '@tabler/icons-react/icons/IconSettings'
import IconSql from '@tabler/icons-react/icons/IconSql'
import IconWebhook from '@tabler/icons-react/icons/IconWebhook'
import type { ComponentType } from 'react'

/** An icon of Tabler. Each comes from a module of its own: the package has 6,000. */
export type Icon = typeof IconLink

/** Groups of the navigation, in their order. */
export const groups = ['Work', 'Manage', 'Help'] as const

/** A page. */
export interface ConsolePage {
  /** Path below `/console`; `:name` is a slot. */
  readonly path: string
  readonly title: string
  /** Group of the navigation; absent: the page is reached from others. */
  readonly group?: (typeof groups)[number]
  /** Stands before the title in the navigation. */
  readonly icon?: Icon
  /** Loads the code of the page. */
  readonly load: () => Promise<{ readonly Page: ComponentType }>
}

/** All pages. */
export const pages: readonly ConsolePage[] = [
  { path: '/', title: 'Overview', group: 'Work', icon: IconLayoutDashboard, load: () => import('./pages/overview/index.tsx') },
  { path: '/connectors', title: 'Connectors', group: 'Work', icon: IconPlugConnected, load: () => import('./pages/connectors/index.tsx') },
  { path: '/connectors/new', title: 'New connector', load: () => import('./pages/new-connector/index.tsx') },
  { path: '/connectors/:id', title: 'Connector', load: () => import('./pages/connector/index.tsx') },
  { path: '/explorer', title: 'Explorer', group: 'Work', icon: IconCompass, load: () => import('./pages/explorer/index.tsx') },
  { path: '/search', title: 'Search', group: 'Work', icon: IconSearch, load: () => import('./pages/search/index.tsx') },
  { path: '/statements', title: 'Statements', group: 'Work', icon: IconSql, load: () => import('./pages/statements/index.tsx') },
  { path: '/kinds', title: 'Kinds', group: 'Help', icon: IconApps, load: () => import('./pages/kinds/index.tsx') },
  { path: '/kinds/:slug', title: 'Kind', load: () => import('./pages/kind/index.tsx') },
  { path: '/own-kinds', title: 'New kind', load: () => import('./pages/own-kind/index.tsx') },
  { path: '/own-kinds/:slug', title: 'Kind of your organization', load: () => import('./pages/own-kind/index.tsx') },
  { path: '/workspaces', title: 'Workspaces', group: 'Manage', icon: IconFolders, load: () => import('./pages/workspaces/index.tsx') },
  { path: '/links', title: 'Connect links', group: 'Manage', icon: IconLink, load: () => import('./pages/links/index.tsx') },
  { path: '/tokens', title: 'MCP tokens', group: 'Manage', icon: IconKey, load: () => import('./pages/tokens/index.tsx') },
  { path: '/webhooks', title: 'Webhooks', group: 'Manage', icon: IconWebhook, load: () => import('./pages/webhooks/index.tsx') },
  { path: '/webhooks/:id', title: 'Webhook', load: () => import('./pages/webhooks/endpoint.tsx') },
  { path: '/applications', title: 'Applications', group: 'Manage', icon: IconApi, load: () => import('./pages/applications/index.tsx') },
  { path: '/settings', title: 'Settings', group: 'Manage', icon: IconSettings, load: () => import('./pages/settings/index.tsx') },
]
