import { expect, test } from 'vitest'
import { parseDatabaseUrl, UrlProblem } from '../../packages/server/src/db/connections/url.ts'

const problem = (url: string, options?: { readonly isReplica: boolean }): string => {
  try {
    parseDatabaseUrl(url, options)
  } catch (thrown) {
    if (thrown instanceof UrlProblem) return thrown.message
    throw thrown
  }
  return 'taken'
}

test.each([
  ['an @', 'postgresql://me:se@cret@db.example/state'],
  ['a /', 'postgresql://me:12/cret@db.example/state'],
  ['a / behind an @', 'postgresql://me:cret@12/cret@db.example/state'],
  ['a ?', 'postgresql://me:12?cret@db.example/state'],
  ['a #', 'postgresql://me:12#cret@db.example/state'],
  ['a %', 'postgresql://me:100%cret@db.example/state'],
])('%s in a password that is not encoded is a sentence that holds nothing of it', (_what, url) => {
  const said = problem(url)
  expect(said).toContain('percent-encode it: @ is %40, / is %2F')
  expect(said).not.toMatch(/cret|12|db\.example/)
})

test('an encoded password is read as it is', () => {
  const { password, user, hosts, database } = parseDatabaseUrl('postgresql://m%40e:a%40b%2Fc%3A%23%3F%25:d@db:6432/st%20ate')
  expect([user, password?.reveal(), hosts, database]).toEqual(['m@e', 'a@b/c:#?%:d', [{ host: 'db', port: 6432 }], 'st ate'])
})

test.each([
  ['postgresql://one:5433,two,[::1]:5434/x', ['one:5433', 'two:', '::1:5434']],
  ['postgresql:///x?host=one,two&port=1,2', ['one:1', 'two:2']],
  ['postgresql:///x?host=one,two&port=7', ['one:7', 'two:7']],
  ['postgresql:///x?host=/run/postgresql', ['/run/postgresql:']],
  ['postgresql://%2Frun%2Fpostgresql/x', ['/run/postgresql:']],
  ['postgres:///x', [':']],
])('%s names its hosts', (url, expected) => {
  expect(parseDatabaseUrl(url).hosts.map(({ host = '', port = '' }) => `${host}:${port}`)).toEqual(expected)
})

test.each([
  ['mysql://db/x', 'it must be a postgresql:// URL'],
  ['postgresql://db:port/x', 'whose hosts have ports from 1 to 65535'],
  ['postgresql://db:70000/x', 'whose hosts have ports from 1 to 65535'],
  ['postgresql://db/x?sslmode=bogus', 'its sslmode must be one of disable, prefer, require, verify-ca, verify-full, no-verify'],
  ['postgresql://db/x?sslmode=verify-ca', 'needs sslrootcert'],
  ['postgresql://db/x?sslmode=verify-ca&sslrootcert=system', 'or use verify-full'],
  ['postgresql://db/x?sslcrl=/crl.pem', 'its parameter sslcrl is not supported'],
  ['postgresql://db/x?connect_timeout=soon', 'its connect_timeout must be a whole number of seconds'],
  ['postgresql://db/x?target_session_attrs=standby', 'its target_session_attrs must be read-write, primary or any'],
])('%s is refused with what to do', (url, expected) => {
  expect(problem(url)).toContain(expected)
})

test('a replica may be asked to be a standby', () => {
  expect(problem('postgresql://db/x?target_session_attrs=standby', { isReplica: true })).toBe('taken')
  expect(problem('postgresql://db/x?target_session_attrs=read-write&connect_timeout=3&application_name=mine')).toBe('taken')
})

test.each([
  ['', undefined],
  ['?connect_timeout=3', 3_000],
  ['?connect_timeout=0', 60_000],
  ['?connect_timeout=600', 60_000],
])('the time to connect of postgresql://db/x%s is %s milliseconds', (query, expected) => {
  expect(parseDatabaseUrl(`postgresql://db/x${query}`).connectMs).toBe(expected)
})
