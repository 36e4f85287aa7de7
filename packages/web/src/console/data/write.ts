/** Writes to the service. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Ferrule } from 'ferrule/core'
import { useFerrule } from './ferrule.ts'
import { useTenant } from './tenant.ts'

/** What follows from a write. */
export interface WriteOptions<T> {
  /** Beginnings of the keys of `useRead` that are read again. */
  readonly refreshes?: readonly (readonly unknown[])[]
  readonly onDone?: (result: T) => void
}

/**
 * Writes to the service, and reads again what the write changes.
 * @returns the mutation; `mutate` writes, `isPending` disables its button
 */
export function useWrite<V, T>(write: (ferrule: Ferrule, value: V) => Promise<T>, { refreshes = [], onDone }: WriteOptions<T> = {}) {
  const ferrule = useFerrule()
  const { organizationId } = useTenant()
  const memory = useQueryClient()
  return useMutation({
    mutationFn: (value: V) => write(ferrule, value),
    onSuccess: (result) => {
      for (const key of refreshes) void memory.invalidateQueries({ queryKey: [organizationId ?? null, ...key] })
      onDone?.(result)
    },
  })
}
