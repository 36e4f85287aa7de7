import { describe, expect, test } from 'vitest'
import { findLink } from '../../packages/ferrule/src/engine/call/page-records.ts'
import { base, customersPage, host, pageUrl, shopifyAt } from './shopify-support.ts'
import { failure, listed, serve, testEngine } from './support.ts'

const next = pageUrl('/customers.json', 'bmV4dA')
const previous = pageUrl('/customers.json', 'cHJldg')

describe('a Link header', () => {
  test.each([
    ['one entry', `<${next}>; rel="next"`],
    ['both, as the vendor writes them', `<${previous}>; rel="previous", <${next}>; rel="next"`],
    ['the other order', `<${next}>; rel="next", <${previous}>; rel="previous"`],
    ['no space after the comma', `<${previous}>; rel="previous",<${next}>; rel="next"`],
    ['no space after the semicolon', `<${next}>;rel="next"`],
    ['many spaces', `  <${next}>  ;  rel  =  "next"  `],
    ['no quotes', `<${previous}>; rel=previous, <${next}>; rel=next`],
    ['several relations', `<${next}>; rel="last next"`],
    ['other parameters before', `<${next}>; title="page 2"; rel="next"`],
    ['other parameters after', `<${next}>; rel="next"; type="application/json"`],
    ['a parameter without a value', `<${next}>; crossorigin; rel=next`],
    ['capitals', `<${next}>; REL="Next"`],
    ['an empty element, which RFC 9110 allows', `, <${next}>; rel="next",`],
  ])('%s', (_what, header) => {
    expect(findLink(header, 'next')).toBe(next)
  })

  test.each([
    ['none', undefined],
    ['empty', ''],
    ['only the page before', `<${previous}>; rel="previous"`],
    ['no relation', `<${next}>`],
    ['another relation', `<${next}>; rel="nextish"`],
    ['the word within another parameter', `<${previous}>; title="rel=next"; rel="previous"`],
    ['the word within a text with commas', `<${previous}>; title="a, rel=next; b"; rel="previous"`],
    ['a parameter within a text', `<${previous}>; title="a; rel=next"; rel="previous"`],
    ['an entry within a text', `<${previous}>; title="<${next}>; rel=next"; rel="previous"`],
    ['a second relation, of which the first counts', `<${previous}>; rel="previous"; rel="next"`],
    ['no URL', 'rel="next"'],
    ['an open bracket', `<${next}; rel="next"`],
  ])('without a next page: %s', (_what, header) => {
    expect(findLink(header, 'next')).toBeNull()
  })

  test('is read in time that grows with its length only', () => {
    const long = `${'<'.repeat(8000)}${'; rel='.repeat(8000)}${'"'.repeat(8000)}`
    expect(findLink(long, 'next')).toBeNull()
  })
})

describe('the next page of a list', () => {
  const call = { entity: 'customers', action: 'list', params: { limit: 2 } }

  test('is there with any case of the header’s name, and null where there is none', async () => {
    await using server = await serve((_seen, count) =>
      count === 1
        ? { headers: { LINK: `<${previous}>; rel="previous", <${next}>; rel="next"` }, body: { customers: [] } }
        : { headers: { link: `<${previous}>; rel="previous"` }, body: { customers: [] } },
    )
    await using engine = testEngine()
    const { meta } = await listed(engine.run(shopifyAt(server.origin), call))
    expect(meta).toEqual({ next_page_url: next, next_params: { page_info: 'bmV4dA' } })
    expect((await listed(engine.run(shopifyAt(server.origin), call))).meta).toEqual({ next_page_url: null, next_params: null })
  })

  test('is found in a header that comes twice', async () => {
    await using server = await serve(() => (response) => {
      response.writeHead(200, [
        'content-type',
        'application/json',
        'link',
        `<${previous}>; rel="previous"`,
        'link',
        `<${next}>; rel="next"`,
      ])
      response.end('{"customers":[]}')
    })
    await using engine = testEngine()
    expect((await listed(engine.run(shopifyAt(server.origin), call))).meta['next_page_url']).toBe(next)
  })

  test.each([
    ['has no position', `${host}${base}/customers.json?limit=2`],
    ['has an empty position', `${host}${base}/customers.json?page_info=`],
    ['is no URL', 'customers.json?page_info=x'],
  ])('that %s is an error: the rest of the list would be missing without a word', async (_what, url) => {
    await using server = await serve(() => ({ headers: { link: `<${url}>; rel="next"` }, body: { customers: [] } }))
    await using engine = testEngine()
    const error = await failure(engine.run(shopifyAt(server.origin), call))
    expect(error).toMatchObject({ code: 'upstream_answer_invalid', message: expect.stringContaining('a next page without a position') })
  })

  test('is asked for at the connector’s own address, wherever the link of the answer leads', async () => {
    await using foreign = await serve(() => ({ body: {} }))
    await using server = await serve((_seen, count) =>
      count === 1
        ? { headers: { link: `<${foreign.origin}/steal?page_info=cG9z&limit=9>; rel="next"` }, body: { customers: [{ id: 1 }] } }
        : customersPage([2]),
    )
    await using engine = testEngine()
    const { meta } = await listed(engine.run(shopifyAt(server.origin), call))
    await engine.run(shopifyAt(server.origin), { ...call, params: { ...call.params, ...Object(meta['next_params']) } })
    expect(server.seen.map(({ url }) => url)).toEqual([`${base}/customers.json?limit=2`, `${base}/customers.json?limit=2&page_info=cG9z`])
    expect(foreign.seen).toHaveLength(0)
  })
})
