/** Links between pages of the console. */
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
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

/** What a button that leads to a page shows. */
export interface PageButtonProps extends Omit<ButtonProps, 'children' | 'component'>, Pick<PageLinkProps, 'to' | 'params' | 'children'> {}

/** Shows a link to a page as a button: the main step of a page. */
export function PageButton({ to, params, children, ...look }: PageButtonProps) {
  return (
    <Button component={Link} href={printAddress(to, useTenant(), params)} {...look}>
      {children}
    </Button>
  )
}

/** Shows a link to a page; the organization and the workspace of the address are kept. Without a size its letters are those around it. */
export function PageLink({ to, params, children, size, ...look }: PageLinkProps) {
  const tenant = useTenant()
  return (
    <Anchor component={Link} href={printAddress(to, tenant, params)} {...(size === undefined ? { inherit: true } : { size })} {...look}>
      {children}
    </Anchor>
  )
}
