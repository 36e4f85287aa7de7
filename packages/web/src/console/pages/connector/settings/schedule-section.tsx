/** When the copy is brought up to date. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import type { ConnectorRecord, ScheduleInput, SyncScheduleRecord, SyncStatusRecord } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { useWrite } from '../../../data/write.ts'
import { announce } from '../../../parts/announcements.tsx'
import { ConfirmButton } from '../../../parts/confirm-button.tsx'
import { ErrorBox } from '../../../parts/error-box.tsx'
import { ReadingView } from '../../../parts/reading-view.tsx'
import { Section } from '../../../parts/section.tsx'
import { type ListColumn, ListTable } from '../../../parts/table/list-table.tsx'
import { Time } from '../../../parts/time.tsx'
import { listAllKeys, useCopyReading } from '../data.ts'

/** Intervals that the page offers. */
const intervals = [
  { seconds: 300, says: 'every 5 minutes' },
  { seconds: 900, says: 'every 15 minutes' },
  { seconds: 3_600, says: 'every hour' },
  { seconds: 21_600, says: 'every 6 hours' },
  { seconds: 86_400, says: 'every day' },
  { seconds: 604_800, says: 'every week' },
] as const

/** Prints an interval. */
const printInterval = (seconds: number): string =>
  intervals.find((each) => each.seconds === seconds)?.says ??
  (seconds % 60 === 0 ? `every ${seconds / 60} minutes` : `every ${seconds} seconds`)

/** Lists the entities that follow the interval of all others. */
function listOthers({ entities, schedules }: SyncStatusRecord): readonly string[] {
  const own = new Set(schedules.flatMap((each) => each.entities ?? []))
  return entities.filter(({ entity, state }) => state !== 'disabled' && !own.has(entity)).map(({ entity }) => entity)
}

/** Shows the form; nothing for a copy of one entity, whose interval is that of all. */
function OwnInterval({ id, copy }: { readonly id: string; readonly copy: SyncStatusRecord }) {
  const [chosen, setChosen] = useState('')
  const [seconds, setSeconds] = useState<number>(intervals[2].seconds)
  const change = useWrite((ferrule, body: ScheduleInput) => ferrule.contextStore.schedule(id, body), {
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
        <NativeSelect
          label="Entity"
          data={[...others]}
          value={entity}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          maw={280}
        />
        <NativeSelect
          label="Interval of its own"
          data={intervals.map((each) => ({ value: String(each.seconds), label: each.says }))}
          value={String(seconds)}
          onChange={({ currentTarget }) => setSeconds(Number(currentTarget.value))}
        />
        <Button type="submit" variant="default" loading={change.isPending}>
          Add the interval
        </Button>
      </Group>
      {change.error !== null && <ErrorBox error={change.error} />}
    </Stack>
  )
}

/** Returns how a change names a schedule. */
const toTarget = ({ entities }: SyncScheduleRecord): Pick<ScheduleInput, 'entity'> =>
  entities?.[0] === undefined ? {} : { entity: entities[0] }

/** Prints whose schedule it is. @param isOnly true: the connector has no other schedule */
const printEntities = ({ entities }: SyncScheduleRecord, isOnly: boolean): string =>
  entities === null ? (isOnly ? 'All entities' : 'All others') : entities.join(', ')

/** Shows the choice of an interval. @param props `names`: whose it is */
function IntervalChoice({ id, schedule, names }: { readonly id: string; readonly schedule: SyncScheduleRecord; readonly names: string }) {
  const { entities, interval_seconds: seconds, default: isDefault } = schedule
  const change = useWrite((ferrule, body: ScheduleInput) => ferrule.contextStore.schedule(id, body), {
    refreshes: listAllKeys(id),
    onDone: () => announce('The schedule was changed.'),
  })
  const known = intervals.some((each) => each.seconds === seconds)
  const choices = [
    { value: '', label: entities === null ? 'as the service does by default' : 'no interval of its own' },
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
      {change.error !== null && <ErrorBox error={change.error} />}
    </>
  )
}

/** Asks, then pauses all schedules or resumes them. */
function PauseButton({ id, schedules }: { readonly id: string; readonly schedules: readonly SyncScheduleRecord[] }) {
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

/** Shows the schedules. */
function Schedules({ id, copy }: { readonly id: string; readonly copy: SyncStatusRecord }) {
  const { schedules } = copy
  if (schedules.length === 0) return <Text size="sm">This kind has no copy, so there is nothing to schedule.</Text>
  const print = (schedule: SyncScheduleRecord) => printEntities(schedule, schedules.length === 1)
  const columns: readonly ListColumn<SyncScheduleRecord>[] = [
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

/** Shows the section. */
export function ScheduleSection({ connector: { id } }: { readonly connector: ConnectorRecord }) {
  const reading = useCopyReading(id)
  return (
    <Section title="Schedule" about="How often the copy is brought up to date.">
      <ReadingView reading={reading}>{(copy) => <Schedules id={id} copy={copy} />}</ReadingView>
    </Section>
  )
}
