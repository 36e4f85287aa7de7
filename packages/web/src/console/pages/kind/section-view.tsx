/** Shows a section of a reference in its parts. */
import { Code, Group, Paper, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { findTrial, formatJson, type ReferenceExample, type ReferencePart, type ReferenceSection, splitSection } from 'ferrule/internal'
import type { DefinitionReference } from 'ferrule/wire'
import { useEffect, useRef } from 'react'
import { useAddressParams } from '../../data/params.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printReferenceLink } from '../../parts/reference/address.ts'
import { Blocks } from '../../parts/reference/blocks.tsx'
import { Inline } from '../../parts/reference/inline.tsx'

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
        <Text size="sm" fw={600}>
          Body of execute
        </Text>
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

/** Shows the section. */
export function SectionView({ reference, section }: Within) {
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
