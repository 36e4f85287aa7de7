import { describe, expect, test } from 'vitest'
import { isPublicAddress, isPublicUrl } from '../../packages/ferrule/src/engine/http/public-address.ts'

describe('addresses that a link of an answer may lead to', () => {
  test.each(['8.8.8.8', '52.217.1.1', '2606:4700::1111', '2a00:1450:4001::64', '::ffff:8.8.8.8'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each([
    ['this network', '0.0.0.0'],
    ['private', '10.1.2.3'],
    ['private', '172.16.0.1'],
    ['private', '192.168.1.1'],
    ['carrier NAT', '100.64.0.1'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, cloud metadata', '169.254.169.254'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '203.0.113.5'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped', '::ffff:a9fe:a9fe'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64, local', '64:ff9b:1::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001::1'],
    ['documentation', '2001:db8::1'],
    ['discard', '100::1'],
    ['unique local, cloud metadata', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['outside of what is given out', '4000::1'],
    ['no address', 'localhost'],
    ['no address', ''],
  ])('%s: %s is not', (_what, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each([
    ['https://media.example/file?signature=x', true],
    ['https://8.8.8.8/', true],
    ['https://[2606:4700::1111]/', true],
    ['http://media.example/', false],
    ['ftp://media.example/', false],
    ['file:///etc/passwd', false],
    ['data:text/plain,x', false],
    ['https://user@media.example/', false],
    ['https://user:password@media.example/', false],
    ['https://127.0.0.1/', false],
    ['https://127.0.0.1./', false],
    ['https://127.1/', false],
    ['https://2130706433/', false],
    ['https://0x7f000001/', false],
    ['https://0177.0.0.1/', false],
    ['https://[::1]/', false],
    ['https://[::ffff:127.0.0.1]/', false],
    ['https://[::127.0.0.1]/', false],
    ['https://[fe80::1]/', false],
  ])('%s: %s', (url, expected) => {
    expect(isPublicUrl(new URL(url))).toBe(expected)
  })
})
