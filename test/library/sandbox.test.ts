import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { sandboxCredentials, startSandbox } from '../../packages/sandbox/src/index.ts'
import { recordProblems } from '../conformance/records.ts'
import { bytesOf } from '../engine/download-support.ts'
import { failure } from '../engine/support.ts'

const { accessKey, accessKeySecret } = sandboxCredentials
const key = { access_key: accessKey, access_key_secret: accessKeySecret }

const sandbox = await startSandbox({ limits: false, mediaBytes: 1024 * 1024 })
const gong = connect('gong', { credentials: key, origin: sandbox.origins.gong, limits: false })
afterEach(() => sandbox.gong.reset())
afterAll(async () => {
  await gong.close()
  await sandbox.close()
})

type Page = { readonly data: readonly unknown[]; readonly meta: object }

/** March 2025, and all of it in the forms that the operations take. */
const window = { fromDateTime: '2025-03-03T00:00:00Z', toDateTime: '2025-03-05T00:00:00Z' }
const days = { fromDate: '2025-03-03', toDate: '2025-03-08' }

const workspace = () => sandbox.gong.world.workspaceIds[0] ?? ''
/** One page of each list; every one finds something. */
const lists: Readonly<Record<string, () => Promise<Page>>> = {
  users: () => gong.users.list(),
  calls: () => gong.calls.list(window),
  calls_extensive: () =>
    gong.calls_extensive.list({
      filter: window,
      contentSelector: {
        context: 'Extended',
        contextTiming: ['Now', 'TimeOfCall'],
        exposedFields: {
          parties: true,
          media: true,
          collaboration: { publicComments: true },
          content: {
            structure: true,
            topics: true,
            trackers: true,
            trackerOccurrences: true,
            brief: true,
            outline: true,
            highlights: true,
            callOutcome: true,
            keyPoints: true,
            pointsOfInterest: true,
          },
          interaction: { speakers: true, video: true, personInteractionStats: true, questions: true },
        },
      },
    }),
  workspaces: () => gong.workspaces.list(),
  call_transcripts: () => gong.call_transcripts.list({ filter: window }),
  stats_activity_aggregate: () => gong.stats_activity_aggregate.list({ filter: days }),
  stats_activity_day_by_day: () => gong.stats_activity_day_by_day.list({ filter: days }),
  stats_interaction: () => gong.stats_interaction.list({ filter: days }),
  settings_scorecards: () => gong.settings_scorecards.list(),
  settings_trackers: () => gong.settings_trackers.list({ workspaceId: workspace() }),
  library_folders: () => gong.library_folders.list({ workspaceId: workspace() }),
  library_folder_content: () => gong.library_folder_content.list({ folderId: sandbox.gong.world.folderId }),
  coaching: () =>
    gong.coaching.list({
      'workspace-id': workspace(),
      'manager-id': sandbox.gong.world.managerId,
      from: '2025-01-01T00:00:00Z',
      to: '2025-04-01T00:00:00Z',
    }),
  stats_activity_scorecards: () =>
    gong.stats_activity_scorecards.list({ filter: { fromDateTime: '2024-01-01T00:00:00Z', toDateTime: '2026-01-01T00:00:00Z' } }),
}

describe('every operation', () => {
  test.each(Object.keys(lists))('%s list: documented records', async (name) => {
    const entity = kinds.gong.definition.entities[name as 'users']
    const page = await lists[name]?.()
    expect(page?.data.length).toBeGreaterThan(0)
    expect(page?.data.flatMap((record) => recordProblems(entity, record))).toEqual([])
  })

  test('covers all lists', () => {
    const named = Object.entries(kinds.gong.definition.entities).flatMap(([name, entity]) => ('list' in entity ? [name] : []))
    expect(Object.keys(lists)).toEqual(named)
  })

  test('get: users and calls, and what does not exist', async () => {
    const { userId, callId, unknownCallId } = sandbox.gong.world
    expect((await gong.users.get({ id: userId })).data.id).toBe(userId)
    expect((await gong.calls.get({ id: callId })).data).toMatchObject({ id: callId, isPrivate: false })
    expect(await failure(gong.calls.get({ id: unknownCallId }))).toMatchObject({ code: 'record_not_found' })
    expect(await failure(gong.users.get({ id: '1' }))).toMatchObject({ code: 'record_not_found' })
  })

  test('finds nothing without an error where there is nothing', async () => {
    const { emptyWindow, emptyFolderId, unknownCallId } = sandbox.gong.world
    const filter = { fromDateTime: emptyWindow.from, toDateTime: emptyWindow.to }
    const empty = [
      gong.calls.list(filter),
      gong.calls_extensive.list({ filter }),
      gong.call_transcripts.list({ filter: { callIds: [unknownCallId] } }),
      gong.stats_activity_scorecards.list({ filter: { fromDateTime: '2010-01-01T00:00:00Z', toDateTime: '2010-02-01T00:00:00Z' } }),
      gong.library_folder_content.list({ folderId: emptyFolderId }),
    ]
    for (const page of await Promise.all(empty)) {
      expect(page.data).toEqual([])
      expect(page.meta.next_params).toBeNull()
    }
  })
})

describe('a complete walk', () => {
  test('meets each public call exactly once and counts the private ones', async () => {
    const { counts } = sandbox.gong.world
    const ids = new Set<string>()
    let records = 0
    let excluded = 0
    for await (const { data, meta } of gong.calls.pages()) {
      for (const { id, isPrivate } of data) {
        ids.add(id)
        expect(isPrivate).toBe(false)
      }
      records += data.length
      excluded += meta.private_calls_excluded ?? 0
      expect(meta.total_records).toBe(counts.calls)
    }
    expect(records).toBe(counts.calls - counts.privateCalls)
    expect(ids.size).toBe(records)
    expect(excluded).toBe(counts.privateCalls)
  })

  test('shows private calls too when the configuration says so', async () => {
    await using all = connect('gong', {
      credentials: key,
      config: { private_calls: 'include' },
      origin: sandbox.origins.gong,
      limits: false,
    })
    expect(new Set((await Array.fromAsync(all.calls.records())).map(({ id }) => id)).size).toBe(sandbox.gong.world.counts.calls)
  })

  test('calls, their extensive form and their transcripts are the same calls', async () => {
    const march = { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-04-01T00:00:00Z' }
    const extensive = (await Array.fromAsync(gong.calls_extensive.records({ filter: march }))).map(({ metaData }) => String(metaData['id']))
    const transcripts = (await Array.fromAsync(gong.call_transcripts.records({ filter: march }))).map(({ callId }) => callId)
    expect(extensive.length).toBeGreaterThan(100)
    expect(transcripts.toSorted()).toEqual(extensive.toSorted())
  })

  test('goes on over pages that hold private calls only', async () => {
    const { from, to } = sandbox.gong.world.privateWindow
    const pages = await Array.fromAsync(gong.calls.pages({ fromDateTime: from, toDateTime: to }))
    expect(pages.length).toBeGreaterThan(2)
    expect(pages.flatMap(({ data }) => data)).toEqual([])
  })

  test('meets each user and each answered scorecard once, whatever form its ids have', async () => {
    const { counts } = sandbox.gong.world
    expect(new Set((await Array.fromAsync(gong.users.records())).map(({ id }) => id)).size).toBe(counts.users)
    const filter = { fromDateTime: '2023-01-01T00:00:00Z', toDateTime: '2100-01-01T00:00:00Z' }
    const texts = (await Array.fromAsync(gong.stats_activity_scorecards.records({ filter }))).map(
      ({ answeredScorecardId }) => answeredScorecardId,
    )
    expect(new Set(texts).size).toBe(counts.answeredScorecards)
    sandbox.gong.switches.set({ int64ScorecardIds: true })
    const numbers = (await Array.fromAsync(gong.stats_activity_scorecards.records({ filter }))).map(
      ({ answeredScorecardId }) => answeredScorecardId,
    )
    expect(numbers).toEqual(texts)
  })

  test('a window of reviews by moments is exact, cut anywhere', async () => {
    const wide = { fromDateTime: '2025-01-01T00:00:00Z', toDateTime: '2025-03-01T00:00:00Z' }
    const all = await Array.fromAsync(gong.stats_activity_scorecards.records({ filter: wide }))
    expect(all.length).toBeGreaterThan(3)
    for (const cut of ['2025-02-01T00:00:00Z', '2025-02-10T07:59:59.999Z', '2025-02-10T13:30:00+14:00', '2025-01-20T23:30:00-08:00']) {
      const before = await Array.fromAsync(gong.stats_activity_scorecards.records({ filter: { ...wide, toDateTime: cut } }))
      const after = await Array.fromAsync(gong.stats_activity_scorecards.records({ filter: { ...wide, fromDateTime: cut } }))
      const ids = [...before, ...after].map(({ answeredScorecardId }) => answeredScorecardId)
      expect(ids.toSorted()).toEqual(all.map(({ answeredScorecardId }) => answeredScorecardId).toSorted())
    }
  })

  test('ends with an error at a cursor that returns, and at one that is too old', async () => {
    sandbox.faults.add({ kind: 'same-cursor', times: 10 })
    expect(await failure(Array.fromAsync(gong.calls.records()))).toMatchObject({ code: 'upstream_answer_invalid' })
    sandbox.gong.reset()
    sandbox.faults.add({ kind: 'expired-cursor' })
    expect(await failure(Array.fromAsync(gong.calls.records()))).toMatchObject({ code: 'invalid_cursor' })
  })

  test.each(['settings_scorecards', 'settings_trackers', 'library_folders'] as const)(
    '%s of a workspace are those of that workspace',
    async (name) => {
      for (const workspaceId of sandbox.gong.world.workspaceIds) {
        const { data } = await gong[name].list({ workspaceId })
        if (name !== 'library_folders')
          expect(data.every((record) => !('workspaceId' in record) || [workspaceId, null].includes(record.workspaceId))).toBe(true)
      }
    },
  )

  test('a folder of more than a hundred calls is looked up whole', async () => {
    const { largeFolderId } = sandbox.gong.world
    const { data, meta } = await gong.library_folder_content.list({ folderId: largeFolderId })
    expect(data.length + (meta.private_calls_excluded ?? 0)).toBeGreaterThan(100)
    expect(data.every(({ started, duration, primaryUserId }) => started !== null && duration !== null && primaryUserId !== null)).toBe(true)
  })
})

describe('downloads', () => {
  const request = (callId: string, range_header?: string) => ({
    filter: { callIds: [callId] },
    contentSelector: { exposedFields: { media: true as const } },
    ...(range_header === undefined ? {} : { range_header }),
  })

  test.each(['audio', 'video'] as const)('%s: the whole file and a part of it, byte for byte', async (kind) => {
    const { largeCallId } = sandbox.gong.world
    const entity = `call_${kind}` as const
    const whole = await gong[entity].download(request(largeCallId))
    expect(whole).toMatchObject({
      status: 200,
      length: 1024 * 1024,
      range: null,
      name: `${largeCallId}.${kind === 'audio' ? 'mp3' : 'mp4'}`,
    })
    expect((await bytesOf(whole.stream)).equals(sandbox.gong.mediaBytes(largeCallId, kind))).toBe(true)
    const part = await gong[entity].download(request(largeCallId, 'bytes=1000-2999'))
    expect(part).toMatchObject({ status: 206, length: 2000, range: `bytes 1000-2999/${1024 * 1024}` })
    expect((await bytesOf(part.stream)).equals(sandbox.gong.mediaBytes(largeCallId, kind, { offset: 1000, length: 2000 }))).toBe(true)
  })

  test('what cannot be downloaded says why', async () => {
    const { audioOnlyCallId, privateCallId, callWithoutMediaId, callWithEmptyMediaId, unknownCallId, callId } = sandbox.gong.world
    expect(await failure(gong.call_video.download(request(audioOnlyCallId)))).toMatchObject({ code: 'record_not_found' })
    expect(await failure(gong.call_audio.download(request(callWithoutMediaId)))).toMatchObject({ code: 'record_not_found' })
    expect(await failure(gong.call_audio.download(request(callWithEmptyMediaId)))).toMatchObject({ code: 'record_not_found' })
    expect(await failure(gong.call_audio.download(request(unknownCallId)))).toMatchObject({ code: 'record_not_found' })
    expect(await failure(gong.call_audio.download(request(privateCallId)))).toMatchObject({ code: 'private_call' })
    expect(await failure(gong.call_audio.download(request(callId, 'bytes=999999999-')))).toMatchObject({ code: 'range_not_satisfiable' })
  })

  test('a file that is cut fails', async () => {
    sandbox.faults.add({ kind: 'cut', after: 5000, on: 'media' })
    const { stream } = await gong.call_audio.download(request(sandbox.gong.world.largeCallId))
    expect(await failure(bytesOf(stream))).toMatchObject({ code: 'upstream_unreachable' })
  })
})
