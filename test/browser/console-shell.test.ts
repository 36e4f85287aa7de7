/** The frame of the console: its sign-in, its first page and its ways out. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAllBarriers } from './accessibility.ts'
import { limits, type OpenedConsole, openConsole, signIn } from './console-support.ts'

let opened: OpenedConsole
beforeAll(async () => {
  opened = await openConsole()
  await opened.world.connect('Calls of the sales team')
}, limits.test)
afterAll(() => opened.close())

test('the overview lists the connectors, without barriers and without a violation of the policy', { timeout: limits.test }, async () => {
  const { page, go, complaints, screenshot } = opened
  await go('/')
  await page.getByText('Calls of the sales team').waitFor()
  await page.getByText('Active').waitFor()
  await screenshot('overview')
  expect(await findAllBarriers(page)).toEqual([])
  expect(complaints()).toEqual([])
})

test('signing out ends the session, and the next sign-in returns to the same address', { timeout: limits.test }, async () => {
  const { page, go, complaints } = opened
  await go('/?workspace=default')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('menuitem', { name: 'Sign out here' }).click()
  await page.getByRole('heading', { name: 'Sign in to Ferrule' }).waitFor()
  await go('/?workspace=default')
  expect(await findAllBarriers(page)).toEqual([])
  await signIn(page)
  await page.getByText('Calls of the sales team').waitFor()
  expect(new URL(page.url()).search).toBe('?workspace=default')
  expect(complaints()).toEqual([])
})
