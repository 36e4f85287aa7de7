import { fail } from 'ferrule/internal'
import { describe, expect, test } from 'vitest'
import { buildErrorHeaders, contentDisposition, readPath, toError } from './body.ts'

describe('the name of a download', () => {
  test.each([
    ['123.mp3', 'attachment; filename="123.mp3"'],
    ['a b.mp3', `attachment; filename="a_b.mp3"; filename*=UTF-8''a%20b.mp3`],
    ['größe.mp4', `attachment; filename="gr_e.mp4"; filename*=UTF-8''gr%C3%B6%C3%9Fe.mp4`],
    ['a"; filename="b.exe', `attachment; filename="a_filename_b.exe"; filename*=UTF-8''a%22%3B%20filename%3D%22b.exe`],
    ['a\r\nSet-Cookie: x', `attachment; filename="a_Set-Cookie_x"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x`],
    ['../../etc/passwd', 'attachment; filename="passwd"'],
    ['..\\..\\boot.ini', 'attachment; filename="boot.ini"'],
    ['.htaccess', `attachment; filename="htaccess"; filename*=UTF-8''.htaccess`],
    ['', 'attachment; filename="download"'],
    ["it's (1)*", `attachment; filename="it_s_1_"; filename*=UTF-8''it%27s%20%281%29%2A`],
    ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ])('%j', (name, header) => {
    expect(contentDisposition(name)).toBe(header)
  })
})

const request = { method: 'POST', url: '/api/v1/x?token=secret', contentType: 'text/plain', bodyLimit: 1_024 }

test('a path never shows its query and is bounded', () => {
  expect(readPath('/a/b?c=d')).toBe('/a/b')
  expect(readPath(`/${'x'.repeat(1_000)}`)).toHaveLength(200)
})

test.each([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'payload_too_large', 413],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type', 415],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'malformed_json', 400],
  ['FST_ERR_BAD_URL', 'not_found', 404],
  ['FST_ERR_UNHEARD_OF', 'internal_error', 500],
])('%s of the HTTP library is %s', (library, code, status) => {
  const error = toError(Object.assign(new Error('x'), { code: library }), request)
  expect([error.code, error.status]).toEqual([code, status])
  expect(error.message).not.toContain('secret')
})

test('what is no error at all is internal', () => {
  for (const thrown of ['text', undefined, null, 7]) expect(toError(thrown, request).code).toBe('internal_error')
})

test('headers follow the error', () => {
  expect(buildErrorHeaders(fail('rate_limited', { limit: 1 }, { retryAfterMs: 1_001 }))).toMatchObject({ 'retry-after': '2' })
  expect(buildErrorHeaders(fail('rate_limited', { limit: 1 }, { retryAfterMs: 0 }))).toMatchObject({ 'retry-after': '1' })
  expect(buildErrorHeaders(fail('missing_token', {}))).toMatchObject({ 'www-authenticate': 'Bearer' })
  expect(buildErrorHeaders(fail('range_not_satisfiable', {}, { headers: { 'content-range': 'bytes */9' } }))).toMatchObject({
    'content-range': 'bytes */9',
  })
})
