// @ts-nocheck: it calls what the compiler refuses, as programs without a compiler do.
// One table of programs for both modes and every runtime: only the argument of `connect` differs. Prints what each program returns as JSON.
//
//     node programs.mjs local|hosted
//
// Local mode reads the options of `connect` by kind from LOCAL_OPTIONS (JSON). Hosted mode reads FERRULE_URL, FERRULE_CLIENT_ID and
// FERRULE_CLIENT_SECRET; the connectors have the names of `connectors`. Plain JavaScript, because every runtime shall run it as it is.
import { connect, FerruleError } from 'ferrule'

/** Names of the connectors that the service must have. */
const connectors = { gong: 'program calls', snowflake: 'program warehouse', copy: 'program copy' }
/** A window that several pages fill. */
const window = { fromDateTime: '2026-02-01T00:00:00Z', toDateTime: '2026-04-01T00:00:00Z' }
const count = 30_000
const statement = `SELECT SEQ8() AS N, 'a note that makes rows long' AS NOTE FROM TABLE(GENERATOR(ROWCOUNT => ${count}))`

/** @param {Uint8Array} bytes */
const digest = async (bytes) => {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns what a caller sees of an error. */
const describeError = (error) =>
  error instanceof FerruleError
    ? { code: error.code, fault: error.fault, retryable: error.retryable, fields: error.errors.map(({ field }) => field) }
    : { name: error.name, message: error.message }

const failure = (work) => work.then(() => 'it succeeded', describeError)

/** Each returns what both modes must agree on. `modes`: where it can run. */
const programs = {
  list: async ({ gong }) => {
    const page = await gong.calls.list(window)
    const { data } = await gong.users.get({ id: (await gong.users.list()).data[0].id })
    return { calls: page.data.map(({ id }) => id), meta: Object.keys(page.meta), user: data }
  },
  walk: async ({ gong }) => {
    const ids = []
    for await (const call of gong.calls.records(window)) ids.push(call.id)
    let pages = 0
    for await (const page of gong.pages('calls', window)) pages += page.data.length > 0 ? 1 : 0
    const bounded = async () => {
      for await (const page of gong.calls.pages(window, { maxPages: 1 })) if (page.data.length === 0) return
    }
    return { ids, distinct: new Set(ids).size, pages, bounded: await failure(bounded()) }
  },
  download: async ({ gong, callId }) => {
    const params = { filter: { callIds: [callId] }, contentSelector: { exposedFields: { media: true } } }
    const { stream, ...file } = await gong.call_audio.download(params, { resume: true })
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
    const part = await gong.call_audio.download({ ...params, range_header: 'bytes=10-19' })
    const cancelled = await gong.call_audio.download(params)
    await cancelled.stream.cancel()
    return { file, bytes: bytes.length, hash: await digest(bytes), part: (await new Response(part.stream).arrayBuffer()).byteLength }
  },
  statement: async ({ snowflake }) => {
    let rows = 0
    let sum = 0n
    for await (const row of snowflake.record.rows({ statement }, { as: 'objects' })) {
      rows += 1
      sum += BigInt(row.N)
    }
    let parts = 0
    for await (const { data } of snowflake.record.parts({ statement })) parts += data.data.length > 0 ? 1 : 0
    const exact = await snowflake.record.list({ statement: 'SELECT 12345678901234567890 AS BIG' })
    const write = await snowflake.record.create({ statement: "INSERT INTO SCRATCH.COUNTERS VALUES (12345678901234567890, 'program')" })
    return { rows, sum: String(sum), several: parts > 1, exact: exact.data.data, inserted: write.data.stats.numRowsInserted }
  },
  abort: async ({ gong }) => {
    const leaving = new AbortController()
    const walk = async () => {
      for await (const _call of gong.calls.records(window, { signal: leaving.signal })) leaving.abort(new Error('the user left'))
    }
    const early = await failure(gong.users.list({}, { signal: AbortSignal.abort(new Error('never wanted')) }))
    return { walk: await failure(walk()), early }
  },
  errors: async ({ gong, snowflake }) => ({
    parameter: await failure(gong.calls.list({ fromDateTime: 'yesterday' })),
    missing: await failure(gong.calls.get({ id: '1' })),
    required: await failure(gong.users.get({})),
    selector: await failure(gong.call_audio.download({ filter: { callIds: ['1'] } })),
    statement: await failure(snowflake.record.list({ statement: 'SELECT * FROM NOWHERE' })),
    gate: await failure(snowflake.record.list({ statement: 'DROP TABLE SALES.ORDERS' })),
    entity: await failure(gong.execute('deals', 'list')),
    action: await failure(gong.execute('calls', 'remove')),
    options: await failure(gong.calls.list({}, { deadlineMs: -1 })),
  }),
  search: async ({ copy }) => {
    if (copy === undefined) return 'needs a service'
    const ids = []
    for await (const user of copy.users.search.records({ filter: 'active = true', fields: ['id'], sort: [{ id: 'asc' }], limit: 100 }))
      ids.push(user.id)
    const { stream } = await copy.users.export({ filter: { eq: { active: true } }, fields: ['id'], sort: [{ id: 'asc' }] })
    const lines = (await new Response(stream).text()).trimEnd().split('\n')
    return { found: ids.length > 100, exported: JSON.stringify(lines.map((line) => JSON.parse(line).id)) === JSON.stringify(ids) }
  },
}

const local = () => {
  const { gong, snowflake, callId } = JSON.parse(process.env.LOCAL_OPTIONS)
  return { gong: connect('gong', gong), snowflake: connect('snowflake', snowflake), callId }
}
const hosted = () => ({
  gong: connect('gong', { connector: connectors.gong }),
  snowflake: connect('snowflake', { connector: connectors.snowflake }),
  copy: connect('gong', { connector: connectors.copy }),
  callId: JSON.parse(process.env.LOCAL_OPTIONS).callId,
})

const opened = process.argv[2] === 'hosted' ? hosted() : local()
const results = {}
for (const [name, run] of Object.entries(programs)) results[name] = await run(opened)
console.log(JSON.stringify(results))
await opened.gong.close()
await opened.snowflake.close()
