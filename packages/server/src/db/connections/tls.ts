/** Encrypts connections to PostgreSQL by the `sslmode` of a URL, and explains failures of TLS. */
import { readFileSync } from 'node:fs'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import { readErrorCode } from './problems.ts'
import { type TlsWish, UrlProblem } from './url.ts'

/** A failure while encrypting a connection. */
const untrusted = /^(SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|CERT_(UNTRUSTED|SIGNATURE))/

function readPem(name: string, path: string): string {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.includes('-----BEGIN ')) return text
  } catch (thrown) {
    throw new UrlProblem(`the file that its ${name} names cannot be read (${readErrorCode(thrown) || 'unreadable'}); correct the path`)
  }
  throw new UrlProblem(`the file that its ${name} names holds no PEM; name a file that begins with -----BEGIN`)
}

/**
 * Builds the options of TLS, and reads the files.
 * @returns false without TLS; undefined where the URL says nothing
 * @throws UrlProblem for a file that cannot be read
 */
export function buildTls(wish: TlsWish | undefined): ConnectionOptions | false | undefined {
  if (wish === undefined) return undefined
  if (wish.mode === 'disable') return false
  const { rootCert, cert, key } = wish
  const authorities = rootCert === 'system' ? getCACertificates('system') : rootCert && readPem('sslrootcert', rootCert)
  return {
    ...(authorities === undefined || authorities === '' ? {} : { ca: authorities }),
    ...(cert === undefined ? {} : { cert: readPem('sslcert', cert) }),
    ...(key === undefined ? {} : { key: readPem('sslkey', key) }),
    ...(wish.mode === 'no-verify' ? { rejectUnauthorized: false } : {}),
    ...(wish.mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  }
}

/** Explains a failure of TLS; undefined for other failures. */
export function explainTls(thrown: unknown): string | undefined {
  const code = readErrorCode(thrown)
  const message = thrown instanceof Error ? thrown.message : ''
  if (untrusted.test(code))
    return `the certificate of the server is not signed by a known authority (${code}); name the file of your authority with sslrootcert, or use sslmode=no-verify to encrypt without checking`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'the certificate of the server is for another host name; use the name of the certificate, or sslmode=verify-ca with sslrootcert'
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `the certificate of the server is not valid now (${code}); renew it, and check the clocks of both machines`
  if (message.includes('does not support SSL'))
    return 'the server takes no TLS connections; turn TLS on there, or use sslmode=disable on a network that you trust'
  if (/no encryption|SSL off/.test(message))
    return 'the server takes only TLS connections from here; add sslmode=require to the URL (/docs/operations has the modes)'
  return /^(ERR_(SSL|TLS|OSSL)|EPROTO)/.test(code) ? `TLS with the server fails (${code}); check sslmode, sslcert and sslkey` : undefined
}
