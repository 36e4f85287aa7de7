/** Shows blocks of a reference. */
import { Code, Text, Title } from '@mantine/core'
import { readInline } from 'ferrule/internal'
import type { SkillBlock } from 'ferrule/wire'
import type { ComponentType, ReactNode } from 'react'
import { type ListColumn, ListTable } from '../table/list-table.tsx'
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

/** Shows a table. */
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
export function Blocks({ blocks, findLink }: { readonly blocks: readonly SkillBlock[]; readonly findLink?: FindLink }) {
  return blocks.map((block) => {
    const View = views[block.type]
    return <View key={`${block.type} ${block.text ?? block.code ?? block.headers?.join()}`} block={block} findLink={findLink} />
  })
}
