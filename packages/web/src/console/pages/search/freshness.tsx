/** Says how fresh the searched copy is. */
import { Group, Text } from '@mantine/core'
import type { Freshness as Given } from 'ferrule/wire'
import { Time } from '../../parts/time.tsx'

/** What a state adds to the sentence. */
const states: Readonly<Partial<Record<Given['status'], string>>> = {
  updating: 'A sync runs now.',
  building_preview: 'The first sync runs: some records are not there yet.',
  preview: 'The first sync runs: some records are not there yet.',
  failed: 'The last sync has failed.',
  disabled: 'The entity is not synced any more.',
}

/** Shows the sentence. */
export const Freshness = ({ of: { synced_at, verified_at, status, complete, may_change_from } }: { readonly of: Given }) => (
  <Group gap={4}>
    <Text size="sm" component="div">
      The copy has what the vendor reported until <Time value={synced_at} none="its first sync has ended" />
      {verified_at !== null && (
        <>
          , and was compared with everything <Time value={verified_at} />
        </>
      )}
      . {states[status] ?? ''}
      {!complete && states[status] === undefined ? ' A part of the records could not be read.' : ''}
      {may_change_from === undefined ? '' : ` Figures from ${may_change_from} on can still change.`}
    </Text>
  </Group>
)
