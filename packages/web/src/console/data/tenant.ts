/** The organization and the workspace of the address: every page keeps both, so a copied address shows the same. */
import { useCallback } from 'react'
import { useLocation, useSearchParams } from 'wouter'

/** Names of the two parameters. */
const names = { organizationId: 'organization', workspace: 'workspace' } as const

const firstPath = location.pathname
let isLater = false

/** Returns whether the reader has gone to another page since the console was loaded. Ask it on each page. */
export function hasMoved(): boolean {
  isLater ||= location.pathname !== firstPath
  return isLater
}

/** Where the pages look. */
export interface Tenant {
  /** Id of the organization; undefined: the only one that the signed-in application reaches. */
  readonly organizationId: string | undefined
  /** Name of the workspace; undefined: all workspaces. */
  readonly workspace: string | undefined
}

/** Parameters of an address; undefined and '' leave a parameter out. */
export type AddressParams = Readonly<Record<string, string | undefined>>

/** Prints an address of the console. The organization and the workspace are kept. @param path such as `/connectors/ID` */
export function printAddress(path: string, tenant: Tenant, params: AddressParams = {}): string {
  const query = new URLSearchParams()
  const given = { [names.organizationId]: tenant.organizationId, [names.workspace]: tenant.workspace, ...params }
  for (const [name, value] of Object.entries(given)) if (value !== undefined && value !== '') query.set(name, value)
  return query.size === 0 ? path : `${path}?${query}`
}

/** Reads the tenant of the address. */
export function useTenant(): Tenant {
  const [params] = useSearchParams()
  return {
    organizationId: params.get(names.organizationId) ?? undefined,
    workspace: params.get(names.workspace) ?? undefined,
  }
}

/** Returns a function that changes the tenant and stays on the page. */
export function useSetTenant(): (tenant: Partial<Tenant>) => void {
  const [, setParams] = useSearchParams()
  return useCallback(
    (tenant) =>
      setParams((before) => {
        const params = new URLSearchParams(before)
        for (const [member, name] of Object.entries(names)) {
          if (!(member in tenant)) continue
          const value = tenant[member as keyof typeof names]
          if (value === undefined) params.delete(name)
          else params.set(name, value)
        }
        return params
      }),
    [setParams],
  )
}

/** Options of a change of the address. */
export interface GoOptions {
  /** true: the browser's way back does not stop at the present address. */
  readonly replace?: boolean
}

/** Returns a function that goes to another page of the console, and keeps the tenant. */
export function useGo(): (path: string, params?: AddressParams, options?: GoOptions) => void {
  const [, navigate] = useLocation()
  const { organizationId, workspace } = useTenant()
  return useCallback(
    (path, params, options) => navigate(printAddress(path, { organizationId, workspace }, params), options),
    [navigate, organizationId, workspace],
  )
}
