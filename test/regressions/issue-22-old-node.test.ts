/** An old Node is refused in one sentence that names both versions. `test/pack` shows the built entries on a supported Node. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeOldNode } from '../../packages/ferrule/src/node-version.ts'
import { root } from '../../scripts/paths.mjs'

test.each(['18.20.8', '20.20.2', '22.18.0', '21.7.3'])('Node %s is too old', (node) => {
  expect(describeOldNode({ node })).toBe(
    `Ferrule needs Node 22.19 or later, and this is Node ${node}: install a newer one from https://nodejs.org.`,
  )
})

test.each([{ node: '22.19.0' }, { node: '24.1.0' }, { node: '20.0.0', bun: '1.4.5' }, { node: '20.0.0', deno: '2.9.6' }, {}])(
  '%j is not',
  (versions) => {
    expect(describeOldNode(versions)).toBeUndefined()
  },
)

test.each(['ferrule', 'server'])('engines of %s names the same version', (name) => {
  const { engines } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
  expect(describeOldNode({ node: '1.0.0' })).toContain(`Node ${engines.node.replace('>=', '')} or later`)
})
