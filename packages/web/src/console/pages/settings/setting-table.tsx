/** The settings of the node, with their origins. */
import { Badge, Group, NativeSelect, Table, Text, TextInput } from '@mantine/core'
import type { NodeRecord } from 'ferrule/wire'
import { useDeferredValue } from 'react'
import { useAddressParams } from '../../data/params.ts'
import { ListTable } from '../../parts/list-table.tsx'
import { printCount, printCounted } from '../../parts/print.ts'
import { Section } from '../../parts/section.tsx'

/** A setting. */
type Setting = NodeRecord['settings'][number]

/** Word and color of each origin. */
const origins: Readonly<Record<Setting['origin'], readonly [says: string, color: string]>> = {
  given: ['Given', 'blue'],
  default: ['Default', 'gray'],
  none: ['Not set', 'gray'],
}

const isOrigin = (value: string | undefined): value is Setting['origin'] => value !== undefined && Object.hasOwn(origins, value)

/** Prints the value; that of a secret is never shown. */
function SettingValue({ setting: { value, secret, origin } }: { readonly setting: Setting }) {
  if (value !== null) return <code>{value}</code>
  return <Text size="sm">{secret && origin !== 'none' ? 'set, never shown' : 'none'}</Text>
}

/** Shows one setting. */
function SettingRow({ setting }: { readonly setting: Setting }) {
  const { name, about, origin } = setting
  const [says, color] = origins[origin]
  return (
    <Table.Tr>
      <Table.Td>
        <code>{name}</code>
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge color={color}>{says}</Badge>
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <SettingValue setting={setting} />
      </Table.Td>
    </Table.Tr>
  )
}

/** Shows the filters; the address has their values. */
function Filters() {
  const [{ text, origin }, change] = useAddressParams('text', 'origin')
  return (
    <Group align="flex-end" component="search">
      <TextInput
        label="Search"
        type="search"
        placeholder="Part of a name or of what it sets"
        value={text ?? ''}
        onChange={({ currentTarget }) => change({ text: currentTarget.value }, { replace: true })}
        w={{ base: '100%', sm: 280 }}
      />
      <NativeSelect
        label="Origin"
        data={[{ value: '', label: 'All' }, ...Object.entries(origins).map(([value, [label]]) => ({ value, label }))]}
        value={origin ?? ''}
        onChange={({ currentTarget }) => change({ origin: currentTarget.value })}
      />
    </Group>
  )
}

/** Shows the section. */
export function SettingTable({ settings }: { readonly settings: readonly Setting[] }) {
  const [{ text, origin }] = useAddressParams('text', 'origin')
  const wanted = useDeferredValue(text ?? '').toLowerCase()
  const found = settings.filter(
    (each) => (!isOrigin(origin) || each.origin === origin) && `${each.name} ${each.about}`.toLowerCase().includes(wanted),
  )
  return (
    <Section title="Settings of the node" about="Environment variables. A change needs a new start of the process.">
      <Filters />
      <Text size="sm" c="dimmed" role="status">
        {found.length === settings.length
          ? printCounted(settings.length, 'setting')
          : `${printCount(found.length)} of ${settings.length} settings`}
      </Text>
      <ListTable label="Settings of the node" titles={['Name', 'Origin', 'Value']} minWidth={640}>
        {found.map((setting) => (
          <SettingRow key={setting.name} setting={setting} />
        ))}
      </ListTable>
    </Section>
  )
}
