/** Kinds of the organization in the console: written, checked, published, moved to and deleted. */
import { expect, test } from 'vitest'
import { connectorsPath } from '../http/support.ts'
import { share } from '../support/share.ts'
import { limits, openConsole } from './console-support.ts'

const opened = await share(openConsole())
const page = opened.page

const timeout = limits.test
const editor = () => page.getByRole('textbox', { name: 'Kind file' })
const slug = 'acme'

/** Reads the kind by the API. */
const readKind = async () => (await opened.world.ask(`/api/v1/kinds/${slug}`, { token: opened.world.token })).json

/** Replaces the text of a line near the top, behind its indentation. */
async function change(line: string, next: string): Promise<void> {
  await editor().focus()
  await page.keyboard.press('ControlOrMeta+Home')
  await page.locator('.cm-line', { hasText: line }).first().click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(next)
}
const check = async () => {
  await page.getByRole('button', { name: 'Check', exact: true }).click()
}
const publish = async () => {
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
}

test('a new kind begins with a file that passes, and its mistakes lead to their lines', { timeout }, async () => {
  await opened.go('/kinds')
  await page.getByText('There are no kinds yet.').waitFor()
  await page.getByRole('link', { name: 'New kind' }).click()
  await editor().waitFor()
  await change('title: "Acme"', 'titel: Acme')
  await check()
  const mistakes = page.getByRole('region', { name: /^Mistakes/ })
  await mistakes.getByText('did you mean title?').waitFor()
  await opened.look('own-kind-mistakes')
  await mistakes.getByRole('button', { name: 'Line 3, column 1' }).click()
  await page.keyboard.press('End')
  await page.keyboard.insertText('!')
  await page.locator('.cm-line', { hasText: 'titel: Acme!' }).waitFor()
  await page.getByText('The text has changed since the last check.').waitFor()
  await change('titel: Acme!', 'title: Acme')
  await check()
  await page.getByText('This file makes a new kind.').waitFor()
  await page.getByText('api.acme.example', { exact: true }).waitFor()
  await publish()
  await page.getByText('Acme has version 1 now.').waitFor()
  await page.getByRole('table', { name: 'Versions' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/own-kinds/acme')
  expect((await readKind()).file).toContain('title: Acme\n')
  expect(opened.complaints()).toEqual([])
})

test('the schema completes names', { timeout }, async () => {
  // The editor draws the lines in sight only: the way to the last one is the keyboard's.
  await editor().click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('    ')
  await page.keyboard.type('syn')
  // A list that has just opened takes no key yet.
  await page.getByRole('option', { name: 'sync' }).click()
  await page.keyboard.type('full')
  await page.locator('.cm-line', { hasText: 'sync: full' }).waitFor()
  expect(opened.complaints()).toEqual([])
})

test('what a change means is said, and connectors move when they are told to', { timeout }, async () => {
  const body = { workspace_name: 'default', connector_type: slug, name: 'Sales', credentials: { token: 't' }, check: false }
  const { json } = await opened.world.ask(connectorsPath, { token: opened.world.token, body })
  await check()
  const changes = page.getByRole('region', { name: 'What this will change' })
  await changes.getByText('can be searched').waitFor()
  await changes.getByText('Read again', { exact: true }).waitFor()
  await publish()
  await page.getByText('Acme has version 2 now.').waitFor()
  await page.getByText('1 connector of this kind, 1 on older versions.').waitFor()
  await opened.look('own-kind')
  await page.getByRole('button', { name: 'Move 1 connector to version 2' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await page.getByText('1 connector of this kind, 0 on older versions.').waitFor()
  const moved = await opened.world.ask(`${connectorsPath}/${json.id}`, { token: opened.world.token })
  expect(moved.json.kind_version).toBe(2)
  expect(opened.complaints()).toEqual([])
})

test('a connector whose version leads elsewhere stays, and new credentials move it', { timeout }, async () => {
  await change('api: https://api.acme.example', 'api: https://api.acme2.example')
  await check()
  await page.getByText('api.acme2.example', { exact: true }).waitFor()
  await page.getByText('Credentials again', { exact: true }).first().waitFor()
  await publish()
  await page.getByText('Acme has version 3 now.').waitFor()
  await page.getByRole('button', { name: 'Move 1 connector to version 3' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  const left = page.getByRole('list', { name: 'Connectors that stay' })
  await left.getByText('api.acme2.example').waitFor()
  await left.getByRole('link', { name: 'Sales' }).click()
  await page.getByText('With new credentials it moves to version 3.').waitFor()
  await opened.look('own-kind-credentials')
  expect(opened.complaints().filter((text) => !text.includes('422'))).toEqual([])
})

test('a version that somebody published meanwhile is not overwritten', { timeout }, async () => {
  await opened.go(`/own-kinds/${slug}`)
  await editor().waitFor()
  await change('about: "Records of Acme"', 'about: Mine')
  await check()
  const theirs = (await readKind()).file.replace('about: "Records of Acme"', 'about: Theirs')
  await opened.world.ask(`/api/v1/kinds/${slug}`, { method: 'PUT', token: opened.world.token, body: { file: theirs } })
  await publish()
  await page.getByRole('dialog').getByText('kind_changed').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Somebody published version 4 meanwhile').waitFor()
  expect((await readKind()).file).toBe(theirs)
  await page.getByRole('button', { name: 'Load version 4' }).click()
  await page.locator('.cm-line', { hasText: 'about: Theirs' }).waitFor()
  await page.getByRole('button', { name: 'Open version 1', exact: true }).click()
  await page.locator('.cm-line', { hasText: 'about: "Records of Acme"' }).waitFor()
  expect(opened.complaints().filter((text) => !text.includes('409'))).toEqual([])
})

test('a kind without connectors is deleted after its name was typed', { timeout }, async () => {
  await opened.go(`/own-kinds/${slug}`)
  await page.getByText('Connectors use it: delete them first.').waitFor()
  const { json } = await opened.world.ask(connectorsPath, { token: opened.world.token })
  for (const { id } of json.data) await opened.world.ask(`${connectorsPath}/${id}`, { method: 'DELETE', token: opened.world.token })
  await opened.go(`/own-kinds/${slug}`)
  await page.getByRole('button', { name: 'Delete the kind' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type acme to confirm').fill(slug)
  await dialog.getByRole('button', { name: 'Delete the kind' }).click()
  await page.getByText('There are no kinds yet.').waitFor()
  expect(opened.complaints()).toEqual([])
})
