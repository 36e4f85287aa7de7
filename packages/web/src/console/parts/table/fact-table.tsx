/** Facts with their names, one below the other. */
import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

/** A fact. */
export type Fact = readonly [name: string, value: ReactNode]

/** Shows the facts. @param props `label`: what they are about, for readers of the screen */
export const FactTable = ({ label, facts }: { readonly label: string; readonly facts: readonly Fact[] }) => (
  <Table aria-label={label} layout="fixed" verticalSpacing={6}>
    <Table.Tbody>
      {facts.map(([name, value]) => (
        <Table.Tr key={name}>
          <Table.Th w={{ base: '40%', sm: 240 }} fw={500}>
            {name}
          </Table.Th>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
)
