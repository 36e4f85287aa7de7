/** Shows blocks of a reference. */
import { Code, Table, Text, Title } from '@mantine/core'
import { readInline } from 'ferrule/internal'
import type { SkillBlock } from 'ferrule/wire'
import type { ComponentType, ReactNode } from 'react'
import { Inline } from './inline.tsx'

/** Returns a link for a word that stands alone in the first column; undefined: it is no link. */
export type FindLink = (word: string) => ReactNode

interface BlockProps {
  readonly block: SkillBlock
  readonly findLink: FindLink | undefined
}

function Name({ text, findLink }: { readonly text: string; readonly findLink: FindLink | undefined }) {
  const [piece, ...others] = readInline(text)
  return (others.length === 0 && piece?.look === 'code' ? findLink?.(piece.text) : undefined) ?? <Inline text={text} />
}

/** Shows a table that scrolls by itself. */
function BlockTable({ block: { headers = [], rows = [] }, findLink }: BlockProps) {
  return (
    <Table.ScrollContainer type="native" minWidth={560} tabIndex={0} role="region" aria-label={`${headers[0]} and ${headers.at(-1)}`}>
      <Table fz="sm" verticalSpacing={6} withTableBorder>
        <Table.Thead>
          <Table.Tr>
            {headers.map((each) => (
              <Table.Th key={each}>{each}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([name = '', ...cells]) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Name text={name} findLink={findLink} />
              </Table.Td>
              {cells.map((each, column) => (
                <Table.Td key={headers[column + 1]}>
                  <Inline text={each} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
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
export function Blocks({ blocks, findLink }: { readonly blocks: readonly SkillBlock[]; readonly findLink?: FindLink }) {
  return blocks.map((block) => {
    const View = views[block.type]
    return <View key={`${block.type} ${block.text ?? block.code ?? block.headers?.join()}`} block={block} findLink={findLink} />
  })
}
