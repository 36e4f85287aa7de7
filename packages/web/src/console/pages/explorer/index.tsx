/** Runs any operation of any connector: a form from its schema, its answer as a table or as JSON, and the call as text. */
import { Stack } from '@mantine/core'
import type { ConnectorRecord, DefinitionRecord } from 'ferrule/wire'
import { useConnectorRecord, useKind } from '../../data/connector.ts'
import { ConnectorSelect, useConnectorChoice } from '../../parts/connector-select.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { type Chosen, useExplorerAddress } from './address.ts'
import { DownloadPanel } from './download-panel.tsx'
import { isWrite } from './operation.ts'
import { OperationPicker } from './operation-picker.tsx'
import { ReadPanel } from './read-panel.tsx'
import { WritePanel } from './write-panel.tsx'

/** What another connector takes out of the address. An address without a connector, such as one of the reference, keeps its operation. */
const otherConnector = { kind: undefined, entity: undefined, action: undefined, params: undefined, run: undefined }

/** Shows what runs the action. */
function Call({ chosen }: { readonly chosen: Chosen }) {
  const { action } = chosen.action
  if (action === 'download') return <DownloadPanel chosen={chosen} />
  return isWrite(action) ? <WritePanel chosen={chosen} /> : <ReadPanel chosen={chosen} />
}

/** Shows the entities and actions of a connector, and the call that is chosen. */
function Operations({ connector, kind }: { readonly connector: ConnectorRecord; readonly kind: DefinitionRecord }) {
  const [address] = useExplorerAddress()
  const entity = kind.entities.find((each) => each.entity === address.entity)
  const action = entity?.actions.find((each) => each.action === address.action) ?? entity?.actions[0]
  return (
    <>
      <OperationPicker connector={connector} kind={kind} entity={entity} action={action?.action} />
      {entity !== undefined && action !== undefined && (
        <Call key={`${connector.id} ${entity.entity} ${action.action}`} chosen={{ connector, kind, entity, action }} />
      )}
    </>
  )
}

/** Reads what is known about the connector. */
function OfConnector({ id }: { readonly id: string }) {
  const connector = useConnectorRecord(id)
  const kind = useKind(connector.data?.connector_type)
  return (
    <ReadingView reading={connector}>
      {(record) => <ReadingView reading={kind}>{(definition) => <Operations connector={record} kind={definition} />}</ReadingView>}
    </ReadingView>
  )
}

/** The page. */
export function Page() {
  const [address, change] = useExplorerAddress()
  const reading = useConnectorChoice(address.kind === undefined ? {} : { connector_type: address.kind })
  const connectors = reading.data?.rows ?? []
  const only = connectors.length === 1 ? connectors[0]?.id : undefined
  const id = address.connector ?? only
  const choose = ({ id: connector }: { readonly id: string }) => change({ ...(id === undefined ? {} : otherConnector), connector })
  return (
    <>
      <PageHeader title="Explorer" about="Run any operation, see what it answers, and take the call with you." />
      {reading.data?.isWhole === true && connectors.length === 0 && id === undefined ? (
        <EmptyState title="No connectors yet" says="The explorer runs the operations of a connector. Make one first.">
          <PageLink to="/connectors/new" params={{ kind: address.kind }}>
            Make a connector
          </PageLink>
        </EmptyState>
      ) : (
        <Stack gap="md">
          <ConnectorSelect reading={reading} value={id} onChange={choose} />
          {id !== undefined && <OfConnector key={id} id={id} />}
        </Stack>
      )}
    </>
  )
}
