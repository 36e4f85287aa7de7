import { describe, expect, test } from 'vitest'
import { get, openWorld, rows } from './client.ts'

const { facts, post } = await openWorld()
const extensive = (callIds: readonly string[], contentSelector?: unknown) =>
  post('/v2/calls/extensive', { filter: { callIds }, ...(contentSelector === undefined ? {} : { contentSelector }) })
const exposed = async (id: string, exposedFields: unknown) => get((await extensive([id], { exposedFields })).body, 'calls', 0)
const march = { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-04-01T00:00:00Z' }

const contentNames = ['structure', 'topics', 'trackers', 'brief', 'outline', 'highlights', 'callOutcome', 'keyPoints']
const interactionNames = ['speakers', 'video', 'personInteractionStats', 'questions']

describe('the content selector', () => {
  test('without it a call is its metadata alone', async () => {
    const { body } = await extensive([facts.callId])
    expect(Object.keys(Object(get(body, 'calls', 0)))).toEqual(['metaData'])
    expect(Object.keys(Object(get(body, 'calls', 0, 'metaData')))).toHaveLength(20)
  })

  test.each(contentNames)('content.%s comes alone', async (name) => {
    const call = await exposed(facts.callId, { content: { [name]: true } })
    expect(Object.keys(Object(call))).toEqual(['metaData', 'content'])
    expect(Object.keys(Object(get(call, 'content')))).toEqual([name])
  })

  test.each(interactionNames)('interaction.%s comes alone', async (name) => {
    const call = await exposed(facts.callId, { interaction: { [name]: true } })
    const key = name === 'personInteractionStats' ? 'interactionStats' : name
    expect(Object.keys(Object(get(call, 'interaction')))).toEqual([key])
  })

  test('a flag that is false asks for nothing', async () => {
    const call = await exposed(facts.callId, { parties: false, media: false, content: { topics: false }, collaboration: {} })
    expect(Object.keys(Object(call))).toEqual(['metaData'])
  })

  test('occurrences need their trackers; trackers without a hit are listed', async () => {
    const alone = await exposed(facts.callId, { content: { trackerOccurrences: true } })
    expect(get(alone, 'content')).toEqual({})
    const plain = await exposed(facts.callId, { content: { trackers: true } })
    expect(Object.keys(Object(get(plain, 'content', 'trackers', 0)))).toEqual(['id', 'name', 'count', 'type'])
    const both = await exposed(facts.callId, { content: { trackers: true, trackerOccurrences: true } })
    const trackers = rows(both, 'content', 'trackers')
    expect(trackers.some((tracker) => get(tracker, 'count') === 0)).toBe(true)
    for (const tracker of trackers) expect(rows(tracker, 'occurrences')).toHaveLength(Number(get(tracker, 'count')))
  })

  test('comments come under collaboration', async () => {
    const { body } = await post('/v2/calls/extensive', {
      filter: march,
      contentSelector: { exposedFields: { collaboration: { publicComments: true } } },
    })
    const comments = rows(body, 'calls').flatMap((call) => rows(call, 'collaboration', 'publicComments'))
    expect(comments.some((comment) => /@\[.+\]\(\d+\)/.test(String(get(comment, 'comment'))))).toBe(true)
    expect(comments.some((comment) => get(comment, 'inReplyTo') !== undefined)).toBe(true)
  })

  test('the context is links, or values at the wished times', async () => {
    const basic = await extensive([facts.callId], { context: 'Basic', exposedFields: { parties: true } })
    expect(rows(basic.body, 'calls', 0, 'context', 0, 'objects').flatMap((object) => rows(object, 'fields'))).toEqual([])
    const full = await extensive([facts.callId], { context: 'Extended', contextTiming: ['Now', 'TimeOfCall'] })
    const objects = rows(full.body, 'calls', 0, 'context', 0, 'objects')
    expect(objects.map((object) => get(object, 'timing'))).toEqual(['Now', 'Now', 'TimeOfCall', 'TimeOfCall'])
    expect(rows(objects[1], 'fields').length).toBeGreaterThan(1)
    const now = await extensive([facts.callId], { context: 'Extended' })
    expect(rows(now.body, 'calls', 0, 'context', 0, 'objects').every((object) => get(object, 'timing') === 'Now')).toBe(true)
  })

  test.each([
    ['timing without Extended', { contextTiming: ['Now'] }],
    ['an unknown timing', { context: 'Extended', contextTiming: ['Later'] }],
    ['an unknown context', { context: 'Full' }],
    ['a selector that is no object', 'all'],
  ])('%s is refused', async (_, selector) => {
    expect((await extensive([facts.callId], selector)).status).toBe(400)
  })
})

describe('what is not there', () => {
  test('a video call has two files, an audio call one, others none', async () => {
    const media = async (id: string) => Object(await exposed(id, { media: true }))
    expect(Object.keys((await media(facts.callId)).media)).toEqual(['audioUrl', 'videoUrl'])
    expect(Object.keys((await media(facts.audioOnlyCallId)).media)).toEqual(['audioUrl'])
    expect((await media(facts.callWithEmptyMediaId)).media).toEqual({})
    expect(Object.keys(await media(facts.callWithoutMediaId))).toEqual(['metaData'])
  })

  test('unknown parts of a party are left out, the speaker is null', async () => {
    const { body } = await post('/v2/calls/extensive', { filter: march, contentSelector: { exposedFields: { parties: true } } })
    const parties = rows(body, 'calls').flatMap((call) => rows(call, 'parties'))
    expect(parties.every((party) => get(party, 'speakerId') !== undefined)).toBe(true)
    expect(parties.some((party) => get(party, 'speakerId') === null)).toBe(true)
    expect(parties.some((party) => !('emailAddress' in Object(party)) && get(party, 'affiliation') === 'Unknown')).toBe(true)
    expect(parties.some((party) => get(party, 'affiliation') === 'Internal' && !('userId' in Object(party)))).toBe(true)
    for (const party of parties)
      expect(Object.entries(Object(party)).every(([key, value]) => value !== null || key === 'speakerId')).toBe(true)
  })

  test('an imported call has no parties', async () => {
    expect(Object.keys(Object(await exposed(facts.callWithoutPartiesId, { parties: true })))).toEqual(['metaData'])
  })
})

test('the extensive list is in the order of the scheduled times', async () => {
  const { body } = await post('/v2/calls/extensive', { filter: march })
  const times = rows(body, 'calls').map((call) => Date.parse(String(get(call, 'metaData', 'scheduled'))))
  expect(times).toEqual(times.toSorted((left, right) => left - right))
})

describe('transcripts', () => {
  test('speakers are those of the parties, moments are milliseconds in the order of the call', async () => {
    const { body } = await post('/v2/calls/transcript', { filter: { callIds: [facts.callId] } })
    const parties = rows(await exposed(facts.callId, { parties: true }), 'parties').map((party) => get(party, 'speakerId'))
    const monologues = rows(body, 'callTranscripts', 0, 'transcript')
    for (const monologue of monologues) expect(parties).toContain(get(monologue, 'speakerId'))
    const sentences = monologues.flatMap((monologue) => rows(monologue, 'sentences'))
    const moments = sentences.flatMap((sentence) => [Number(get(sentence, 'start')), Number(get(sentence, 'end'))])
    expect(moments).toEqual(moments.toSorted((left, right) => left - right))
    expect(moments.every(Number.isInteger)).toBe(true)
  })

  test('some are empty, some monologues have no topic, private calls are there', async () => {
    const silent = await post('/v2/calls/transcript', { filter: { callIds: [facts.silentCallId] } })
    expect(get(silent.body, 'callTranscripts')).toEqual([{ callId: facts.silentCallId, transcript: [] }])
    const { body } = await post('/v2/calls/transcript', { filter: { ...march, workspaceId: facts.workspaceIds[1] } })
    const topics = rows(body, 'callTranscripts').flatMap((call) => rows(call, 'transcript').map((monologue) => get(monologue, 'topic')))
    expect(topics).toContain(null)
    expect(topics).toContain('Pricing')
    const hidden = await post('/v2/calls/transcript', { filter: { callIds: [facts.privateCallId] } })
    expect(get(hidden.body, 'callTranscripts', 0, 'callId')).toBe(facts.privateCallId)
  })
})
