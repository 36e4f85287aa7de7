/** Makes a certificate that signs itself (RFC 5280), for servers of tests. Nothing but Node is needed, and no key is stored. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const encode = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: readonly Buffer[]): Buffer => encode(0x30, ...parts)
const identifier = (hex: string): Buffer => encode(0x06, Buffer.from(hex, 'hex'))
const time = (at: number): Buffer => encode(0x17, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))
const toPem = (label: string, body: Buffer): string =>
  `-----BEGIN ${label}-----\n${body.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'))
const dayMs = 86_400_000

/** Makes a key and a certificate for host names. The certificate is its own authority. */
export function makeCertificate(hosts: readonly string[]): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const name = sequence(encode(0x31, sequence(identifier('550403'), encode(0x0c, Buffer.from(`of a test: ${hosts[0]}`)))))
  const alternatives = sequence(...hosts.map((host) => encode(0x82, Buffer.from(host))))
  const extensions = sequence(
    sequence(identifier('551d11'), encode(0x04, alternatives)),
    sequence(identifier('551d13'), encode(0x04, sequence(encode(0x01, Buffer.from([0xff]))))), // an authority
  )
  const content = sequence(
    encode(0xa0, encode(0x02, Buffer.from([2]))), // version 3
    encode(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - dayMs), time(Date.now() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encode(0xa3, extensions),
  )
  const signature = encode(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: toPem('CERTIFICATE', sequence(content, ecdsaWithSha256, signature)),
  }
}
