/** Empties the copy of a connector. */
import { Group } from '@mantine/core'
import type { ConnectorRecord } from 'ferrule/wire'
import { useWrite } from '../../../data/write.ts'
import { announce } from '../../../parts/announcements.tsx'
import { ConfirmButton } from '../../../parts/confirm-button.tsx'
import { printCounted } from '../../../parts/print.ts'
import { Section } from '../../../parts/section.tsx'
import { listAllKeys, useCopyReading } from '../data.ts'

/** Shows the section. */
export function ResetSection({ connector: { id } }: { readonly connector: ConnectorRecord }) {
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
