/** Gives one entity an interval of its own. */
import { Button, Group, NativeSelect, Stack } from '@mantine/core'
import type { ScheduleInput, SyncStatusRecord } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { useWrite } from '../../../data/write.ts'
import { announce } from '../../../parts/announcements.tsx'
import { ErrorBox } from '../../../parts/error-box.tsx'
import { listAllKeys } from '../data.ts'
import { intervals } from './intervals.ts'

/** Lists the entities that follow the interval of all others. */
function listOthers({ entities, schedules }: SyncStatusRecord): readonly string[] {
  const own = new Set(schedules.flatMap((each) => each.entities ?? []))
  return entities.filter(({ entity, state }) => state !== 'disabled' && !own.has(entity)).map(({ entity }) => entity)
}

/** Shows the form; nothing for a copy of one entity, whose interval is that of all. */
export function OwnInterval({ id, copy }: { readonly id: string; readonly copy: SyncStatusRecord }) {
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
