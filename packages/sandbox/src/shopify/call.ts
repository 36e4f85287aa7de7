import type { PageFault } from '../faults.ts'
import type { ShopifySwitches } from './switches.ts'
import type { View } from './world.ts'

/** One authenticated request to a route. */
export interface Call {
  readonly view: View
  readonly switches: ShopifySwitches
  /** Path below the version, without `.json`. */
  readonly path: string
  /** Origin and path up to the version, for links: `https://store.myshopify.com/admin/api/2026-01`. */
  readonly base: string
  readonly query: URLSearchParams
  readonly slots: Readonly<Record<string, string>>
  readonly scopes: ReadonlySet<string>
  /** Signs cursors. */
  readonly secret: string
  /** True when this request meets a fault of a page, which is then used up. */
  take(kind: PageFault['kind']): boolean
  /** True while the draft order at a position is being computed; each question counts. */
  computing(draft: number): boolean
}
