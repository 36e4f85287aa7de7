import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packages, root } from '../../scripts/paths.mjs'

const lines = (name: string): string[] => readFileSync(join(root, name), 'utf8').split('\n')
const copies = lines('Dockerfile').filter((line) => line.startsWith('COPY '))
/** Sources of each COPY out of the checkout. */
const fromCheckout = copies.filter((line) => !line.includes('--from=')).flatMap((line) => line.split(' ').slice(1, -1))

describe('the container', () => {
  test('copies what the checkout has and .dockerignore lets in', () => {
    const allowed = lines('.dockerignore').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
    expect(fromCheckout.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(fromCheckout.filter((path) => !allowed.includes(path.replace('./', '').split('/')[0] ?? ''))).toEqual([])
  })

  test('has the manifest of each package before it installs, and its compiled files at the end', () => {
    for (const name of packages) {
      expect(fromCheckout.filter((path) => path === `packages/${name}/package.json`)).toHaveLength(2)
      expect(copies).toContain(`COPY --from=build /app/packages/${name}/dist ./packages/${name}/dist`)
    }
  })

  test('starts programs that the build of the server makes', () => {
    const text = lines('Dockerfile').join('\n')
    const programs = [...text.matchAll(/packages\/server\/dist\/(\w+)\.js/g)].map(([, name]) => name)
    expect(programs.sort()).toEqual(['cli', 'main'])
    for (const name of programs) expect(existsSync(join(root, `packages/server/src/${name}.ts`))).toBe(true)
  })
})
