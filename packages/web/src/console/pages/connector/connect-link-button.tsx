/** Leads to a connect link, with which somebody else replaces the credentials. */
import type { ConnectorRecord } from 'ferrule/wire'
import { Link } from 'wouter'
import { printAddress, useTenant } from '../../data/tenant.ts'
import { PlainButton } from '../../parts/looks.tsx'

/** Shows the way to the page of links. */
export function ConnectLinkButton({ connector }: { readonly connector: ConnectorRecord }) {
  const href = printAddress('/links', useTenant(), { connector: connector.id, new: '1' })
  return (
    <PlainButton component={Link} href={href} size="xs">
      Send a connect link instead
    </PlainButton>
  )
}
