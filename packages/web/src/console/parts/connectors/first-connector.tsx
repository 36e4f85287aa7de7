/** Leads to the first connector: one click to try the service, or the form. */
import { Button, Group } from '@mantine/core'
import { sandboxValues } from 'ferrule/internal'
import type { ConnectorInput } from 'ferrule/wire'
import { connectorLists } from '../../data/connectors.ts'
import { useHasSandbox } from '../../data/service.ts'
import { useGo, useTenant } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../announcements.tsx'
import { EmptyState } from '../empty-state.tsx'
import { ErrorBox } from '../error-box.tsx'
import { PageButton } from '../page-link.tsx'

/** Prints the body of a connector that shows what the service does. @param workspace its name; undefined: `default` */
const printSandboxConnector = (workspace: string | undefined): ConnectorInput => ({
  workspace_name: workspace ?? 'default',
  name: 'Sandbox calls',
  connector_type: 'gong',
  credentials: { ...sandboxValues['gong']?.credentials },
  environment: { sandbox: true },
})

function useSandboxConnector() {
  const go = useGo()
  const { workspace } = useTenant()
  return useWrite((ferrule) => ferrule.connectors.create(printSandboxConnector(workspace)), {
    refreshes: [connectorLists],
    onDone: ({ id, name }) => {
      announce(`The connector ${name} was created.`)
      go(`/connectors/${id}`)
    },
  })
}

function SandboxButton({ creation }: { readonly creation: ReturnType<typeof useSandboxConnector> }) {
  return (
    <Button loading={creation.isPending} onClick={() => creation.mutate(undefined)}>
      Create a sandbox connector
    </Button>
  )
}

const about = 'A connector reads and writes one account of a vendor.'

/** Shows the two ways; without the sandbox, the form is the only one. */
export function FirstConnector() {
  const creation = useSandboxConnector()
  const hasSandbox = useHasSandbox()
  const says = hasSandbox ? `${about} The sandbox plays a vendor with invented data, so you can look around at once.` : about
  return (
    <EmptyState title="No connectors yet" says={says}>
      <Group justify="center">
        {hasSandbox && <SandboxButton creation={creation} />}
        <PageButton to="/connectors/new" variant={hasSandbox ? 'default' : 'filled'}>
          Connect your own account
        </PageButton>
      </Group>
      <ErrorBox error={creation.error} />
    </EmptyState>
  )
}
