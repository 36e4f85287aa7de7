import { hash32, idOf } from '../random.ts'
import type { Account } from './accounts.ts'
import type { View } from './world.ts'
import { objectId } from './world.ts'

/** The id of an audience. */
export function audienceId(view: View, account: Account, position: number): string {
  return objectId(view, { kind: 'audiences', account, position })
}

/** The digits of the pixel of a campaign: 19, above 2^53 and odd, so that a double cannot hold them. */
export function pixelDigits(view: View, account: Account, campaign: number): string {
  const digits = idOf(view.seed, 'tiktok pixel', account.index, campaign % 3).padStart(19, '7')
  return `${digits.slice(0, 18)}${(hash32(view.seed, 'pixel', campaign % 3) % 5) * 2 + 1}`
}

/** Lower-case hexadecimal digits, for example those of an MD5 sum. */
export function hexOf(length: number, ...parts: readonly (number | string)[]): string {
  let text = ''
  for (let word = 0; text.length < length; word += 1)
    text += hash32('hex', ...parts, word)
      .toString(16)
      .padStart(8, '0')
  return text.slice(0, length)
}

/** The position of the image whose id is an address. */
export const imageWithAddress = 1

/** The id of an image: a path in the vendor's store; that of one image is a whole signed address. */
export function imageId(view: View, account: Account, position: number): string {
  const hex = hexOf(32, view.seed, 'image', account.index, position)
  if (position === imageWithAddress)
    return `https://p16-ad.tiktokcdn.example/obj/ad-site-i18n/${hex}?x-expires=1767225600&x-signature=ab%2Bc%3D`
  return `ad-site-i18n-sg/${hex}`
}

/** The id of a video. */
export function videoId(view: View, account: Account, position: number): string {
  return `v10033g50000${hexOf(20, view.seed, 'video', account.index, position)}`
}
