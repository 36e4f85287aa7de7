/** Settings of a connector: its entities, when its copy is brought up to date, its name and configuration, and its end. */
import { Checkbox, Divider, Group, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import { writeJson } from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { connectorLists } from '../../data/connectors.ts'
import { giveUpChanges, useChanges } from '../../data/leaving.ts'
import { useGo } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { findScheme } from '../../parts/connectors/credential-fields.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { listProblems } from '../../parts/form/problems.ts'
import { readProperties, type Schema } from '../../parts/form/schema.ts'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { bindChecked, bindValue } from '../../parts/form/text-entry.ts'
import { PlainButton } from '../../parts/looks.tsx'
import { printCounted } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { listAllKeys, useCopyReading } from './data.ts'

interface ConnectorProps {
  readonly connector: wire.ConnectorRecord
}

interface SectionProps extends ConnectorProps {
  readonly kind: wire.DefinitionRecord
}

/** Actions that change records at the vendor. */
const writeActions: readonly string[] = ['create', 'update', 'delete']

/** Choices of modes; '' means both. */
const modeChoices = [
  { value: '', label: 'reading and writing' },
  { value: 'read', label: 'reading only' },
  { value: 'write', label: 'writing only' },
] as const

const printModes = ({ modes = [] }: wire.EntitySelection): string => (modes.length === 1 ? (modes[0] ?? '') : '')

const toSelection = (entity: string, choice: string): wire.EntitySelection =>
  choice === 'read' || choice === 'write' ? { entity, modes: [choice] } : { entity }

interface EntityLineProps {
  readonly document: wire.EntityDocument
  /** undefined: it is not copied. */
  readonly selection: wire.EntitySelection | undefined
  readonly onChange: (selection: wire.EntitySelection | undefined) => void
}

function EntityLine({ document, selection, onChange }: EntityLineProps) {
  const { entity } = document
  return (
    <Group justify="space-between" mih={36}>
      <Checkbox label={entity} {...bindChecked(selection !== undefined, (next) => onChange(next ? { entity } : undefined))} />
      {selection !== undefined && document.actions.some(({ action }) => writeActions.includes(action)) && (
        <NativeSelect
          aria-label={`Modes of ${entity}`}
          size="xs"
          data={[...modeChoices]}
          {...bindValue(printModes(selection), (next) => onChange(toSelection(entity, next)))}
        />
      )}
    </Group>
  )
}

/** Shows the choice between all entities and some. */
function ScopeChoice({ isLimited, onChange }: { readonly isLimited: boolean; readonly onChange: (isLimited: boolean) => void }) {
  return (
    <Radio.Group aria-label="Entities that are copied" value={isLimited ? 'some' : 'all'} onChange={(value) => onChange(value === 'some')}>
      <Group>
        <Radio value="all" label="All entities" />
        <Radio value="some" label="Only some" />
      </Group>
    </Radio.Group>
  )
}

const sortEntities = (selections: readonly wire.EntitySelection[]): readonly wire.EntitySelection[] =>
  selections.toSorted((one, other) => (one.entity < other.entity ? -1 : 1))

/** Holds the selection until it is stored. */
function useSelection({ id, entities: stored }: wire.ConnectorRecord) {
  const [chosen, setChosen] = useState<readonly wire.EntitySelection[] | undefined>(stored.length === 0 ? undefined : stored)
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
  const set = (entity: string, selection: wire.EntitySelection | undefined) =>
    setChosen([...(chosen ?? []).filter((each) => each.entity !== entity), ...(selection === undefined ? [] : [selection])])
  const isSame = writeJson(sortEntities(chosen ?? [])) === writeJson(sortEntities(stored))
  return { chosen, setChosen, set, change, canChange: !isSame && chosen?.length !== 0 }
}

/** Shows the form. */
export function EntitiesSection({ connector, kind }: SectionProps) {
  const { chosen, setChosen, set, change, canChange } = useSelection(connector)
  return (
    <Section title="Entities" about="Which entities are copied. Searches and changes read copies; calls reach all entities.">
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
        <ConfirmButton label="Change the entities" title="Change the entities?" isDisabled={!canChange} mutation={change}>
          {chosen === undefined
            ? 'All searchable entities of the kind are copied with the next sync.'
            : `Copied from now on: ${chosen.flatMap((each) => (printModes(each) === 'write' ? [] : [each.entity])).join(', ') || 'nothing'}. The copies of all others are deleted, and searches of them are refused.`}
        </ConfirmButton>
      </Group>
    </Section>
  )
}

/** Builds the merge patch between two configurations (RFC 7396): null deletes a value. */
function buildPatch(before: Schema, after: Schema): Schema {
  const changed = Object.entries(after).filter(([name, value]) => writeJson(value) !== writeJson(before[name] ?? null))
  const removed = Object.keys(before).filter((name) => !(name in after))
  return Object.fromEntries([...changed, ...removed.map((name) => [name, null] as const)])
}

/** Shows the form. */
export function ConfigurationSection({ connector, kind }: SectionProps) {
  const { id, replication_config: stored } = connector
  const [value, setValue] = useState<Schema>(stored)
  const keep = useChanges(value, ['tab'])
  const patch = buildPatch(stored, value)
  const change = useWrite((ferrule) => ferrule.connectors.patch(id, { replication_config: patch }), {
    refreshes: listAllKeys(id),
    onDone: ({ replication_config: next }) => {
      setValue(next)
      keep(next)
      announce('The configuration was changed. The copy is filled again.')
    },
  })
  const schema = kind.configuration as Schema // a JSON Schema is an object
  return (
    <Section title="Configuration">
      <SchemaForm
        schema={schema}
        value={value}
        onChange={setValue}
        at="/replication_config"
        problems={listProblems(change.error)}
        none="This kind has nothing to configure."
      />
      {readProperties(schema).length > 0 && (
        <Group>
          <ConfirmButton
            label="Change the configuration"
            title="Change the configuration?"
            isDisabled={Object.keys(patch).length === 0}
            mutation={change}
          >
            Calls use the new values at once. Another configuration can mean other records: the copy is emptied and filled again, and
            searches find nothing until then. Changed: {Object.keys(patch).join(', ')}.
          </ConfirmButton>
        </Group>
      )}
    </Section>
  )
}

/** Shows the form. */
export function NameSection({ connector: { id, name } }: ConnectorProps) {
  const [typed, setTyped] = useState(name)
  const keep = useChanges(typed, ['tab'])
  const change = useWrite((ferrule, next: string) => ferrule.connectors.patch(id, { name: next }), {
    refreshes: listAllKeys(id),
    onDone: ({ name: stored }) => {
      keep(stored)
      announce('The connector was renamed.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!change.isPending) change.mutate(typed)
  }
  return (
    <Section title="Name" about="Programs that find the connector by its name need the new one.">
      <Group component="form" align="flex-end" onSubmit={submit} aria-label="Name">
        <TextInput label="Name" {...bindValue(typed, setTyped)} required maxLength={wire.mostNameCharacters} flex={1} />
        <PlainButton type="submit" loading={change.isPending} disabled={typed === name || typed.trim() === ''}>
          Rename
        </PlainButton>
      </Group>
      <ErrorBox error={change.error} />
    </Section>
  )
}

/** Shows the section. */
export function ResetSection({ connector: { id } }: ConnectorProps) {
  const copy = useCopyReading(id).data
  const reset = useWrite((ferrule) => ferrule.contextStore.reset(id), {
    refreshes: listAllKeys(id),
    onDone: () => announce('The copy is emptied and filled again.'),
  })
  return (
    <Section title="Reset of the copy" about="Helps when the copy is wrong and a full sync does not mend it.">
      <Group>
        <ConfirmButton isDanger label="Reset the copy" title="Reset the copy?" mutation={reset}>
          {copy === undefined ? 'All records' : printCounted(copy.records, 'record')} of the copy are removed, then everything is read
          again. Searches find nothing until the first sync has ended, which can take hours for a large account. Nothing changes at the
          vendor.
        </ConfirmButton>
      </Group>
    </Section>
  )
}

/** Shows the section. */
export function DeleteSection({ connector, kind }: SectionProps) {
  const { id, name, credential_scheme: scheme } = connector
  const revokes = findScheme(kind, scheme)?.revokes_consent === true
  const go = useGo()
  const deletion = useWrite((ferrule) => ferrule.connectors.delete(id), {
    refreshes: [connectorLists],
    onDone: () => {
      announce(`The connector ${name} was deleted.`)
      giveUpChanges()
      go('/connectors', {}, { replace: true })
    },
  })
  return (
    <Section title="Delete" about="A deleted connector cannot be restored.">
      <Group>
        <ConfirmButton isDanger label="Delete the connector" title="Delete the connector for good?" typed={name} mutation={deletion}>
          Its credentials and its copy are destroyed, and programs that use its id get an error from then on. No data is deleted at the
          vendor.
          {revokes &&
            ` If it came from the consent page and no other connector has the same consent, its access at ${kind.definition.name} ends too.`}
        </ConfirmButton>
      </Group>
    </Section>
  )
}

/** Intervals that the page offers. */
const intervals = [
  { seconds: 300, says: 'every 5 minutes' },
  { seconds: 900, says: 'every 15 minutes' },
  { seconds: 3_600, says: 'every hour' },
  { seconds: 21_600, says: 'every 6 hours' },
  { seconds: 86_400, says: 'every day' },
  { seconds: 604_800, says: 'every week' },
] as const

const printInterval = (seconds: number): string =>
  intervals.find((each) => each.seconds === seconds)?.says ??
  (seconds % 60 === 0 ? `every ${seconds / 60} minutes` : `every ${seconds} seconds`)

/** Lists the entities that follow the interval of all others. */
function listOthers({ entities, schedules }: wire.SyncStatusRecord): readonly string[] {
  const own = new Set(schedules.flatMap((each) => each.entities ?? []))
  return entities.filter(({ entity, state }) => state !== 'disabled' && !own.has(entity)).map(({ entity }) => entity)
}

/** Shows the form; nothing for a copy of one entity, whose interval is that of all. */
function OwnInterval({ id, copy }: { readonly id: string; readonly copy: wire.SyncStatusRecord }) {
  const [chosen, setChosen] = useState('')
  const [seconds, setSeconds] = useState<number>(intervals[2].seconds)
  const change = useWrite((ferrule, body: wire.ScheduleInput) => ferrule.contextStore.schedule(id, body), {
    refreshes: listAllKeys(id),
    onDone: () => announce('The schedule was changed.'),
  })
  const others = listOthers(copy)
  const [first = ''] = others
  const entity = others.includes(chosen) ? chosen : first
  if (copy.entities.length < 2 || first === '') return null
  const add = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ entity, interval_seconds: seconds })
  }
  return (
    <Stack component="form" gap="sm" onSubmit={add}>
      <Group align="flex-end" gap="xs">
        <NativeSelect label="Entity" data={[...others]} {...bindValue(entity, setChosen)} maw={280} />
        <NativeSelect
          label="Interval of its own"
          data={intervals.map((each) => ({ value: String(each.seconds), label: each.says }))}
          {...bindValue(String(seconds), (next) => setSeconds(Number(next)))}
        />
        <PlainButton type="submit" loading={change.isPending}>
          Add the interval
        </PlainButton>
      </Group>
      <ErrorBox error={change.error} />
    </Stack>
  )
}

/** Returns how a change names a schedule. */
const toTarget = ({ entities }: wire.SyncScheduleRecord): Pick<wire.ScheduleInput, 'entity'> =>
  entities?.[0] === undefined ? {} : { entity: entities[0] }

/** Prints whose schedule it is. @param isOnly true: the connector has no other schedule */
const printEntities = ({ entities }: wire.SyncScheduleRecord, isOnly: boolean): string =>
  entities === null ? (isOnly ? 'All entities' : 'All others') : entities.join(', ')

/** Shows the choice of an interval. @param props `names`: whose it is */
function IntervalChoice({
  id,
  schedule,
  names,
}: {
  readonly id: string
  readonly schedule: wire.SyncScheduleRecord
  readonly names: string
}) {
  const { entities, interval_seconds: seconds, default: isDefault } = schedule
  const change = useWrite((ferrule, body: wire.ScheduleInput) => ferrule.contextStore.schedule(id, body), {
    refreshes: listAllKeys(id),
    onDone: () => announce('The schedule was changed.'),
  })
  const known = intervals.some((each) => each.seconds === seconds)
  const choices = [
    { value: '', label: entities === null ? 'default of the service' : 'no interval of its own' },
    ...[...intervals, ...(known ? [] : [{ seconds, says: printInterval(seconds) }])].map((each) => ({
      value: String(each.seconds),
      label: each.says,
    })),
  ]
  const choose = (value: string) => change.mutate({ ...toTarget(schedule), interval_seconds: value === '' ? null : Number(value) })
  return (
    <>
      <NativeSelect
        aria-label={`Interval of ${names}`}
        data={choices}
        value={isDefault ? '' : String(seconds)}
        disabled={change.isPending}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {isDefault && <Text size="sm">{printInterval(seconds)}</Text>}
      <ErrorBox error={change.error} />
    </>
  )
}

/** Asks, then pauses all schedules or resumes them. */
function PauseButton({ id, schedules }: { readonly id: string; readonly schedules: readonly wire.SyncScheduleRecord[] }) {
  const isPaused = schedules.every(({ paused }) => paused)
  const write = useWrite(
    async (ferrule) => {
      for (const schedule of schedules) await ferrule.contextStore.schedule(id, { ...toTarget(schedule), paused: !isPaused })
    },
    { refreshes: listAllKeys(id), onDone: () => announce(isPaused ? 'The schedule runs again.' : 'The schedule is paused.') },
  )
  return isPaused ? (
    <ConfirmButton label="Resume the schedule" title="Resume the schedule?" mutation={write}>
      The copy is brought up to date by itself again, at its interval.
    </ConfirmButton>
  ) : (
    <ConfirmButton label="Pause the schedule" title="Pause the schedule?" mutation={write}>
      No sync starts by itself until you resume. A run that works now ends as usual; Sync now and searches that want newer records still
      start one. Calls and searches work on, with a copy that grows old.
    </ConfirmButton>
  )
}

function Schedules({ id, copy }: { readonly id: string; readonly copy: wire.SyncStatusRecord }) {
  const { schedules } = copy
  if (schedules.length === 0) return <Text size="sm">This kind has no copy, so there is nothing to schedule.</Text>
  const print = (schedule: wire.SyncScheduleRecord) => printEntities(schedule, schedules.length === 1)
  const columns: readonly ListColumn<wire.SyncScheduleRecord>[] = [
    { title: 'Entities', cell: print },
    { title: 'Interval', cell: (schedule) => <IntervalChoice id={id} schedule={schedule} names={print(schedule)} /> },
    { title: 'Next sync', cell: ({ paused, next_run_at: next }) => (paused ? 'paused' : <Time value={next} none="not yet" />) },
  ]
  return (
    <Stack gap="sm">
      <ListTable label="Schedules" columns={columns} rows={schedules} rowKey={({ entities }) => entities?.join() ?? ''} />
      <OwnInterval id={id} copy={copy} />
      <Group>
        <PauseButton id={id} schedules={schedules} />
      </Group>
    </Stack>
  )
}

/** Days that the page offers. */
const days = [1, 3, 7, 14, 30, 90] as const

/** Shows the section; nothing for a kind without a copy. */
export function ChangesSection({ connector: { id, changes_days: own, source_template: kind } }: ConnectorProps) {
  const usual = useCopyReading(id).data?.changes_days
  const change = useWrite((ferrule, next: number | null) => ferrule.connectors.patch(id, { changes_days: next }), {
    refreshes: listAllKeys(id),
    onDone: () => announce('Changes are kept for another time.'),
  })
  if (!kind.supports_context_store) return null
  const offered = [...new Set([...days, ...(own === null ? [] : [own])])].toSorted((a, b) => a - b)
  return (
    <>
      <Section title="Changes" about="How long changes of the copy are kept for programs that read them, at most 64 MB of an entity.">
        <Group>
          <NativeSelect
            aria-label="Changes are kept"
            data={[
              { value: '', label: 'default of the service' },
              ...offered.map((count) => ({ value: String(count), label: `for ${printCounted(count, 'day')}` })),
            ]}
            value={String(own ?? '')}
            disabled={change.isPending}
            onChange={({ currentTarget: { value } }) => change.mutate(value === '' ? null : Number(value))}
          />
          {own === null && usual !== undefined && <Text size="sm">for {printCounted(usual, 'day')}</Text>}
        </Group>
        <ErrorBox error={change.error} />
      </Section>
      <Divider />
    </>
  )
}

/** Shows the section. */
export function ScheduleSection({ connector: { id } }: ConnectorProps) {
  const reading = useCopyReading(id)
  return (
    <Section title="Schedule" about="How often the copy is brought up to date.">
      <ReadingView reading={reading}>{(copy) => <Schedules id={id} copy={copy} />}</ReadingView>
    </Section>
  )
}
