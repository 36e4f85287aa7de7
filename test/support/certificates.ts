/** Makes X.509 certificates for tests (RFC 5280): Node signs, but does not build them. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A certificate and its key as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** An authority that issues certificates. */
export interface Authority {
  readonly cert: string
  /** @param host name or IPv4 address */
  issue(host: string): Certificate
}

const item = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const size =
    body.length < 128 ? [body.length] : body.length < 256 ? [0x81, body.length] : [0x82, Math.floor(body.length / 256), body.length % 256]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...parts: readonly Buffer[]): Buffer => item(0x30, ...parts)
const oid = (hex: string): Buffer => item(0x06, Buffer.from(hex, 'hex'))
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
const commonName = (name: string): Buffer => sequence(item(0x31, sequence(oid('550403'), item(0x0c, Buffer.from(name)))))
const time = (text: string): Buffer => item(0x17, Buffer.from(text))
const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), item(0x04, value))
const isAuthority = extension('551d13', sequence(item(0x01, Buffer.from([0xff]))))
const isFor = (host: string): Buffer =>
  extension(
    '551d11',
    sequence(/^[\d.]+$/.test(host) ? item(0x87, Buffer.from(host.split('.').map(Number))) : item(0x82, Buffer.from(host))),
  )

const toPem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`

interface Wanted {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly extensions: Buffer
}

function build({ subject, issuer, publicKey, signer, extensions }: Wanted): string {
  const serial = item(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]))
  const content = sequence(
    item(0xa0, item(0x02, Buffer.from([2]))),
    serial,
    ecdsaWithSha256,
    commonName(issuer),
    sequence(time('200101000000Z'), time('491231235959Z')),
    commonName(subject),
    publicKey.export({ format: 'der', type: 'spki' }),
    item(0xa3, sequence(extensions)),
  )
  const signature = item(0x03, Buffer.from([0]), sign('sha256', content, signer))
  return toPem(sequence(content, ecdsaWithSha256, signature))
}

/** Makes an authority. */
export function createAuthority(name = 'Authority of tests'): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const named = { issuer: name, signer: own.privateKey }
  return {
    cert: build({ ...named, subject: name, publicKey: own.publicKey, extensions: isAuthority }),
    issue: (host) => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const cert = build({ ...named, subject: host, publicKey, extensions: isFor(host) })
      return { cert, key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })) }
    },
  }
}
