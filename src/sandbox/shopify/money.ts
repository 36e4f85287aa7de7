/** Currency of the store. */
export const currency = 'EUR'

/** An amount as the vendor writes it: `19900` cents are `199.00`. */
export function amount(cents: number): string {
  return (cents / 100).toFixed(2)
}

/** An amount in the currency of the store and of the buyer, which are the same here. */
export function moneySet(cents: number) {
  const money = { amount: amount(cents), currency_code: currency }
  return { shop_money: money, presentment_money: money }
}

/** The value added tax that is inside an amount, in cents. */
export function taxIn(cents: number): number {
  return Math.round((cents * 19) / 119)
}

/** The tax line of an amount that includes the tax; none for nothing. */
export function taxLines(cents: number) {
  const tax = taxIn(cents)
  if (tax === 0) return []
  return [{ price: amount(tax), rate: 0.19, title: 'DE MwSt', price_set: moneySet(tax), channel_liable: false }]
}
