/** Lists the sections of a reference. */
import { NativeSelect, NavLink, Stack } from '@mantine/core'
import type { DefinitionReference } from 'ferrule/wire'
import { Link } from 'wouter'
import { useAddressParams } from '../../data/params.ts'
import { printAddress, useGo, usePlace } from '../../data/place.ts'
import { printReferencePlace } from '../../parts/reference/address.ts'

const printTitle = ({ id, title }: DefinitionReference['sections'][number]): string => (id === 'overview' ? 'Overview' : title)

/** Shows the list; on a phone, a chooser. */
export function SectionList({ reference: { id: kind, title, sections } }: { readonly reference: DefinitionReference }) {
  const [{ section: shown = 'overview' }] = useAddressParams('section')
  const place = usePlace()
  const go = useGo()
  return (
    <>
      <NativeSelect
        label="Section"
        hiddenFrom="md"
        data={sections.map((section) => ({ value: section.id, label: printTitle(section) }))}
        value={shown}
        onChange={({ currentTarget }) => {
          const { to, params } = printReferencePlace({ kind, section: currentTarget.value })
          go(to, params)
        }}
      />
      <Stack
        component="nav"
        aria-label={`Sections of ${title}`}
        gap={0}
        visibleFrom="md"
        pos="sticky"
        top={72}
        mah="calc(100vh - 88px)"
        style={{ overflowY: 'auto' }}
      >
        {sections.map((section) => {
          const { to, params } = printReferencePlace({ kind, section: section.id })
          const isShown = section.id === shown
          return (
            <NavLink
              key={section.id}
              component={Link}
              href={printAddress(to, place, params)}
              label={printTitle(section)}
              active={isShown}
              py={4}
              {...(isShown ? { 'aria-current': 'page' } : {})}
            />
          )
        })}
      </Stack>
    </>
  )
}
