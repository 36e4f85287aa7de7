/** What tests do with one kind file: they read it through JSON, and make it wrong in one spot. */
import { expect, test } from 'vitest'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'

/** Reads a kind, through JSON and back: nothing of it may be lost there. */
export async function loadThroughJson(text: string): Promise<Kind> {
  const { definition } = await parseKind(text)
  return JSON.parse(JSON.stringify({ definition, rules: {} }))
}

/** Defines a test for each edit that makes a file wrong: what is replaced, by what, a part of the mistake's path, and of its sentence. */
export const testMistakes = (file: string, edits: readonly (readonly [from: string, to: string, path: string, says: string])[]) =>
  test.each(edits)('%s as %s is a mistake', async (from, to, path, says) => {
    expect(file).toContain(from)
    const { mistakes } = await readKind(file.replace(from, to), { name: 'wrong' })
    expect(mistakes).toContainEqual(
      expect.objectContaining({ path: expect.stringContaining(path), message: expect.stringContaining(says) }),
    )
  })
