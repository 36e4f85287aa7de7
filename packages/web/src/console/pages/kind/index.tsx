/** The reference of one kind: the section that the address names, with calls to try. */
import { Grid, NativeSelect, NavLink, Stack } from '@mantine/core'
import type { DefinitionReference } from 'ferrule/wire'
import { Link, useParams } from 'wouter'
import { useAddressParams } from '../../data/params.ts'
import { useReference } from '../../data/references.ts'
import { printAddress, useGo, useTenant } from '../../data/tenant.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { printReferenceLink } from '../../parts/reference/address.ts'
import { FoundEntries, ReferenceSearch } from '../../parts/reference/found.tsx'
import { SectionView } from './section-view.tsx'

const printTitle = ({ id, title }: DefinitionReference['sections'][number]): string => (id === 'overview' ? 'Overview' : title)

/** Shows the list; on a phone, a chooser. */
function SectionList({ reference: { id: kind, title, sections } }: { readonly reference: DefinitionReference }) {
  const [{ section: shown = 'overview' }] = useAddressParams('section')
  const tenant = useTenant()
  const go = useGo()
  return (
    <>
      <NativeSelect
        label="Section"
        hiddenFrom="md"
        data={sections.map((section) => ({ value: section.id, label: printTitle(section) }))}
        value={shown}
        onChange={({ currentTarget }) => {
          const { to, params } = printReferenceLink({ kind, section: currentTarget.value })
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
          const { to, params } = printReferenceLink({ kind, section: section.id })
          const isShown = section.id === shown
          return (
            <NavLink
              key={section.id}
              component={Link}
              href={printAddress(to, tenant, params)}
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

/** Shows the section of the address. */
function ShownSection({ reference }: { readonly reference: DefinitionReference }) {
  const [{ section: id = 'overview' }] = useAddressParams('section')
  const section = reference.sections.find((each) => each.id === id)
  if (section !== undefined) return <SectionView key={id} reference={reference} section={section} />
  return (
    <EmptyState title="There is no such section" says={`${reference.title} has no ${id}.`}>
      <PageLink {...printReferenceLink({ kind: reference.id })}>Go to its overview</PageLink>
    </EmptyState>
  )
}

/** Shows the list of sections beside the section, or what a search found. */
function Reference({ reference }: { readonly reference: DefinitionReference }) {
  const [{ text = '' }] = useAddressParams('text')
  return (
    <Stack gap="lg">
      <ReferenceSearch where={reference.title} />
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 9 }} order={{ base: 2, md: 1 }}>
          {text.trim() === '' ? <ShownSection reference={reference} /> : <FoundEntries references={[reference]} text={text} />}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 3 }} order={{ base: 1, md: 2 }}>
          <SectionList reference={reference} />
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

/** The page. */
export function Page() {
  const { slug = '' } = useParams<{ slug: string }>()
  const reading = useReference(slug)
  return (
    <>
      <PageLink to="/kinds" size="sm">
        All kinds
      </PageLink>
      <PageHeader title={reading.data?.title ?? slug}>
        <PageLink to="/connectors/new" params={{ kind: slug }}>
          New connector
        </PageLink>
      </PageHeader>
      <ReadingView reading={reading}>{(reference) => <Reference reference={reference} />}</ReadingView>
    </>
  )
}
