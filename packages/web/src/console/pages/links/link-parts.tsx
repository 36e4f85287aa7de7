/** Parts of a connect link that the list and the details show. */
import { Badge } from '@mantine/core'
import type { ConnectLinkRecord, ConnectLinkStatus } from 'ferrule/wire'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'

/** Word and color of each status. */
export const linkLooks: Readonly<Record<ConnectLinkStatus, readonly [says: string, color: string]>> = {
  open: ['Open', 'blue'],
  used: ['Used', 'green'],
  revoked: ['Revoked', 'red'],
  expired: ['Expired', 'gray'],
}

/** Shows the status. */
export function LinkStatus({ status }: { readonly status: ConnectLinkStatus }) {
  const [says, color] = linkLooks[status]
  return <Badge color={color}>{says}</Badge>
}

/** Asks, then revokes an open link. */
export function RevokeButton({ link: { id, end_user: user } }: { readonly link: ConnectLinkRecord }) {
  const revocation = useWrite((ferrule) => ferrule.links.revoke(id), {
    refreshes: [['links']],
    onDone: () => announce(`The link for ${user.id} was revoked.`),
  })
  return (
    <ConfirmButton isSmall isDanger label="Revoke" says={`Revoke the link for ${user.id}`} title="Revoke this link?" mutation={revocation}>
      Whoever opens it reads that it was revoked, also in the middle of an authorization. This cannot be undone; you can create another
      link.
    </ConfirmButton>
  )
}
