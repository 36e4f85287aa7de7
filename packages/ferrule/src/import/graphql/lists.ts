/** Finds the connection lists of a schema: fields of the query whose answer has pages of nodes. */
import type { Member, NamedType, Schema } from './schema.ts'

/** A list of records. */
export interface ConnectionList {
  readonly field: Member
  readonly node: NamedType
  /** Whether the records stand in edges only. */
  readonly hasEdgesOnly: boolean
}

const findField = ({ fields }: NamedType, name: string): Member | undefined => fields.find((field) => field.name === name)

/** Finds the type of what a list holds, if it has fields of its own. */
function findNode(schema: Schema, field: Member | undefined): NamedType | undefined {
  const type = field === undefined ? undefined : schema.find(field.type.name)
  return type !== undefined && type.fields.length > 0 ? type : undefined
}

/** Returns the list that a field is; undefined for any other field. */
export function findList(schema: Schema, field: Member): ConnectionList | undefined {
  const connection = schema.find(field.type.name)
  if (connection === undefined || field.type.lists > 0) return undefined
  const info = findField(connection, 'pageInfo')
  const page = info === undefined ? undefined : schema.find(info.type.name)
  if (page === undefined || findField(page, 'endCursor') === undefined || findField(page, 'hasNextPage') === undefined) return undefined
  const nodes = findField(connection, 'nodes')
  const node = findNode(schema, nodes)
  if (nodes !== undefined && nodes.type.lists === 1 && node !== undefined) return { field, node, hasEdgesOnly: false }
  const edges = findField(connection, 'edges')
  const edge = findNode(schema, edges)
  const inner = edge === undefined ? undefined : findNode(schema, findField(edge, 'node'))
  return inner === undefined ? undefined : { field, node: inner, hasEdgesOnly: true }
}

/** Writes the name of a type as fields and arguments begin with it: `IssueLabel` → `issueLabel`. */
export const toFieldName = (name: string): string => name.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (start) => start.toLowerCase())

/** Lists the plurals that vendors write of a name. */
const listPlurals = (name: string): readonly string[] => [
  `${name}s`,
  `${name}es`,
  name.replace(/y$/, 'ies'),
  name.replace(/(f|fe)$/, 'ves'),
]

/**
 * Chooses, among the lists of one type, the list of all records: the others search, or have a part of them. The field named after the type
 * goes first, then fields without needed arguments, then the shortest name.
 */
export function chooseMain(lists: readonly ConnectionList[]): ConnectionList | undefined {
  const rank = ({ field, node }: ConnectionList): number =>
    (listPlurals(toFieldName(node.name)).includes(field.name) ? 0 : 200) +
    (field.args.some(({ isNeeded }) => isNeeded) ? 100 : 0) +
    Math.min(field.name.length, 99)
  return lists.toSorted((one, other) => rank(one) - rank(other))[0]
}
