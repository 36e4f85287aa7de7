/** Chooses a connector. */
import { Select } from '@mantine/core'
import type { ConnectorQuery, ConnectorSummary } from 'ferrule/wire'
import { useEffect } from 'react'
import { keep, readKept } from '../data/kept.ts'
import { useReadAll } from '../data/read-all.ts'
import { useTenant } from '../data/tenant.ts'
import { describeError } from './describe-error.ts'

/** Connectors that are offered at once, at most; typing a part of the name finds the others. */
const mostOffered = 100

/** Reads the connectors of the workspace of the address, or of all workspaces. */
export function useConnectorChoice(query: ConnectorQuery = {}) {
  const { workspace } = useTenant()
  const all = { limit: 100, ...query, ...(workspace === undefined ? {} : { workspace_name: workspace }) }
  return useReadAll<ConnectorSummary>(['connectors', 'choice', all], (ferrule, from, signal) =>
    ferrule.connectors.page(from ?? all, { signal }),
  )
}

/** Prints a connector with its kind and its workspace, for a chooser. */
export const printChoice = ({ name, summarized_source_template: kind, workspace_name: workspace }: ConnectorSummary): string =>
  `${name} (${kind.name}, ${workspace})`

/** How a page opens. */
export interface Opening extends Pick<ConnectorSelectProps, 'reading' | 'isOffered' | 'value'> {
  /** true: not on the last connector; default: false. */
  readonly skipsLast?: boolean
  /** Puts the connector into the address. */
  readonly onOpen: (id: string) => void
}

/** Opens a page whose address names no connector: on the last one that this browser showed, else on the only one. */
export function useOpening({ reading, isOffered = () => true, value, skipsLast = false, onOpen }: Opening): void {
  const key = `ferrule-connector ${useTenant().organizationId ?? ''}`.trim()
  const offered = (reading.data?.rows ?? []).filter(isOffered)
  const only = reading.data?.isWhole === true && offered.length === 1 ? offered[0] : undefined
  const found = value === undefined ? ((skipsLast ? undefined : offered.find(({ id }) => id === readKept(key))) ?? only)?.id : undefined
  useEffect(() => {
    if (value !== undefined) keep(key, value)
  }, [key, value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each connector that was found
  useEffect(() => {
    if (found !== undefined) onOpen(found)
  }, [found])
}

/** What the chooser offers. */
export interface ConnectorSelectProps {
  /** As `useConnectorChoice` returns it. */
  readonly reading: ReturnType<typeof useConnectorChoice>
  /** Which connectors are offered; default: all. */
  readonly isOffered?: (connector: ConnectorSummary) => boolean
  /** Id of the chosen connector. */
  readonly value: string | undefined
  readonly onChange: (connector: ConnectorSummary) => void
}

/** Shows the chooser. */
export function ConnectorSelect({ reading, isOffered = () => true, value, onChange }: ConnectorSelectProps) {
  const connectors = (reading.data?.rows ?? []).filter((connector) => connector.id === value || isOffered(connector))
  return (
    <Select
      label="Connector"
      placeholder={reading.data === undefined && reading.error === null ? 'Loading …' : 'Choose a connector'}
      data={connectors.map((connector) => ({ value: connector.id, label: printChoice(connector) }))}
      value={value ?? null}
      onChange={(id) => {
        const chosen = connectors.find((each) => each.id === id)
        if (chosen !== undefined) onChange(chosen)
      }}
      error={reading.error !== null && reading.data === undefined ? describeError(reading.error).sentence : undefined}
      limit={mostOffered}
      nothingFoundMessage="No connector has this name"
      allowDeselect={false}
      searchable
    />
  )
}
