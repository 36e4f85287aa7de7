import { expect, test } from 'vitest'
import { connectorsPath, sandboxStore, startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'
import { connectTo, problem, watchFetch } from './support.ts'

const world = await share(startWorld())
const first = await world.connect('First')
const second = await world.connect('Second')

/** Makes a workspace with connectors to the sandbox. */
async function fill(workspace: string, bodies: readonly object[]): Promise<string[]> {
  const ids: string[] = []
  for (const [index, body] of bodies.entries())
    ids.push(await world.connect(`Number ${index}`, { ...body, workspace_name: workspace, create_workspace: true }))
  return ids
}

test('an id is used as it is', async () => {
  const { fetch, paths } = watchFetch()
  const gong = connectTo(world, 'gong', { connector: first, fetch })
  expect(await gong.id()).toBe(first)
  await gong.users.list()
  expect(paths().filter((path) => path === connectorsPath)).toEqual([])
})

test('a name is looked up once, also by concurrent calls', async () => {
  const { fetch, paths } = watchFetch()
  const gong = connectTo(world, 'gong', { connector: 'Second', fetch })
  expect(await Promise.all([gong.id(), gong.id(), gong.id()])).toEqual([second, second, second])
  await gong.users.list()
  expect(paths().filter((path) => path === connectorsPath)).toHaveLength(1)
})

test('the only connector of its kind is found', async () => {
  const [gong, shopify] = await fill('two kinds', [{}, sandboxStore('Number 1')])
  expect(await connectTo(world, 'gong', { workspace: 'two kinds' }).id()).toBe(gong)
  expect(await connectTo(world, 'shopify', { workspace: 'two kinds' }).id()).toBe(shopify)
})

test('several of a kind are an error that lists them', async () => {
  const error = await connectTo(world, 'gong')
    .id()
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'connector_ambiguous', fault: 'caller', retryable: false })
  expect(String(error)).toContain(`First (gong, ${first})`)
  expect(String(error)).toContain(`Second (gong, ${second})`)
})

test('none of a kind is an error that lists what the workspace has', async () => {
  const [gong] = await fill('one kind', [{}])
  const shopify = connectTo(world, 'shopify', { workspace: 'one kind' })
  await expect(shopify.customers.list()).rejects.toMatchObject({
    code: 'connector_not_found',
    hint: expect.stringContaining(`The workspace one kind has no connector of the kind shopify. It has Number 0 (gong, ${gong}).`),
  })
  await expect(connectTo(world, 'gong', { connector: 'Third' }).id()).rejects.toMatchObject({
    hint: expect.stringContaining('no connector named Third of the kind gong. It has First (gong'),
  })
  await expect(connectTo(world, 'gong', { workspace: 'empty' }).id()).rejects.toMatchObject({
    hint: expect.stringContaining('It has no connectors.'),
  })
})

test('all pages of the list are searched', async () => {
  const ids = await fill(
    'many',
    Array.from({ length: 5 }, () => ({})),
  )
  const { fetch, sent } = watchFetch(({ url, init }) => {
    const address = new URL(url)
    if (address.pathname !== connectorsPath) return undefined
    address.searchParams.set('limit', '2')
    return globalThis.fetch(address, init)
  })
  expect(await connectTo(world, 'gong', { workspace: 'many', connector: 'Number 4', fetch }).id()).toBe(ids[4])
  expect(sent.filter(({ url }) => url.includes(connectorsPath))).toHaveLength(3)
})

test('a failed lookup is forgotten', async () => {
  let fails = true
  const { fetch } = watchFetch(({ url }) => (fails && url.includes(connectorsPath) ? problem(404, 'workspace_not_found') : undefined))
  const gong = connectTo(world, 'gong', { connector: 'First', fetch })
  await expect(gong.id()).rejects.toMatchObject({ code: 'workspace_not_found' })
  fails = false
  expect(await gong.id()).toBe(first)
})

test('a connector that was deleted is looked up again', async () => {
  const [old] = await fill('renewed', [{}])
  const gong = connectTo(world, 'gong', { workspace: 'renewed' })
  expect(await gong.id()).toBe(old)
  await world.ask(`${connectorsPath}/${old}`, { method: 'DELETE', token: world.token })
  const [renewed] = await fill('renewed', [{}])
  await expect(gong.users.list()).rejects.toMatchObject({ code: 'connector_not_found' })
  expect(await gong.id()).toBe(renewed)
  expect((await gong.users.list()).data.length).toBeGreaterThan(0)
})

test('a caller that goes away does not end the lookup of the others', async () => {
  const going = new AbortController()
  const asked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const { fetch } = watchFetch(async ({ url }, pass) => {
    if (!url.includes(connectorsPath)) return pass()
    asked.resolve()
    await release.promise
    return pass()
  })
  const gong = connectTo(world, 'gong', { connector: 'First', fetch })
  const gone = gong.users.list({}, { signal: going.signal })
  const kept = gong.id()
  await asked.promise
  going.abort(new Error('no longer wanted'))
  await expect(gone).rejects.toThrow('no longer wanted')
  release.resolve()
  expect(await kept).toBe(first)
})

test('a slow lookup ends with the deadline of the call', async () => {
  const { fetch } = watchFetch(({ url }, pass) => (url.includes(connectorsPath) ? new Promise<Response>(() => undefined) : pass()))
  const gong = connectTo(world, 'gong', { connector: 'First', fetch })
  await expect(gong.users.list({}, { deadlineMs: 50 })).rejects.toMatchObject({ code: 'service_timeout' })
})
