/** Draws which entities of a kind refer to which. */
import type { EntityDefinition } from '../definition/entity.ts'
import { type Block, code, paragraph } from './blocks.ts'

/** References of an entity to another one, by the paths of its fields. */
interface Relation {
  readonly from: string
  readonly to: string
  readonly path: string
}

/** Draws what refers to an entity: an arrow with a branch for each entity, and below it the further paths. */
function drawTarget(to: string, relations: readonly Relation[], width: number): string {
  const pad = ' '.repeat(to.length)
  const last = relations.findLastIndex(({ from }, index) => relations[index - 1]?.from !== from)
  const lines = relations.map(({ from, path }, index) => {
    const isFurther = relations[index - 1]?.from === from
    const branch =
      last === 0 && index === 0 ? '───' : isFurther ? (index > last ? '   ' : ' │ ') : index === 0 ? '─┬─' : index === last ? ' └─' : ' ├─'
    return `${index === 0 ? `${to} ◄` : `${pad}  `}${branch} ${(isFurther ? '' : from).padEnd(width)}  ${path}`
  })
  return lines.join('\n')
}

/**
 * Draws the relations of a kind with characters. Every place that shows blocks, programs of agents among them, shows this picture.
 * @returns no blocks where nothing refers to anything
 */
export function drawRelations(entities: Readonly<Record<string, EntityDefinition>>): readonly Block[] {
  const relations = Object.entries(entities).flatMap(([from, { refers = {} }]) =>
    Object.entries(refers).map(([path, to]): Relation => ({ from, to, path })),
  )
  if (relations.length === 0) return []
  const width = Math.max(...relations.map(({ from }) => from.length))
  const drawn = [...Map.groupBy(relations, ({ to }) => to)].map(([to, all]) => drawTarget(to, all, width))
  return [
    paragraph('Records refer to each other. Arrows lead from the fields of an entity to what they refer to:'),
    code('text', drawn.join('\n\n')),
  ]
}
