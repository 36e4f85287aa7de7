import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { digestMcpToken, isMcpToken, newMcpToken } from '../../packages/server/src/tenancy/tokens/mcp-tokens.ts'

test('a token has the documented form, and its checksum is the CRC-32 of what stands before', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  for (let round = 0; round < 200; round += 1) {
    const { token, digest } = newMcpToken(randomBytes)
    expect(token).toMatch(/^frl_mcp_[0-9A-Za-z]{36}$/)
    const sum = [...token.slice(-6)].reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0)
    expect(sum).toBe(crc32(token.slice(0, -6)))
    expect(digestMcpToken(token)).toBe(digest)
  }
})

test('the least and the greatest random numbers keep the length', () => {
  const tokens = [0, 255].map((byte) => newMcpToken((size) => Buffer.alloc(size, byte)).token)
  expect(tokens.map(({ length }) => length)).toEqual([44, 44])
  expect(tokens[0]).toMatch(/^frl_mcp_0{30}/)
})

test('a changed digit, a cut and a foreign text have no digest', () => {
  const { token } = newMcpToken((size) => Buffer.alloc(size, 7))
  const changed = Array.from(token, (_, at) => at)
    .slice(8)
    .map((at) => token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1))
  for (const text of [...changed, token.slice(0, -1), `${token}0`, ` ${token}`, token.toUpperCase(), 'frl_mcp_', ''])
    expect(digestMcpToken(text)).toBeUndefined()
  expect([isMcpToken(token), isMcpToken('frl_mcp_x'), isMcpToken('eyJ.a.b')]).toEqual([true, true, false])
})
