/** The recipes of docs/library.md compile when they are pasted into a strict TypeScript project. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../scripts/paths.mjs'
import { programLimit } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'

/** What a project of a user may lack: our own options are stricter than `strict`. */
const own = {
  rewriteRelativeImportExtensions: false,
  noPropertyAccessFromIndexSignature: false,
  typeRoots: [join(root, 'node_modules/@types')],
}

/** Lets a program import the sources instead of the package. */
function importSources(code: string): string {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages/ferrule/package.json'), 'utf8'))
  return code.replaceAll(
    /from 'ferrule([^']*)'/g,
    (_whole, path: string) => `from '${join(root, 'packages/ferrule', exports[`.${path}`]['@ferrule/source'])}'`,
  )
}

test('every recipe compiles', () => {
  const text = readFileSync(join(root, 'docs/library.md'), 'utf8')
  const recipes = [...text.slice(text.indexOf('## Recipes')).matchAll(/^### (.+)\n\n(?:[^`\n].*\n\n)*```js\n([\s\S]*?)^```/gm)]
  expect(recipes.length).toBeGreaterThanOrEqual(10)
  const folder = makeFolder('recipes', onTestFinished)
  for (const [, title = '', code = ''] of recipes) writeFileSync(join(folder, `${title.replaceAll(' ', '-')}.ts`), importSources(code))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions: own, include: ['*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = [join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false', '--noEmit']
  let printed = ''
  try {
    execFileSync(process.execPath, compiler, { ...programLimit, cwd: folder, encoding: 'utf8' })
  } catch (error) {
    printed = String(Reflect.get(Object(error), 'stdout'))
  }
  expect(printed).toBe('')
})
