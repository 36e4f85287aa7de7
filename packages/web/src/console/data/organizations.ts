/** Reads the organizations and workspaces to choose from. */
import { type ReadOptions, useRead } from './ferrule.ts'

/** Workspaces that a chooser offers; others are reached by their address. */
const mostWorkspaces = 100

/** Reads the organizations of the signed-in application. */
export const useOrganizations = () => useRead(['organizations'], (ferrule, signal) => ferrule.organizations.list({ signal }))

/** Reads the first 100 workspaces of the organization. */
export const useWorkspaces = (options: ReadOptions = {}) =>
  useRead(
    ['workspaces', { limit: mostWorkspaces }],
    (ferrule, signal) => ferrule.workspaces.page({ limit: mostWorkspaces }, { signal }),
    options,
  )
