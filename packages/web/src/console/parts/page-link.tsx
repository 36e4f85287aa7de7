/** Links between pages of the console. */
import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type AddressParams, printAddress, useTenant } from '../data/tenant.ts'

/** Where a link leads, and what it shows. */
export interface PageLinkProps extends Omit<AnchorProps, 'children' | 'component'> {
  /** Path below `/console`, such as `/connectors/ID`. */
  readonly to: string
  readonly params?: AddressParams
  readonly children: ReactNode
}

/** Shows a link to a page; the organization and the workspace of the address are kept. */
export function PageLink({ to, params, children, ...look }: PageLinkProps) {
  const tenant = useTenant()
  return (
    <Anchor component={Link} href={printAddress(to, tenant, params)} {...look}>
      {children}
    </Anchor>
  )
}
