/** What stands at the left of a page: entities, or what a warehouse holds. */
import { NavLink, Select, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type AddressParams, printAddress, useGo, useTenant } from '../data/tenant.ts'

/** Shows the side beside the page; on narrow screens above it. @param props `side`: null: the page has none */
export function WithSide({ side, children }: { readonly side: ReactNode; readonly children: ReactNode }) {
  if (side === null) return children
  return (
    <div className="with-side">
      <div className="side">{side}</div>
      <Stack gap="md" miw={0}>
        {children}
      </Stack>
    </div>
  )
}

/** What the list of entities gets. */
export interface EntitySideProps {
  readonly names: readonly string[]
  readonly value: string | undefined
  readonly path: string
  /** Returns the parameters of the address of an entity. */
  readonly toParams: (name: string) => AddressParams
}

/** Lists the entities as links; narrow screens have a choice instead. */
export function EntitySide({ names, value, path, toParams }: EntitySideProps) {
  const tenant = useTenant()
  const go = useGo()
  return (
    <>
      <Stack component="nav" aria-label="Entities" gap={0} visibleFrom="md">
        <Text size="sm" fw={600} mb={4} aria-hidden="true">
          Entities
        </Text>
        {names.map((name) => (
          <NavLink
            key={name}
            component={Link}
            href={printAddress(path, tenant, toParams(name))}
            label={name}
            py={6}
            active={name === value}
            {...(name === value ? { 'aria-current': 'true' } : {})}
          />
        ))}
      </Stack>
      <Select
        hiddenFrom="md"
        label="Entity"
        placeholder="Choose an entity"
        data={[...names]}
        value={value ?? null}
        onChange={(name) => name !== null && go(path, toParams(name))}
        nothingFoundMessage="No entity has this name"
        allowDeselect={false}
        searchable
      />
    </>
  )
}
