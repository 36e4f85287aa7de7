import { wordsOf } from '../data.ts'

/** Word lists for invented products, buyers and towns. */

export const givenNames = wordsOf(
  'Ida, Emil, Frieda, Anton, Lale, Jules, Maren, Théo, Sanna, Karim, Elodie, Nils, Birgül, Paulo, Wilma, Jaro, Livia, Aurélien, Merle, Tamás, Greta, Zbigniew, Noor, Leon',
)
export const familyNames = wordsOf(
  'Berg, Lindner, Öztürk, Marchand, Vogt, Kessler, Sørensen, Baumann, Delacroix, Nowak, Huber, Yildiz, Petersen, Fontaine, Straßer, Ferreira, Winkler, Kovács, Albers, Jansen, Moreau, Schäfer, Novotná, Engel',
)
export const streets = wordsOf('Musterweg, Am Hafen, Lindenallee, Rue des Tilleuls, Kirchplatz, Oak Street')
export const companies = wordsOf('Nordlicht GmbH, Atelier Brun, Hafenkontor, Weber & Töchter')
export const materials = wordsOf('Linen, Wool, Oak, Steel, Ceramic, Cotton, Cork, Glass')
export const things = wordsOf('Apron, Blanket, Board, Kettle, Bowl, Shirt, Basket, Lamp, Notebook, Vase')
/** Product type by the position of the thing. */
export const productTypes = wordsOf('Kitchen, Home, Kitchen, Kitchen, Tableware, Clothing, Home, Lighting, Stationery, Tableware')
export const vendors = wordsOf('Nordlicht, Atelier Brun, Hafen & Söhne, Quellwerk')
export const colors = wordsOf('Sand, Moss, Night Blue, Terracotta, Grey, Natural')
export const tagWords = wordsOf('new, gift, handmade, sale, outdoor, winter, bestseller')
export const notes = wordsOf('Please ring twice, Ein Geschenk – bitte ohne Rechnung 🎁, Leave it with the neighbour, Été 2024')

const germany = { country: 'Germany', country_code: 'DE', province: null, province_code: null }
const austria = { country: 'Austria', country_code: 'AT', province: null, province_code: null }
const france = { country: 'France', country_code: 'FR', province: null, province_code: null }
const states = { country: 'United States', country_code: 'US' }

/** Towns in which buyers and locations are. */
export const towns = [
  { ...germany, city: 'Berlin', zip: '10115', latitude: 52.5323, longitude: 13.3846 },
  { ...germany, city: 'Hamburg', zip: '20095', latitude: 53.5503, longitude: 10.0007 },
  { ...germany, city: 'München', zip: '80331', latitude: 48.1351, longitude: 11.582 },
  { ...germany, city: 'Köln', zip: '50667', latitude: 50.9384, longitude: 6.96 },
  { ...austria, city: 'Wien', zip: '1010', latitude: 48.2085, longitude: 16.3721 },
  { ...france, city: 'Lyon', zip: '69002', latitude: 45.7485, longitude: 4.8467 },
  { ...states, city: 'Louisville', zip: '40202', province: 'Kentucky', province_code: 'KY', latitude: 38.2527, longitude: -85.7585 },
  { ...states, city: 'Portland', zip: '97205', province: 'Oregon', province_code: 'OR', latitude: 45.5202, longitude: -122.6742 },
]

/** A town in which buyers and locations are. */
export type Town = Readonly<(typeof towns)[number]>

/** Currency of the store. */
export const currency = 'EUR'

/** Returns an amount as the vendor writes it: `19900` cents are `199.00`. */
export const amount = (cents: number): string => (cents / 100).toFixed(2)

/** Returns an amount in the currency of the store and of the buyer, which are the same here. */
export function moneySet(cents: number) {
  const money = { amount: amount(cents), currency_code: currency }
  return { shop_money: money, presentment_money: money }
}

/** Returns the value added tax that is inside an amount, in cents. */
export const taxIn = (cents: number): number => Math.round((cents * 19) / 119)

/** Returns the tax line of an amount that includes the tax; none for nothing. */
export function taxLines(cents: number) {
  const tax = taxIn(cents)
  if (tax === 0) return []
  return [{ price: amount(tax), rate: 0.19, title: 'DE MwSt', price_set: moneySet(tax), channel_liable: false }]
}
