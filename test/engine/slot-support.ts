/** What people and attackers write where the configuration names a part of the vendor's host. */
import fc from 'fast-check'

/** Values that no vendor's part of a host takes. Most would send the token elsewhere. */
export const hostileHostParts: readonly unknown[] = [
  ...['evil.example/', 'evil.example#', 'evil.example?', 'user@evil.example/', 'user:password@evil.example/#'],
  ...['127.0.0.1:8080/', '127.0.0.1', '[::1]', 'localhost:3000/', 'a/b', 'a\\b', 'a#', 'a?', 'a%2f'],
  ...['a%00', 'a\u0000', 'a\r\nhost: evil.example', '.', '..', '../..', '-a', '_a', '', ' '],
  // Letters that look alike, and some whose lower case is an ASCII letter.
  '\u212Aelvin',
  'my-ſtore',
  'İstanbul',
  // No texts.
  7,
  true,
]

/** Draws texts of host parts, of what separates them, and of anything. @param own pieces of the vendor's addresses */
export const drawHostParts = (...own: readonly string[]): fc.Arbitrary<string> => {
  const piece = fc.oneof(
    fc.constantFrom(...own, 'evil.example', 'https://', 'http://', '/', '\\', '@', ':'),
    fc.constantFrom(...'#?%.-_ \0。．／＠\u212A', '\r\n', '127.0.0.1', '[::1]', '%2e', '%40'),
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 6 }),
  )
  return fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
}
