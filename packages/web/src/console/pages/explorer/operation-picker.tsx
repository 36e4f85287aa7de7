/** Chooses the entity and the action. */
import { Group, Select, Stack, Text } from '@mantine/core'
import type { ConnectorRecord, DefinitionRecord } from 'ferrule/wire'
import { useExplorerAddress } from './address.ts'
import { isWrite } from './operation.ts'

/** What can be chosen, and what is. */
export interface OperationPickerProps {
  readonly connector: ConnectorRecord
  readonly kind: DefinitionRecord
  readonly entity: DefinitionRecord['entities'][number] | undefined
  readonly action: string | undefined
}

/** Lists the entities that the connector is limited to; without a limit, all. */
function listEntities({ connector, kind }: Pick<OperationPickerProps, 'connector' | 'kind'>): readonly string[] {
  const limited = connector.entities.map(({ entity }) => entity)
  return kind.entities.map(({ entity }) => entity).filter((entity) => limited.length === 0 || limited.includes(entity))
}

/** Shows the two choosers, with what the chosen operation does. */
export function OperationPicker({ connector, kind, entity, action }: OperationPickerProps) {
  const [, change] = useExplorerAddress()
  const choose = (changes: { readonly entity?: string; readonly action?: string | undefined }) =>
    change({ connector: connector.id, params: undefined, run: undefined, ...changes })
  const actions = entity?.actions.map((each) => ({
    value: each.action,
    label: isWrite(each.action) ? `${each.action} (writes)` : each.action,
  }))
  const about = entity?.actions.find((each) => each.action === action)?.description
  return (
    <Stack gap="xs">
      <Group align="flex-start" grow>
        <Select
          label="Entity"
          placeholder="Choose what to read or write"
          data={listEntities({ connector, kind })}
          value={entity?.entity ?? null}
          onChange={(name) => name !== null && choose({ entity: name, action: undefined })}
          nothingFoundMessage="No entity has this name"
          allowDeselect={false}
          searchable
        />
        <Select
          label="Action"
          data={actions ?? []}
          value={action ?? null}
          onChange={(name) => name !== null && choose({ action: name })}
          disabled={entity === undefined}
          allowDeselect={false}
        />
      </Group>
      {about !== undefined && <Text size="sm">{about}</Text>}
    </Stack>
  )
}
