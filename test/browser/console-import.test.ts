/** A stranger's kind in the console: from an OpenAPI document to a first search. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { document } from '../command/ledgerly.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, type OpenedConsole, openConsole } from './console-support.ts'

let opened: OpenedConsole
beforeAll(async () => {
  opened = await openConsole()
}, limits.test)
afterAll(() => opened.close())

const timeout = limits.test
/** Chooses a document of the form. */
const choose = (name: string, value: object) =>
  opened.page
    .getByRole('dialog')
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(value)) })
const openForm = async () => {
  await opened.go('/own-kinds')
  await opened.page.getByRole('button', { name: 'Import a document' }).click()
  return opened.page.getByRole('dialog')
}

test('a document that cannot be read is refused in the form, with the reason', { timeout }, async () => {
  const form = await openForm()
  await choose('Some Notes.json', { notes: [] })
  await expect.poll(() => form.getByLabel('Short name').inputValue()).toBe('some-notes')
  await form.getByRole('button', { name: 'Import' }).click()
  await form.getByText('is no OpenAPI document, no manifest and no schema of GraphQL').first().waitFor()
  await opened.screenshot('import-refused')
  expect(await findAllBarriers(opened.page)).toEqual([])
  expect(opened.complaints().filter((text) => !text.includes('422'))).toEqual([])
})

test('a document opens in the editor, with what is unsure and what is left out', { timeout }, async () => {
  const { page } = opened
  const form = await openForm()
  const merge = { post: { summary: 'Merge customers', responses: { 200: { description: 'Merged' } } } }
  await choose('ledgerly.openapi.json', { ...document, paths: { ...document.paths, '/v1/customers/{id}/merge': merge } })
  await form.getByRole('button', { name: 'Import' }).click()
  await page.locator('.cm-line', { hasText: 'kind: ledgerly' }).waitFor()
  const unsure = page.getByRole('region', { name: /^Unsure/ })
  await unsure.getByText('was not in the document').first().waitFor()
  await page.getByRole('region', { name: 'Left out (1)' }).getByText('POST /v1/customers/{id}/merge').waitFor()
  await page.getByText('This file makes a new kind.').waitFor()
  await opened.screenshot('import')
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('has version 1 now.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/own-kinds/ledgerly')
  expect(opened.complaints()).toEqual([])
})
