/** The reference of one kind: the section that the address names, with calls to try. */
import { Anchor, Code, Grid, Group, NativeSelect, NavLink, Paper, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import {
  findTrial,
  formatJson,
  type InlinePiece,
  type ReferenceExample,
  type ReferencePart,
  type ReferenceSection,
  readInline,
  splitSection,
} from 'ferrule/internal'
import type { DefinitionReference, SkillBlock } from 'ferrule/wire'
import { type ComponentType, type ReactNode, useEffect, useRef } from 'react'
import { Link, useParams } from 'wouter'
import { useAddressParams } from '../../data/params.ts'
import { useReference } from '../../data/references.ts'
import { printAddress, useGo, useTenant } from '../../data/tenant.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Strong } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageButton, PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { printReferenceLink } from '../../parts/reference/address.ts'
import { FoundEntries, ReferenceSearch } from '../../parts/reference/found.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'

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
        <PageButton to="/connectors/new" params={{ kind: slug }}>
          New connector
        </PageButton>
      </PageHeader>
      <ReadingView reading={reading}>{(reference) => <Reference reference={reference} />}</ReadingView>
    </>
  )
}

/** What a part belongs to. */
interface Within {
  readonly reference: DefinitionReference
  readonly section: ReferenceSection
}

/** Shows the example of an operation, and leads to where it is tried. */
function Example({ kind, example }: { readonly kind: string; readonly example: ReferenceExample }) {
  const { path, params } = findTrial(kind, example)
  const text = formatJson(example)
  const name = `${example.entity} ${example.action}`
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" mb="xs">
        <Strong>Body of execute</Strong>
        <Group gap="sm">
          <CopyButton value={text} says={`Copy the example of ${name}`} />
          <PageLink to={path} params={params} size="sm" underline="always">
            Try {name}
          </PageLink>
        </Group>
      </Group>
      <Code block tabIndex={0}>
        {text}
      </Code>
    </Paper>
  )
}

/** Scrolls to a part when the address names it. */
function useShown(isNamed: boolean) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isNamed) element.current?.scrollIntoView({ block: 'start' })
  }, [isNamed])
  return element
}

/** Shows an action, the record, or a scheme of credentials. */
function Part({ reference, section, part }: Within & { readonly part: ReferencePart }) {
  const [{ part: named }] = useAddressParams('part')
  const element = useShown(named === part.id)
  const examples = reference.examples.filter((each) => section.id === `entity:${each.entity}` && each.action === part.id)
  return (
    <Stack component="section" gap="sm" ref={element} style={{ scrollMarginTop: 72 }} aria-label={part.title.replaceAll('`', '')}>
      <Group gap="xs" align="baseline">
        <Title order={3} size="h4">
          <Inline text={part.title} />
        </Title>
        <PageLink {...printReferenceLink({ kind: reference.id, section: section.id, part: part.id })} size="sm" underline="always">
          Link<VisuallyHidden> to {part.title.replaceAll('`', '')}</VisuallyHidden>
        </PageLink>
      </Group>
      <Blocks blocks={part.blocks} />
      {examples.map((example) => (
        <Example key={example.action} kind={reference.id} example={example} />
      ))}
    </Stack>
  )
}

function SectionView({ reference, section }: Within) {
  const findEntity = (word: string) =>
    reference.sections.some(({ id }) => id === `entity:${word}`) ? (
      <PageLink {...printReferenceLink({ kind: reference.id, section: `entity:${word}` })} underline="always">
        {word}
      </PageLink>
    ) : undefined
  return (
    <Stack gap="lg">
      <Title order={2} size="h3">
        <Inline text={section.title} />
      </Title>
      {splitSection(section).map((part) =>
        part.title === '' ? (
          <Blocks key="" blocks={part.blocks} {...(section.id === 'overview' ? { findLink: findEntity } : {})} />
        ) : (
          <Part key={part.id} reference={reference} section={section} part={part} />
        ),
      )}
    </Stack>
  )
}

/** Returns a link for a word that stands alone in the first column; undefined: it is no link. */
type FindLink = (word: string) => ReactNode

interface BlockProps {
  readonly block: SkillBlock
  readonly findLink: FindLink | undefined
}

function Name({ text, findLink }: { readonly text: string; readonly findLink: FindLink | undefined }) {
  const [piece, ...others] = readInline(text)
  return (others.length === 0 && piece?.look === 'code' ? findLink?.(piece.text) : undefined) ?? <Inline text={text} />
}

function BlockTable({ block: { headers = [], rows = [] }, findLink }: BlockProps) {
  const columns = headers.map(
    (title, column): ListColumn<readonly string[]> => ({
      title,
      cell: (row) => (column === 0 ? <Name text={row[0] ?? ''} findLink={findLink} /> : <Inline text={row[column] ?? ''} />),
    }),
  )
  return <ListTable label={`${headers[0]} and ${headers.at(-1)}`} columns={columns} rows={rows} rowKey={([name = '']) => name} />
}

const views: Readonly<Record<SkillBlock['type'], ComponentType<BlockProps>>> = {
  heading: ({ block }) => (
    <Title order={3} size="h5">
      <Inline text={block.text ?? ''} />
    </Title>
  ),
  paragraph: ({ block }) => (
    <Text size="sm">
      <Inline text={block.text ?? ''} />
    </Text>
  ),
  code: ({ block }) => (
    <Code block tabIndex={0}>
      {block.code}
    </Code>
  ),
  table: BlockTable,
}

/** Shows the blocks. @param props `findLink`: links of the first column of tables */
function Blocks({ blocks, findLink }: { readonly blocks: readonly SkillBlock[]; readonly findLink?: FindLink }) {
  return blocks.map((block) => {
    const View = views[block.type]
    return <View key={`${block.type} ${block.text ?? block.code ?? block.headers?.join()}`} block={block} findLink={findLink} />
  })
}

function Piece({ piece: { text, look, url } }: { readonly piece: InlinePiece }) {
  const shown = look === 'code' ? <Code>{text}</Code> : look === 'strong' ? <strong>{text}</strong> : text
  if (url?.startsWith('https://') !== true) return shown
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" inherit underline="always">
      {shown}
    </Anchor>
  )
}

/** Shows a text with code, strong words and links. */
function Inline({ text }: { readonly text: string }): ReactNode {
  return readInline(text).map((piece) => <Piece key={piece.at} piece={piece} />)
}
