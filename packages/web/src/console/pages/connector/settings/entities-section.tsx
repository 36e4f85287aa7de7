/** Limits a connector to some entities. */
import { Checkbox, Group, NativeSelect, Radio, Stack } from '@mantine/core'
import type { ConnectorRecord, DefinitionRecord, EntityDocument, EntitySelection } from 'ferrule/wire'
import { useState } from 'react'
import { useChanges } from '../../../data/leaving.ts'
import { useWrite } from '../../../data/write.ts'
import { announce } from '../../../parts/announcements.tsx'
import { ConfirmButton } from '../../../parts/confirm-button.tsx'
import { Section } from '../../../parts/section.tsx'
import { listAllKeys } from '../data.ts'

/** Actions that change records at the vendor. */
const writeActions: readonly string[] = ['create', 'update', 'delete']

const hasWrites = ({ actions }: EntityDocument): boolean => actions.some(({ action }) => writeActions.includes(action))

/** Choices of modes; '' means both. */
const modeChoices = [
  { value: '', label: 'reading and writing' },
  { value: 'read', label: 'reading only' },
  { value: 'write', label: 'writing only' },
] as const

/** Prints the modes of a selection as a choice. */
const printModes = ({ modes = [] }: EntitySelection): string => (modes.length === 1 ? (modes[0] ?? '') : '')

/** Reads the modes of a choice. */
const toSelection = (entity: string, choice: string): EntitySelection =>
  choice === 'read' || choice === 'write' ? { entity, modes: [choice] } : { entity }

/** What the line of an entity gets. */
interface EntityLineProps {
  readonly document: EntityDocument
  /** undefined: the connector is not allowed to use it. */
  readonly selection: EntitySelection | undefined
  readonly onChange: (selection: EntitySelection | undefined) => void
}

/** Shows the choice for one entity. */
function EntityLine({ document, selection, onChange }: EntityLineProps) {
  const { entity } = document
  return (
    <Group justify="space-between" mih={36}>
      <Checkbox
        label={entity}
        checked={selection !== undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? { entity } : undefined)}
      />
      {selection !== undefined && hasWrites(document) && (
        <NativeSelect
          aria-label={`Modes of ${entity}`}
          size="xs"
          data={[...modeChoices]}
          value={printModes(selection)}
          onChange={({ currentTarget }) => onChange(toSelection(entity, currentTarget.value))}
        />
      )}
    </Group>
  )
}

/** Shows the choice between all entities and some. */
function ScopeChoice({ isLimited, onChange }: { readonly isLimited: boolean; readonly onChange: (isLimited: boolean) => void }) {
  return (
    <Radio.Group
      aria-label="Entities that the connector can use"
      value={isLimited ? 'some' : 'all'}
      onChange={(value) => onChange(value === 'some')}
    >
      <Group>
        <Radio value="all" label="All entities" />
        <Radio value="some" label="Only some" />
      </Group>
    </Radio.Group>
  )
}

/** Holds the selection until it is stored. */
function useSelection({ id, entities: stored }: ConnectorRecord) {
  const [chosen, setChosen] = useState<readonly EntitySelection[] | undefined>(stored.length === 0 ? undefined : stored)
  const keep = useChanges(chosen ?? null, ['tab'])
  const change = useWrite(
    (ferrule) =>
      ferrule.connectors.patch(id, {
        entities: (chosen ?? []).map(({ entity, modes }) => ({ entity, ...(modes && { modes: [...modes] }) })),
      }),
    {
      refreshes: listAllKeys(id),
      onDone: () => {
        keep()
        announce('The entities were changed.')
      },
    },
  )
  const set = (entity: string, selection: EntitySelection | undefined) =>
    setChosen([...(chosen ?? []).filter((each) => each.entity !== entity), ...(selection === undefined ? [] : [selection])])
  return { chosen, setChosen, set, change }
}

/** Shows the form. */
export function EntitiesSection({ connector, kind }: { readonly connector: ConnectorRecord; readonly kind: DefinitionRecord }) {
  const { chosen, setChosen, set, change } = useSelection(connector)
  return (
    <Section title="Entities" about="Calls of other entities are refused, and they have no copy.">
      <ScopeChoice isLimited={chosen !== undefined} onChange={(isLimited) => setChosen(isLimited ? connector.entities : undefined)} />
      {chosen !== undefined && (
        <Stack gap={4}>
          {kind.entities.map((document) => (
            <EntityLine
              key={document.entity}
              document={document}
              selection={chosen.find(({ entity }) => entity === document.entity)}
              onChange={(selection) => set(document.entity, selection)}
            />
          ))}
        </Stack>
      )}
      <Group>
        <ConfirmButton label="Change the entities" title="Change the entities?" isDisabled={chosen?.length === 0} mutation={change}>
          {chosen === undefined
            ? 'Programs can use all entities of the kind, and all searchable ones are copied with the next sync.'
            : `Programs can use these entities only: ${chosen.map(({ entity }) => entity).join(', ')}. Calls and searches of all others are refused at once.`}
        </ConfirmButton>
      </Group>
    </Section>
  )
}
