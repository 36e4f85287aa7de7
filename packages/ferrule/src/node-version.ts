/** Describes a Node that is too old. Loads nothing and uses old syntax only, so that it runs before what an old Node cannot read. */

/** The oldest supported Node; `engines` of the packages says the same. */
const [major, minor] = [22, 19]

interface Versions {
  readonly node?: string
  readonly bun?: string
  readonly deno?: string
}

const readVersions = (): Versions => Reflect.get(Object(Reflect.get(globalThis, 'process')), 'versions') ?? {}

/** Describes in one sentence why this Node cannot run Ferrule; undefined on a supported Node, and on other runtimes. */
export function describeOldNode({ node, bun, deno }: Versions = readVersions()): string | undefined {
  if (node === undefined || bun !== undefined || deno !== undefined) return undefined
  const [own = 0, part = 0] = node.split('.').map(Number)
  if (own > major || (own === major && part >= minor)) return undefined
  return `Ferrule needs Node ${major}.${minor} or later, and this is Node ${node}: install a newer one from https://nodejs.org.`
}
