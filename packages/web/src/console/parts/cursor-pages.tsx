/** Ways to the pages of a list; the address has the cursor. */
import { Group } from '@mantine/core'
import { useAddressParams } from '../data/params.ts'
import { SmallButton } from './looks.tsx'

/** Shows the ways. @param props `next`: address of the next page; null: this is the last one */
export function CursorPages({ next }: { readonly next: string | null }) {
  const [{ cursor }, change] = useAddressParams('cursor')
  if (next === null && cursor === undefined) return null
  return (
    <Group gap="xs" component="nav" aria-label="Pages of the list">
      <SmallButton disabled={cursor === undefined} onClick={() => change({ cursor: undefined })}>
        First page
      </SmallButton>
      <SmallButton
        disabled={next === null}
        onClick={() => next !== null && change({ cursor: new URL(next, location.origin).searchParams.get('cursor') ?? undefined })}
      >
        Next page
      </SmallButton>
    </Group>
  )
}
