/** Chooses a connector. */
import { Select } from '@mantine/core'
import type { ConnectorQuery, ConnectorSummary } from 'ferrule/wire'
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

const printChoice = ({ name, summarized_source_template: kind, workspace_name: workspace }: ConnectorSummary): string =>
  `${name} (${kind.name}, ${workspace})`

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
