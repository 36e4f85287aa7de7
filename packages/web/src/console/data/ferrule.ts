/** The one way to the service: the hosted client, with the session of this page. */
import { useQuery } from '@tanstack/react-query'
import { Ferrule } from 'ferrule/core'
import { basePath } from './page-facts.ts'
import { useTenant } from './tenant.ts'

const clients = new Map<string, Ferrule>()

function findClient(organizationId: string | undefined, workspace: string | undefined): Ferrule {
  const key = JSON.stringify([organizationId, workspace])
  const known = clients.get(key)
  if (known !== undefined) return known
  const client = new Ferrule({
    session: true,
    url: `${location.origin}${basePath}`,
    organizationId,
    workspace,
  })
  clients.set(key, client)
  return client
}

/** Returns the client of the organization and workspace of the address. */
export function useFerrule(): Ferrule {
  const { organizationId, workspace } = useTenant()
  return findClient(organizationId, workspace)
}

/** Returns the client of another organization, or of that of the address, over all of its workspaces. */
export function useFerruleOf(other: string | undefined): { readonly ferrule: Ferrule; readonly organizationId: string | undefined } {
  const tenant = useTenant()
  const organizationId = other ?? tenant.organizationId
  return { ferrule: findClient(organizationId, undefined), organizationId }
}

/** How a page reads. */
export interface ReadOptions {
  /** Reads again after this time, in milliseconds, while the page is in sight. */
  readonly everyMs?: number
  /** false: reads nothing yet. */
  readonly enabled?: boolean
}

/**
 * Reads from the service. What was read stays while a later read fails, and each organization has its own memory.
 * @param key what is read: names and parameters, unique over the console
 */
export function useRead<T>(
  key: readonly unknown[],
  read: (ferrule: Ferrule, signal: AbortSignal) => Promise<T>,
  { everyMs, enabled = true }: ReadOptions = {},
) {
  const { organizationId } = useTenant()
  const ferrule = useFerrule()
  return useQuery({
    queryKey: [organizationId ?? null, ...key],
    queryFn: ({ signal }) => read(ferrule, signal),
    enabled,
    refetchInterval: everyMs ?? false,
  })
}

/** A read of the service, as `useRead` returns it. */
export type Reading<T> = ReturnType<typeof useRead<T>>
