/** The pages of the console: one row for each. */
import type { ComponentType } from 'react'

/** Groups of the navigation, in their order. */
export const groups = ['Work', 'Manage', 'Help'] as const

/** A page. */
export interface ConsolePage {
  /** Path below `/console`; `:name` is a slot. */
  readonly path: string
  readonly title: string
  /** Group of the navigation; absent: the page is reached from others. */
  readonly group?: (typeof groups)[number]
  /** Loads the code of the page. */
  readonly load: () => Promise<{ readonly Page: ComponentType }>
}

/** All pages. */
export const pages: readonly ConsolePage[] = [
  { path: '/', title: 'Overview', group: 'Work', load: () => import('./pages/overview/index.tsx') },
  { path: '/connectors', title: 'Connectors', group: 'Work', load: () => import('./pages/connectors/index.tsx') },
  { path: '/connectors/new', title: 'New connector', load: () => import('./pages/new-connector/index.tsx') },
  { path: '/connectors/:id', title: 'Connector', load: () => import('./pages/connector/index.tsx') },
  { path: '/explorer', title: 'Explorer', group: 'Work', load: () => import('./pages/explorer/index.tsx') },
  { path: '/search', title: 'Search', group: 'Work', load: () => import('./pages/search/index.tsx') },
  { path: '/statements', title: 'Statements', group: 'Work', load: () => import('./pages/statements/index.tsx') },
  { path: '/kinds', title: 'Kinds', group: 'Help', load: () => import('./pages/kinds/index.tsx') },
  { path: '/kinds/:slug', title: 'Kind', load: () => import('./pages/kind/index.tsx') },
  { path: '/workspaces', title: 'Workspaces', group: 'Manage', load: () => import('./pages/workspaces/index.tsx') },
  { path: '/links', title: 'Connect links', group: 'Manage', load: () => import('./pages/links/index.tsx') },
  { path: '/tokens', title: 'MCP tokens', group: 'Manage', load: () => import('./pages/tokens/index.tsx') },
  { path: '/applications', title: 'Applications', group: 'Manage', load: () => import('./pages/applications/index.tsx') },
  { path: '/settings', title: 'Settings', group: 'Manage', load: () => import('./pages/settings/index.tsx') },
]
