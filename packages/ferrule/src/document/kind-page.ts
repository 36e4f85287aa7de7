/** Prints the reference page of a kind. */
import type { Kind } from '../definition/connector.ts'
import { type Block, code, printBlocks } from './blocks.ts'
import { describeKind } from './describe-kind.ts'
import { buildCallExamples } from './operations.ts'

/** Builds the parts of the reference of a kind, with an example of each operation. */
export function buildReference(kind: Kind) {
  const [overview, ...sections] = describeKind(kind.definition)
  const examples = Object.values(buildCallExamples([kind])).map(({ value }) => value)
  /** Puts the example of an operation at the end of its part. */
  const addExamples = (blocks: readonly Block[]): readonly Block[] => {
    let part = ''
    return blocks.flatMap((block, at) => {
      if (block.type === 'heading') part = block.text ?? ''
      if (blocks[at + 1] !== undefined && blocks[at + 1]?.type !== 'heading') return [block]
      const own = examples.filter(({ entity, action }) => part === `${entity} ${action}`)
      return [block, ...own.map((example) => code('json', JSON.stringify(example, null, 2)))]
    })
  }
  return {
    title: overview.title,
    blocks: overview.blocks,
    sections: sections.map(({ title, blocks }) => ({ title, blocks: addExamples(blocks) })),
  }
}

/** Joins the parts of a printed page. @param by the command that prints it */
export const joinPage = (by: string, ...parts: readonly string[]): string =>
  `${[`<!-- Printed by \`${by}\`; do not edit. -->`, ...parts].join('\n\n')}\n`

/** Prints the reference page of a kind as Markdown. @param by the command that prints it */
export function printKindPage(kind: Kind, by: string): string {
  const { title, blocks, sections } = buildReference(kind)
  return joinPage(by, `# ${title}`, printBlocks(blocks), ...sections.flatMap((each) => [`## ${each.title}`, printBlocks(each.blocks)]))
}

/** Prints the same page without links, for readers who lack the other pages of this documentation. */
export const printLonePage = (kind: Kind, by: string): string => printKindPage(kind, by).replaceAll(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1')
