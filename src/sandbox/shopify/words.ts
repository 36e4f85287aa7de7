/** Word lists for invented products, buyers and places. */

export const givenNames: readonly string[] =
  'Ida Emil Frieda Anton Lale Jules Maren Théo Sanna Karim Elodie Nils Birgül Paulo Wilma Jaro Livia Aurélien Merle Tamás Greta Zbigniew Noor Leon'.split(
    ' ',
  )

export const familyNames: readonly string[] =
  'Berg Lindner Öztürk Marchand Vogt Kessler Sørensen Baumann Delacroix Nowak Huber Yildiz Petersen Fontaine Straßer Ferreira Winkler Kovács Albers Jansen Moreau Schäfer Novotná Engel'.split(
    ' ',
  )

/** A place in which buyers and locations are. */
export interface Place {
  readonly city: string
  readonly zip: string
  readonly province: string | null
  readonly province_code: string | null
  readonly country: string
  readonly country_code: string
  readonly latitude: number
  readonly longitude: number
}

const germany = { country: 'Germany', country_code: 'DE', province: null, province_code: null }
const austria = { country: 'Austria', country_code: 'AT', province: null, province_code: null }
const france = { country: 'France', country_code: 'FR', province: null, province_code: null }
const states = { country: 'United States', country_code: 'US' }

export const places: readonly Place[] = [
  { ...germany, city: 'Berlin', zip: '10115', latitude: 52.5323, longitude: 13.3846 },
  { ...germany, city: 'Hamburg', zip: '20095', latitude: 53.5503, longitude: 10.0007 },
  { ...germany, city: 'München', zip: '80331', latitude: 48.1351, longitude: 11.582 },
  { ...germany, city: 'Köln', zip: '50667', latitude: 50.9384, longitude: 6.96 },
  { ...austria, city: 'Wien', zip: '1010', latitude: 48.2085, longitude: 16.3721 },
  { ...france, city: 'Lyon', zip: '69002', latitude: 45.7485, longitude: 4.8467 },
  { ...states, city: 'Louisville', zip: '40202', province: 'Kentucky', province_code: 'KY', latitude: 38.2527, longitude: -85.7585 },
  { ...states, city: 'Portland', zip: '97205', province: 'Oregon', province_code: 'OR', latitude: 45.5202, longitude: -122.6742 },
]

export const streets: readonly string[] = ['Musterweg', 'Am Hafen', 'Lindenallee', 'Rue des Tilleuls', 'Kirchplatz', 'Oak Street']

export const companies: readonly string[] = ['Nordlicht GmbH', 'Atelier Brun', 'Hafenkontor', 'Weber & Töchter']

export const materials: readonly string[] = ['Linen', 'Wool', 'Oak', 'Steel', 'Ceramic', 'Cotton', 'Cork', 'Glass']

export const things: readonly string[] = ['Apron', 'Blanket', 'Board', 'Kettle', 'Bowl', 'Shirt', 'Basket', 'Lamp', 'Notebook', 'Vase']

/** Product type by the position of the thing. */
export const productTypes: readonly string[] = [
  'Kitchen',
  'Home',
  'Kitchen',
  'Kitchen',
  'Tableware',
  'Clothing',
  'Home',
  'Lighting',
  'Stationery',
  'Tableware',
]

export const vendors: readonly string[] = ['Nordlicht', 'Atelier Brun', 'Hafen & Söhne', 'Quellwerk']

export const colors: readonly string[] = ['Sand', 'Moss', 'Night Blue', 'Terracotta', 'Grey', 'Natural']

export const tagWords: readonly string[] = ['new', 'gift', 'handmade', 'sale', 'outdoor', 'winter', 'bestseller']

export const notes: readonly string[] = [
  'Please ring twice',
  'Ein Geschenk – bitte ohne Rechnung 🎁',
  'Leave it with the neighbour',
  'Été 2024',
]
