/** Leads to a connect link, with which somebody else replaces the credentials. */
import { Button } from '@mantine/core'
import type { ConnectorRecord } from 'ferrule/wire'
import { Link } from 'wouter'
import { printAddress, useTenant } from '../../data/tenant.ts'

/** Shows the way to the page of links. */
export function ConnectLinkButton({ connector }: { readonly connector: ConnectorRecord }) {
  const href = printAddress('/links', useTenant(), { connector: connector.id, new: '1' })
  return (
    <Button component={Link} href={href} size="xs" variant="default">
      Send a connect link instead
    </Button>
  )
}
