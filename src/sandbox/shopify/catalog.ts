import { at } from '../at.ts'
import { day } from './time.ts'
import { materials, productTypes, tagWords, things, vendors } from './words.ts'
import type { View } from './world.ts'
import { changedAt, destroyedAt, draw, perStore, randomOf } from './world.ts'

/** How many products there are, destroyed ones included. */
export const productCount = 600

/** The product with more variants than the API shows. */
export const productWithManyVariants = 300

/** How many variants that product has. */
const manyVariants = 140

/** How many variants of a product the API shows. */
export const shownVariants = 100

/** Positions of variants and images per product. */
export const variantWidth = 200
export const imageWidth = 8

const created = Date.UTC(2018, 0, 8, 8)
const statuses = ['active', 'active', 'active', 'active', 'active', 'active', 'draft', 'archived', 'archived', 'unlisted'] as const

/** When a product was created, epoch milliseconds. */
export function productCreated(product: number): number {
  return created + Math.floor(product * 0.55 * day)
}

/** When a product was last changed until now: it is edited every 20 to 400 days. */
export function productChanged(view: View, product: number): number {
  const period = (20 + draw(view, 380, 'edited', product)) * day
  const start = productCreated(product)
  const natural = start + Math.floor(Math.max(view.now - start, 0) / period) * period
  return changedAt(view, { kind: 'products', position: product }, natural)
}

/** True while a product exists. */
export function productExists(view: View, product: number): boolean {
  return destroyedAt(view, { kind: 'products', position: product }) === undefined
}

/** How many variants a product has. */
export function variantCount(view: { readonly seed: number }, product: number): number {
  return product === productWithManyVariants ? manyVariants : 1 + draw(view, 6, 'variants', product)
}

/** How many images a product has. */
export function imageCount(view: { readonly seed: number }, product: number): number {
  return draw(view, 6, 'images', product)
}

/** Positions of all variants, ascending; destroyed products included. */
export const allVariants = perStore((seed) => {
  const found: number[] = []
  for (let product = 0; product < productCount; product += 1) {
    const count = variantCount({ seed }, product)
    for (let index = 0; index < count; index += 1) found.push(product * variantWidth + index)
  }
  return found
})

/** Price of a variant in cents. */
export function variantPrice(view: { readonly seed: number }, variant: number): number {
  const base = 490 + draw(view, 140, 'price', Math.floor(variant / variantWidth)) * 100
  return base + (variant % variantWidth) * 150
}

/** Title, vendor, type and tags of a product. */
export function productFacts(view: { readonly seed: number }, product: number) {
  const thing = product % things.length
  const random = randomOf(view, 'product', product)
  const material = at(materials, Math.floor(product / things.length) % materials.length)
  const series = Math.floor(product / (things.length * materials.length)) + 1
  return {
    title: `${material} ${at(things, thing)}${series === 1 ? '' : ` No. ${series}`}`,
    type: at(productTypes, thing),
    vendor: random.pick(vendors),
    tags: tagWords.filter(() => random.chance(0.25)),
    status: at(statuses, product % 97 === 0 ? 9 : draw(view, 9, 'status', product)),
    grams: random.int(80, 4000),
  }
}

/** When a variant was last changed: with its product, or by an edit of its own. */
export function variantChanged(view: View, variant: number): number {
  return changedAt(view, { kind: 'variants', position: variant }, productChanged(view, Math.floor(variant / variantWidth)))
}

/** Stock keeping unit of a variant; some have none. */
export function skuOf(variant: number): string {
  return variant % 41 === 0 ? '' : `NL-${String(variant).padStart(6, '0')}`
}
